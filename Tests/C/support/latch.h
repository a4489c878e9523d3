/* latch.h: what causes the order of events in a test, and a task that holds a queue still. */
#ifndef LATCH_H
#define LATCH_H

#include "serial_queue.h"

#include <pthread.h>

/* A number that only grows. A gate is a latch whose waiters wait for 1. May be on the stack of the last thread that waits. */
typedef struct latch {
    pthread_mutex_t mutex;
    pthread_cond_t grown;
    size_t value;
} latch_t;

#define LATCH_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }

void latch_bump(latch_t *latch);
void latch_wait(latch_t *latch, size_t value);
size_t latch_value(latch_t *latch);

/* A task that blocks its queue until it is released: tasks that are submitted meanwhile have to wait. */
typedef struct hold {
    latch_t entered, leave, left;
    pthread_t thread;
} hold_t;

#define HOLD_INIT { LATCH_INIT, LATCH_INIT, LATCH_INIT, 0 }

/* Returns when an async task, or a sync task of a thread of its own, stands in the queue. */
void hold_async(hold_t *hold, sq_queue_t *queue);
void hold_sync(hold_t *hold, sq_queue_t *queue);
/* Releases the task; when this returns, nothing refers to the hold any more. */
void hold_end(hold_t *hold);

/* Waits until `depth` tasks wait in the queue: the only sign that a sync on another thread has taken its place. */
void wait_for_depth(sq_queue_t *queue, size_t depth);

/* Waits until everything submitted before has run. */
void drain(sq_queue_t *queue);

/* Functions for tasks. `add_one` adds to the size_t behind the context. */
void do_nothing(void *context);
void add_one(void *context);

#endif
