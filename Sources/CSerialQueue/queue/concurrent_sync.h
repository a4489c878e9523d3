/* concurrent_sync.h: sync on a concurrent queue, as a reader or as a barrier. */
#pragma once

#include "include/sq_time.h"
#include "observe/observe.h"

/* As sq_sync_until, as a reader. The calling thread is in no task of the queue. `caller`: the call site. */
int sq__concurrent_sync(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);

/* The same as a barrier. */
int sq__concurrent_sync_barrier(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);

/* As a reader in a task of the queue: at once in a reader, EDEADLK in a barrier. `doing` is for the report. */
int sq__concurrent_sync_inside(sq_queue_t *queue, const char *doing, sq_function_t function, void *context, const void *caller);
