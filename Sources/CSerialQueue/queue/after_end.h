/* after_end.h: sq_sync_or_run, on a queue that may have been shut down.
 *
 * DESIGN. The sq_sync_or_run of a destructor cannot be refused. On a queue that is shut down it first waits for the end. Calls after
 * that exclude each other by a second queue, the successor: it is used for syncs only, so it has no thread; the first call creates
 * it, and it is freed with the queue. Each function runs as a task of the ended queue, inside one of the successor. So the ended
 * queue is the current one, and the search for deadlocks finds both; they have one label. */
#ifndef SQ__QUEUE_AFTER_END_H
#define SQ__QUEUE_AFTER_END_H

#include "kernel/queue.h"

/* sq_sync_or_run without the part after the end: returns ESHUTDOWN then. Swift calls it: there an actor's late jobs, which C does
 * not have, share one order with the functions that run after the end. */
int sq__sync_or_run_before_end(sq_queue_t *queue, sq_function_t function, void *context);

#endif
