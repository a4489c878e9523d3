/* log.h: what happened, when, and on which thread. */
#ifndef LOG_H
#define LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_CALLERS = 8, TASKS_PER_CALLER = 5, MOST_TASKS = MOST_CALLERS * TASKS_PER_CALLER };

/* One more than there should be: if async tasks run on two threads, both get a column. */
enum { MOST_THREADS = MOST_CALLERS + 2 };

typedef enum moment { SUBMITS, RETURNED, RUNS, DONE } moment_t;

typedef struct task {
    char name[8];
    bool is_sync;
    size_t caller; /* its thread's number */
} task_t;

typedef struct event {
    double microseconds; /* since the first one */
    moment_t moment;
    size_t task, thread;
} event_t;

/* The mutex puts the events of all threads in one order, each with the time it was put there. */
typedef struct record {
    pthread_mutex_t mutex;
    task_t tasks[MOST_TASKS];
    size_t task_count, caller_count;
    pthread_t threads[MOST_THREADS]; /* the callers, then other threads as they appear */
    size_t thread_count;
    event_t events[4 * MOST_TASKS + 1]; /* room for one too many: a task that ran twice is to be seen */
    size_t event_count;
    double began;
} record_t;

double microseconds_now(void);

/* Notes that it happens now, on the calling thread. */
void record_event(record_t *record, moment_t moment, size_t task);

/* Makes the calling thread the caller with this number. */
void record_caller(record_t *record, size_t caller);

/* Prints the record: a column for each thread, a row for each event but RETURNED. */
void timeline_print(const record_t *record);

/* True if what is recorded is what a serial queue promises; else sentences on stderr say what is not. */
bool check_order(const record_t *record);

#endif
