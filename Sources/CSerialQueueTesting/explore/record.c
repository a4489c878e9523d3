#include "explore/record.h"

#include "platform/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *sq__copy_text(const char *text) {
    size_t length = strlen(text);
    char *copy = sq__memory(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length + 1);
    }
    return copy;
}

/* As sq__format_text. The caller still ends `arguments`, and does not use them otherwise. */
static char *format_text(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length >= 0 ? sq__memory((size_t)length + 1) : NULL;
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, format, arguments);
    }
    return text;
}

char *sq__format_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    return text;
}

void sq__record_begin(sq__record_t *record, bool is_on) {
    for (size_t i = 0; i < record->event_count; i += 1) {
        sq__memory_free(record->events[i].text);
        sq__memory_free(record->events[i].usual);
    }
    for (size_t i = 0; i < record->column_count; i += 1) {
        sq__memory_free(record->columns[i].label);
    }
    sq__memory_free(record->usual);
    record->usual = NULL;
    record->event_count = record->column_count = 0;
    record->is_on = is_on;
}

void sq__record_free(sq__record_t *record) {
    sq__record_begin(record, false);
    sq__memory_free(record->events);
    sq__memory_free(record->columns);
    *record = (sq__record_t){ 0 };
}

/* The room is a power of two, and known from the count. */
void *sq__grown(void *array, size_t count, size_t size) {
    if (count > 0 && (count < 8 || (count & (count - 1)) != 0)) {
        return array;
    }
    void *larger = sq__memory((count < 8 ? 8 : 2 * count) * size);
    if (larger != NULL && count > 0) {
        memcpy(larger, array, count * size);
    }
    if (larger != NULL) {
        sq__memory_free(array);
    }
    return larger;
}

/* A copy of the label for a new column, with #2, #3, ... if other columns have it. NULL: no memory. */
static char *label_for(const sq__record_t *record, const char *label) {
    unsigned same = 1;
    for (size_t i = 0; i < record->column_count; i += 1) {
        const char *other = record->columns[i].label;
        size_t length = strlen(label);
        same += other != NULL && strncmp(other, label, length) == 0 && (other[length] == '\0' || other[length] == '#');
    }
    return same > 1 ? sq__format_text("%s#%u", label, same) : sq__copy_text(label);
}

unsigned sq__record_column(sq__record_t *record, const void *what, const char *label) {
    for (size_t i = 0; i < record->column_count; i += 1) {
        if (record->columns[i].what == what) {
            return (unsigned)i;
        }
    }
    sq__column_t *columns = record->is_on ? sq__grown(record->columns, record->column_count, sizeof *columns) : NULL;
    if (columns == NULL) {
        return 0;
    }
    record->columns = columns;
    record->columns[record->column_count] = (sq__column_t){ .what = what, .label = label_for(record, label) };
    record->column_count += 1;
    return (unsigned)record->column_count - 1;
}

size_t sq__record_add(sq__record_t *record, sq__event_kind_t kind, unsigned column, const char *format, ...) {
    sq__event_t *events = record->is_on ? sq__grown(record->events, record->event_count, sizeof *events) : NULL;
    if (events == NULL) {
        return record->event_count;
    }
    record->events = events;
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    record->events[record->event_count] = (sq__event_t){ .kind = kind, .column = column, .text = text, .usual = record->usual };
    record->usual = NULL;
    record->event_count += 1;
    return record->event_count - 1;
}

void sq__record_rename(sq__record_t *record, size_t event, const char *text) {
    char *copy = event < record->event_count ? sq__copy_text(text) : NULL;
    if (copy != NULL) {
        sq__memory_free(record->events[event].text);
        record->events[event].text = copy;
    }
}

void sq__record_unusual(sq__record_t *record, char *usual) {
    sq__memory_free(record->usual);
    record->usual = usual;
}

/* A failure's message may name threads and addresses. */
static bool is_same(const sq__event_t *one, const sq__event_t *other) {
    if (one->kind != other->kind || one->kind == SQ__EVENT_FAILS) {
        return one->kind == other->kind;
    }
    return one->text != NULL && other->text != NULL && strcmp(one->text, other->text) == 0;
}

size_t sq__record_difference(const sq__record_t *one, const sq__record_t *other) {
    size_t shorter = one->event_count < other->event_count ? one->event_count : other->event_count, at = 0;
    while (at < shorter && is_same(&one->events[at], &other->events[at])) {
        at += 1;
    }
    return at;
}
