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
 * A colon stands under a sync that waits for its turn, a bar under a task that runs. */
#include "log.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN = 12 };

static const char *const moment_format[] = {
    [SUBMITS] = "%s %s", [RUNS] = "[ %s runs", [DONE] = "] %s done"};

/* What stands in a column in which nothing happens in this row: the state its thread is in. */
static const char *state_mark(const record_t *record, size_t thread, size_t row) {
    for (size_t i = row; i-- > 0;) {
        const event_t *event = &record->events[i];
        if (event->thread != thread || event->moment == RETURNED) continue;
        if (event->moment == RUNS) return "|";
        return event->moment == SUBMITS && record->tasks[event->task].is_sync ? ":" : "";
    }
    return "";
}

static bool happened(const record_t *record, moment_t moment, size_t task, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (record->events[i].moment == moment && record->events[i].task == task) return true;
    return false;
}

/* Names the tasks that were done between a sync's submission, in this row, and its own turn. */
static void print_waits(const record_t *record, size_t row) {
    size_t task = record->events[row].task, turn = row;
    const char *before = "  waits for";
    while (turn < record->event_count && !happened(record, RUNS, task, turn, turn + 1)) turn++;
    for (size_t i = row; i < turn; i++) {
        if (record->events[i].moment != DONE) continue;
        printf("%s %s", before, record->tasks[record->events[i].task].name);
        before = "";
    }
}

static void print_row(const record_t *record, size_t row) {
    const event_t *event = &record->events[row];
    const task_t *task = &record->tasks[event->task];
    char line[MOST_THREADS * (COLUMN + 2) + 32], cell[32];
    int used = snprintf(line, sizeof line, "%8.0f", event->microseconds);
    for (size_t thread = 0; thread < record->thread_count; thread++) {
        if (thread != event->thread) snprintf(cell, sizeof cell, "%s", state_mark(record, thread, row));
        else if (event->moment == SUBMITS) snprintf(cell, sizeof cell, "%s %s", task->is_sync ? "sync" : "async", task->name);
        else snprintf(cell, sizeof cell, moment_format[event->moment], task->name);
        used += snprintf(line + used, sizeof line - (size_t)used, "  %-*s", COLUMN, cell);
    }
    bool has_note = event->moment == SUBMITS && task->is_sync;
    while (!has_note && line[used - 1] == ' ') used--;
    printf("%.*s", used, line);
    if (has_note) print_waits(record, row);
    putchar('\n');
}

void timeline_print(const record_t *record) {
    printf("%8s", "us");
    for (size_t i = 0; i < record->thread_count; i++) {
        char name[32];
        if (i >= record->caller_count) snprintf(name, sizeof name, "%s", i == record->caller_count ? "queue's thread" : "?");
        else if (record->caller_count == 1) snprintf(name, sizeof name, "main");
        else snprintf(name, sizeof name, "thread %c", (char)('A' + i));
        printf("  %-*s", COLUMN, name);
    }
    putchar('\n');
    for (size_t row = 0; row < record->event_count; row++)
        if (record->events[row].moment != RETURNED) print_row(record, row);
    printf("\n     ran");
    for (size_t row = 0; row < record->event_count; row++)
        if (record->events[row].moment == RUNS) printf(" %s", record->tasks[record->events[row].task].name);
    putchar('\n');
}
