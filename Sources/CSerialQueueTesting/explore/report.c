#include "explore/report.h"

#include "platform/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COLUMN = 18, MOST_ROWS = 120, AROUND = 3, AT_THE_END = 60, LONGEST_MESSAGE = 60 };

typedef struct text {
    char *bytes;
    size_t used, room;
    bool has_no_memory;
} text_t;

static void add(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends to the text. Without memory nothing is appended, and has_no_memory is set. */
static void add(text_t *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t length = (size_t)vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (text->used + length + 1 > text->room) {
        size_t room = 2 * (text->used + length + 1);
        char *bytes = sq__memory(room);
        if (bytes == NULL) {
            text->has_no_memory = true;
            va_end(arguments);
            return;
        }
        memcpy(bytes, text->bytes != NULL ? text->bytes : "", text->used);
        sq__memory_free(text->bytes);
        text->bytes = bytes;
        text->room = room;
    }
    vsnprintf(text->bytes + text->used, length + 1, format, arguments);
    text->used += length;
    va_end(arguments);
}

/* Ends the line, without the blanks at its end. */
static void end_line(text_t *text) {
    while (text->used > 0 && text->bytes[text->used - 1] == ' ') {
        text->used -= 1;
    }
    add(text, "\n");
}

/* The timeline */

/* True: the event begins a task that ends at once, and both take one row. */
static bool is_whole(const sq__record_t *record, size_t row) {
    const sq__event_t *event = &record->events[row];
    return event->kind == SQ__EVENT_STARTS && row + 1 < record->event_count && event[1].kind == SQ__EVENT_ENDS
           && event[1].column == event->column;
}

/* The mark in a column without an event in this row. */
static const char *mark_of(const sq__record_t *record, size_t column, size_t row) {
    for (size_t i = row; i-- > 0;) {
        const sq__event_t *event = &record->events[i];
        if (event->column == column && event->kind != SQ__EVENT_FAILS) {
            return event->kind == SQ__EVENT_WAITS ? ":" : event->kind == SQ__EVENT_ENDS || column == 0 ? "" : "|";
        }
    }
    return "";
}

/* Adds the words of the event in its column. */
static void add_event(text_t *text, const sq__record_t *record, size_t row) {
    static const char *const forms[] = { [SQ__EVENT_STARTS] = "[ %s", [SQ__EVENT_ENDS] = "] %s", [SQ__EVENT_WAITS] = ": %s",
                                         [SQ__EVENT_CONTINUES] = "| %s", [SQ__EVENT_HAPPENS] = "%s",
                                         [SQ__EVENT_FAILS] = "FAILS: %s" };
    const sq__event_t *event = &record->events[row];
    char form[16];
    snprintf(form, sizeof form, "%s%s", event->kind == SQ__EVENT_HAPPENS && event->column != 0 ? "| " : "", forms[event->kind]);
    const char *words = event->text != NULL ? event->text : "";
    bool is_long = event->kind == SQ__EVENT_FAILS && strlen(words) > LONGEST_MESSAGE; /* the head of the report has it */
    add(text, "%.*s%.*s%s", (int)(strstr(form, "%s") - form), form, is_long ? LONGEST_MESSAGE : (int)strlen(words), words,
        is_long ? "..." : is_whole(record, row) ? " ]" : "");
}

/* Adds the row of an event: its words in its column, and marks in the others. `number`: that of the row, as shown. */
static void add_row(text_t *text, const sq__record_t *record, size_t row, size_t number) {
    const sq__event_t *event = &record->events[row];
    size_t begins = text->used;
    add(text, " %s%4zu  ", event->usual != NULL ? "*" : " ", number);
    size_t base = text->used - begins;
    for (size_t column = 0; column < record->column_count && !text->has_no_memory; column += 1) {
        size_t at = base + column * COLUMN;
        if (text->used - begins > at) {
            continue; /* the event's text covers this column */
        }
        add(text, "%*s", (int)(at - (text->used - begins)), "");
        if (column == event->column) {
            add_event(text, record, row);
            add(text, " ");
        } else {
            add(text, "%s", mark_of(record, column, row));
        }
    }
    end_line(text);
}

/* False: the record is long, and this row is neither near its begin or end, nor near an unusual decision. */
static bool is_shown(const sq__record_t *record, size_t row) {
    if (record->event_count <= MOST_ROWS || row < AROUND || row + AT_THE_END >= record->event_count) {
        return true;
    }
    size_t first = row > AROUND ? row - AROUND : 0;
    for (size_t i = first; i <= row + AROUND && i < record->event_count; i += 1) {
        if (record->events[i].usual != NULL) {
            return true;
        }
    }
    return false;
}

static const char *label_of(const sq__record_t *record, size_t column) {
    const char *label = record->columns[column].label;
    return label != NULL ? label : "?";
}

/* The length of what the labels with dots share up to a dot, "com.example.": a head is short, and it tells none from another. */
static size_t shared_prefix(const sq__record_t *record) {
    const char *first = NULL;
    size_t length = 0;
    for (size_t column = 0; column < record->column_count; column += 1) {
        const char *label = label_of(record, column), *dot = strrchr(label, '.');
        if (dot == NULL) {
            continue;
        }
        length = first == NULL ? (size_t)(dot + 1 - label) : length;
        first = first == NULL ? label : first;
        while (length > 0 && (strncmp(first, label, length) != 0 || first[length - 1] != '.' || label[length] == '\0')) {
            length -= 1;
        }
    }
    return length;
}

/* The column's label without what `shared_prefix` has found, unless another column would have the same head. */
static const char *head_of(const sq__record_t *record, size_t column, size_t prefix) {
    const char *label = label_of(record, column);
    const char *head = strchr(label, '.') != NULL ? label + prefix : label;
    for (size_t i = 0; i < record->column_count && head != label; i += 1) {
        if (i != column && strcmp(label_of(record, i), head) == 0) {
            return label; /* another column has this head */
        }
    }
    return head;
}

/* Adds the heads of the columns and the rows. */
static void add_timeline(text_t *text, const sq__record_t *record) {
    size_t prefix = shared_prefix(record);
    add(text, "\n  step  ");
    for (size_t column = 0; column < record->column_count; column += 1) {
        add(text, "%-*.*s ", COLUMN - 1, COLUMN - 2, head_of(record, column, prefix));
    }
    end_line(text);
    bool was_shown = true;
    for (size_t row = 0, number = 1; row < record->event_count; row += 1, number += 1) {
        bool shows = is_shown(record, row);
        if (shows) {
            add_row(text, record, row, number);
        } else if (was_shown) {
            add(text, "   ...\n");
        }
        was_shown = shows;
        row += is_whole(record, row);
    }
}

/* What matters */

/* Adds a sentence about each unusual decision, with the numbers of rows that the timeline has. */
static void add_unusual(text_t *text, const sq__record_t *record, const sq__search_t *search) {
    for (size_t row = 0, number = 1; row < record->event_count; row += 1, number += 1) {
        const sq__event_t *event = &record->events[row];
        if (event->usual != NULL) {
            bool is_test = event->column == 0;
            add(text, "\n  * At step %zu \"%s\" of %s%s%s came before %s.", number, event->text != NULL ? event->text : "?",
                is_test ? "the " : "queue \"", label_of(record, event->column), is_test ? "" : "\"", event->usual);
            if (search->is_minimal) {
                add(text, " If %s comes first there, the test %s.", event->usual,
                    search->other == NULL ? "passes" : "does not fail in this way");
            }
        }
        row += is_whole(record, row);
    }
    add(text, "\n");
}

/* Adds what failed, how it was found, and how it is repeated. */
static void add_head(text_t *text, const sq__search_t *search, const sq__run_t *run, const sq__finding_t *finding) {
    static const char *const strategies[] = { [SQ_EXPLORE_RANDOM] = "random", [SQ_EXPLORE_PCT] = "PCT",
                                              [SQ_EXPLORE_DEPTH_FIRST] = "depth first" };
    size_t unusual = sq__tape_unusual(&search->best);
    add(text, "%s failed: %s\n", finding->name, finding->message);
    if (search->is_replay) {
        add(text, "  replayed  %zu choices, %zu of them unusual\n", run->chooser.taken.length, unusual);
    } else {
        add(text, "  found by  schedule %llu (%s", (unsigned long long)search->runs, strategies[search->strategy]);
        if (search->strategy != SQ_EXPLORE_DEPTH_FIRST) {
            add(text, ", seed %llu", (unsigned long long)search->seed);
        }
        add(text, ")\n");
    }
    if (search->is_repeatable && !search->is_replay) {
        if (unusual == 0) {
            add(text, "  choices   none of %zu matters: it fails in the usual order, too\n", search->found_choices);
        } else {
            add(text, "  choices   %zu of %zu matter%s\n", unusual, search->found_choices, unusual == 1 ? "s" : "");
        }
    }
    if (finding->tape != NULL) {
        add(text, "  replay    SQ_TAPE='%s'\n", finding->tape);
    }
    if (search->difference != NULL) {
        add(text, "  NOT REPEATABLE: %s. Another thread, the clock, or random numbers of the test itself can be the reason.\n",
            search->difference);
    }
    if (search->other != NULL) {
        add(text, "  other     a similar schedule fails otherwise: %s\n", search->other);
    }
    if (run->outside > 0) {
        add(text, "  outside   %s\n", run->outside_note);
    }
    add(text, "%s", finding->notes);
}

char *sq__report_write(const sq__search_t *search, const sq__run_t *run, const sq__finding_t *finding) {
    text_t text = { 0 };
    add_head(&text, search, run, finding);
    if (!text.has_no_memory && run->record.event_count > 0 && run->record.column_count > 0) {
        add_timeline(&text, &run->record);
        add_unusual(&text, &run->record, search);
    }
    if (text.has_no_memory) {
        sq__memory_free(text.bytes);
        return NULL;
    }
    return text.bytes;
}
