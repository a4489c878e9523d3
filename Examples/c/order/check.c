/* check.c: the promises of a serial queue, held against a record. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

/* The index of an event in the record; event_count if it is not there. */
static size_t place(const record_t *record, moment_t moment, size_t task) {
    size_t i = 0;
    while (i < record->event_count && !(record->events[i].moment == moment && record->events[i].task == task)) i++;
    return i;
}

static bool broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool broken(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("order: broken promise: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

static bool each_ran_once(const record_t *record) {
    bool holds = true;
    for (size_t task = 0; task < record->task_count; task++) {
        size_t runs = 0, done = 0;
        for (size_t i = 0; i < record->event_count; i++) {
            if (record->events[i].task != task) continue;
            runs += record->events[i].moment == RUNS;
            done += record->events[i].moment == DONE;
        }
        if (runs != 1 || done != 1)
            holds = broken("task %s began %zu times and ended %zu times", record->tasks[task].name, runs, done);
    }
    return holds;
}

static bool one_at_a_time(const record_t *record) {
    const event_t *running = NULL;
    for (size_t i = 0; i < record->event_count; i++) {
        const event_t *event = &record->events[i];
        if (event->moment == RUNS) {
            if (running != NULL)
                return broken("%s began while %s ran", record->tasks[event->task].name,
                              record->tasks[running->task].name);
            running = event;
        } else if (event->moment == DONE) {
            running = NULL;
        }
    }
    return true;
}

/* A task whose submission was over when another's began runs before it, whichever threads they came from. */
static bool in_order(const record_t *record) {
    bool holds = true;
    for (size_t first = 0; first < record->task_count; first++) {
        for (size_t second = 0; second < record->task_count; second++) {
            bool is_before = place(record, RETURNED, first) < place(record, SUBMITS, second);
            if (is_before && place(record, RUNS, first) > place(record, RUNS, second))
                holds = broken("%s ran before %s, which was submitted before it", record->tasks[second].name,
                               record->tasks[first].name);
        }
    }
    return holds;
}

static bool on_the_right_thread(const record_t *record) {
    bool holds = true;
    for (size_t i = 0; i < record->event_count; i++) {
        const event_t *event = &record->events[i];
        const task_t *task = &record->tasks[event->task];
        if (event->moment != RUNS) continue;
        if (task->is_sync && event->thread != task->caller)
            holds = broken("sync %s did not run on its caller's thread", task->name);
        if (!task->is_sync && event->thread != record->caller_count)
            holds = broken("async %s did not run on the queue's own thread", task->name);
    }
    return holds;
}

/* A sync returns when its task is done, not before. */
static bool sync_waited(const record_t *record) {
    bool holds = true;
    for (size_t task = 0; task < record->task_count; task++)
        if (record->tasks[task].is_sync && place(record, RETURNED, task) < place(record, DONE, task))
            holds = broken("sync %s returned before it was done", record->tasks[task].name);
    return holds;
}

bool check_order(const record_t *record) {
    if (!each_ran_once(record)) return false; /* what follows looks up when each task ran */
    bool holds = one_at_a_time(record);
    holds &= in_order(record);
    holds &= on_the_right_thread(record);
    holds &= sync_waited(record);
    return holds;
}
