/* timeline.c: the record as a picture.
 *
 *       us  A             queue's thread
 *        0  async 1
 *        8  sync 2                         waits for 1
 *       60  :             [ 1 runs
 *      361  :             ] 1 done
 *      371  [ 2 runs
 *      672  ] 2 done
 *
 * A colon marks a sync that waits for its turn, a bar a task that runs. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COLUMN = 12 };

/* The mark in a column without an event in this row: the state of its thread. */
static const char *state_mark(const record_t *record, size_t thread, size_t row) {
    for (size_t i = row; i-- > 0;) {
        const event_t *event = &record->events[i];
        if (event->thread != thread || event->moment == RETURNED) continue;
        if (event->moment == RUNS) return "|";
        return event->moment == SUBMITS && record->tasks[event->task].is_sync ? ":" : "";
    }
    return "";
}

/* Prints without the blanks at the end. */
static void print_line(const char *line) {
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') length--;
    printf("%.*s\n", (int)length, line);
}

/* A line under construction: text is appended as printf would print it. */
typedef struct line {
    char text[MOST_THREADS * (COLUMN + 2) + MOST_TASKS * 4 + 64];
    size_t length;
} line_t;

static void append(line_t *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(line_t *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->length, sizeof line->text - line->length, format, arguments);
    va_end(arguments);
    line->length += (size_t)length;
    if (line->length >= sizeof line->text) line->length = sizeof line->text - 1;
}

/* Names the tasks that were done between a sync's submission, in this row, and its own turn. */
static void append_waits(line_t *line, const record_t *record, size_t row) {
    const char *before = "  waits for";
    for (size_t i = row; i < record->event_count; i++) {
        const event_t *event = &record->events[i];
        if (event->moment == RUNS && event->task == record->events[row].task) break;
        if (event->moment != DONE) continue;
        append(line, "%s %s", before, record->tasks[event->task].name);
        before = "";
    }
}

static void print_row(const record_t *record, size_t row) {
    const event_t *event = &record->events[row];
    const task_t *task = &record->tasks[event->task];
    const char *call = task->is_sync ? "sync" : "async";
    line_t line = {.length = 0};
    char cell[32];
    append(&line, "%8.0f", event->microseconds);
    for (size_t thread = 0; thread < record->thread_count; thread++) {
        if (thread != event->thread) snprintf(cell, sizeof cell, "%s", state_mark(record, thread, row));
        else if (event->moment == SUBMITS) snprintf(cell, sizeof cell, "%s %s", call, task->name);
        else if (event->moment == RUNS) snprintf(cell, sizeof cell, "[ %s runs", task->name);
        else snprintf(cell, sizeof cell, "] %s done", task->name);
        append(&line, "  %-*s", COLUMN, cell);
    }
    if (event->moment == SUBMITS && task->is_sync) append_waits(&line, record, row);
    print_line(line.text);
}

static void print_header(const record_t *record) {
    line_t line = {.length = 0};
    append(&line, "%8s", "us");
    for (size_t i = 0; i < record->thread_count; i++) {
        char letter[] = "thread A";
        const char *name = letter;
        letter[7] = (char)('A' + i);
        if (record->caller_count == 1) name = "main";
        if (i >= record->caller_count) name = i == record->caller_count ? "queue's thread" : "?";
        append(&line, "  %-*s", COLUMN, name);
    }
    print_line(line.text);
}

void timeline_print(const record_t *record) {
    print_header(record);
    for (size_t row = 0; row < record->event_count; row++)
        if (record->events[row].moment != RETURNED) print_row(record, row);
    printf("\n     ran");
    for (size_t row = 0; row < record->event_count; row++)
        if (record->events[row].moment == RUNS) printf(" %s", record->tasks[record->events[row].task].name);
    putchar('\n');
}
