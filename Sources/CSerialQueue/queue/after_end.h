/* after_end.h: sq_sync_or_run, on a queue that may have been shut down.
 *
 * DESIGN. The sq_sync_or_run of a destructor cannot be refused. On a queue that is shut down it first waits for the end. After that
 * a second queue, the successor, makes the calls exclude each other. It is used for syncs only, so it has no thread. The first such
 * call creates it, and it is freed with the queue. Each function runs as a task of the ended queue, inside one of the successor. So the ended
 * queue is the current one, and the search for deadlocks finds both; they have one label. */
#ifndef SQ__QUEUE_AFTER_END_H
#define SQ__QUEUE_AFTER_END_H

#include "state/extras.h"

typedef struct sq__after_end {
    sq_queue_t *successor; /* L  NULL: there was none yet */
} sq__after_end_t;

/* The successor; NULL: there is none. No other thread has the queue. */
static inline sq_queue_t *sq__after_end_successor(const sq_queue_t *queue) {
    const sq__after_end_t *after = sq__extra(queue, SQ__EXTRA_AFTER_END);
    return after != NULL ? after->successor : NULL;
}

/* sq_sync_or_run, but returns ESHUTDOWN after the end of the queue. The Swift layer calls it: there the functions that run after the end
 * share one order with an actor's late jobs, which C does not have. */
int sq__sync_or_run_before_end(sq_queue_t *queue, sq_function_t function, void *context, const void *caller);

#endif
