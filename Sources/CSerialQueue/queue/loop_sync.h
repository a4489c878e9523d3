/* loop_sync.h: sync and async_and_wait on a queue of a loop.
 *
 * DESIGN. Only the loop's owner runs the tasks of such a queue. So a sync of another thread becomes an AWAITED, as in sq_run_and_wait: the owner
 * runs the function. A sync of the owner runs its function in place. If tasks wait in the queue, the owner takes a slot behind
 * them and runs them first, as in every wait for a queue of its own loop (wait/wait.h). */
#pragma once

#include "state/queue.h"

/* The queue is on a loop, and the calling thread is in no task of it. Returns what sq_sync_until returns. */
int sq__loop_sync(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);
