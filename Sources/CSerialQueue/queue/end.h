/* end.h: how a queue ends.
 *
 * DESIGN. CLOSED in the state word refuses submissions. The thread that comes to an empty queue with the baton, and finds it
 * CLOSED or released, ends it: it sets ENDED, stops the worker, wakes the threads that wait for the end, frees the
 * queue if nobody can have a reference, and calls the functions of the awaits. A closed queue never becomes free again, so ENDED is final.
 *
 * The awaits are taken from the queue before ENDED is set: a thread that finds ENDED may release the last reference, and free the queue. */
#pragma once

#include "include/sq_private.h"
#include "include/sq_shutdown.h"
#include "wait/wait.h"

/* On the stack of a thread that waits for the end. E under the lock of the list. */
typedef struct sq__ender {
    struct sq__ender *next; /* E */
    sq__wait_t wait;
} sq__ender_t;

/* The record of after_end.c; the successor that is left is freed with the queue. L */
typedef struct sq__after_end {
    sq_queue_t *successor; /* runs what comes after the shutdown; NULL: there is none now */
    size_t late_calls;     /* how many calls and jobs use it */
} sq__after_end_t;

/* L. Closes the queue, if it is not closed yet; SQ_SHUTDOWN_DISCARD: what waits is discarded. True: the caller now holds the baton, and passes it
 * after it has released the lock. */
bool sq__end_close(sq_queue_t *queue, sq_shutdown_mode_t mode);

/* O. The queue is empty, and CLOSED or released: ends it. No lock is held. Not `by_runner` and timers are pending: leaves the end to the runner. The
 * caller does not touch the queue again unless it has a reference; a worker that calls this ends itself afterwards. */
void sq__queue_end(sq_queue_t *queue, bool by_runner);

/* Frees a queue that has ended or is free, and has no reference: no thread uses it, and it is no client of the cache any more. No lock is held: calls
 * the release functions of its values. */
void sq__queue_dispose(sq_queue_t *queue);

/* Makes the record of awaits, so that sq__end_await does not fail. False: no memory. */
bool sq__end_prepare(sq_queue_t *queue);

/* L. The wait has begun, and the queue has not ended. */
void sq__enders_add(sq__ender_t *ender);

/* After the wait. False: the queue has ended. */
bool sq__enders_remove(sq__ender_t *ender);
