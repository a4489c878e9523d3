/* sync.h: the public calls of sync.c, for a caller that is not the one to be shown.
 *
 * DESIGN. A call that waits, or runs on the calling thread, is shown in dumps and traces with the return address of the public call. The
 * public calls that are made of others pass on their own, and so does the Swift layer, which declares these functions itself. */
#ifndef SQ__QUEUE_SYNC_H
#define SQ__QUEUE_SYNC_H

#include "include/sq_sync.h"

int sq__sync_from(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);
int sq__sync_barrier_from(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);
int sq__async_and_wait_from(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);

/* sq_sync_or_run, but returns ESHUTDOWN on a queue that was shut down, if the caller is not in a task of it (after_end.h). */
int sq__sync_or_run_before_end(sq_queue_t *queue, sq_function_t function, void *context, const void *caller);

#endif
