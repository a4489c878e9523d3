/* drive.h: runs a program on the real queues and on the model. */
#ifndef FUZZ_DRIVE_H
#define FUZZ_DRIVE_H

#include "program.h"

#include "include/serial_queue.h"

#include <stdatomic.h>
#include <time.h>

/* What the parts of the driver share. All of it is under the lock of drive.c, except the arguments of the queue's calls. */
typedef struct drive {
    const program_t *program;
    sq_pool_t *pool;
    sq_queue_t *queues[QUEUES];
    bool held[QUEUES];          /* a task of the queue's waits for DO_UNHOLD */
    bool unhold[QUEUES];
    atomic_int waiters[QUEUES]; /* calls that wait, each with a reference that is its caller's until it returns */
    bool ending;                /* no task is held any more */
    int watchers[QUEUES];       /* how many watchers were not discarded */
    bool waiting[OPERATIONS];   /* a thread of waiter.c still waits, for this operation */
} drive_t;

extern drive_t drive;

void drive_run(const program_t *program);

/* The lock around the model; drive_wake wakes the threads in drive_wait. */
void drive_lock(void);
void drive_unlock(void);
void drive_wake(void);
/* In seconds, on the monotonic clock. */
time_t drive_now(void);
/* With the lock: waits until it holds; ends the program after half a minute. */
void drive_wait(bool (*holds)(int), int argument, const char *what);

/* Carries out the operations of a list, on behalf of a task of `queue`, or -1: of none. */
void drive_operations(int first);

/* Is a task of this queue on the calling thread's stack? */
bool drive_is_inside(int queue);
/* Is it in the innermost chain? A task that the thread runs in place of another one begins a chain: calls that ask which queues
 * the caller is on do not look further out. */
bool drive_is_current(int queue);
/* A task of the queue's runs, and will not end before DO_UNHOLD. */
bool drive_is_held(int queue);
/* This operation can be carried out here. */
bool drive_is_legal(const operation_t *operation);

/* The innermost task is on a queue with a thread of its own, or one further out is. */
bool drive_is_on_threaded(void);

/* One operation: calls.c, control.c, many.c. */
void call_submission(int id);
void call_control(int id);
void call_many(int id);

/* many.c: the objects. */
void many_begin(void);
bool many_is_legal(const operation_t *operation);
/* The queue of the operation's task. */
int many_queue_of(int id);
/* With the lock: a task has run, or was discarded by its queue. */
void many_task_is_over(int id);
/* Waits until the library's objects are as the model says. */
void many_wait_for_rest(void);
/* At the end: releases items and takes members away. False: there was nothing to do. */
bool many_finish(void);
void many_end(void);

/* What a submitted task is called with: the address of its operation. */
void task_runs(void *context);
void task_discarded(void *context);
/* The function of a sync_or_run after the end of its queue. */
void task_runs_late(void *context);
int id_of(const void *context);

/* rest.c: waits until the queues do nothing more by themselves. */
void drive_come_to_rest(void);
/* At rest: fails unless the queue counts what the model does. */
void drive_check_stats(int queue);

/* waiter.c: a thread that waits in a sync. */
void waiter_start(int id);
void waiter_end_all(void);

/* famine.c: the nth allocation or thread creation that this thread asks for fails; 0: none. Returns whether it came to that. */
void famine_begin(unsigned nth);
bool famine_end(void);

#endif
