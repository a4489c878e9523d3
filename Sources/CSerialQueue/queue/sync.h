/* sync.h: the part of sq_sync_or_run that needs no second queue. */
#pragma once

#include "include/sq_private.h"
#include "include/sq_sync.h"

/* sq_sync_or_run, but returns ESHUTDOWN on a queue that was shut down, if the caller is not in a task of it (after_end.h). */
int sq__sync_or_run_before_end(sq_queue_t *queue, sq_function_t function, void *context, const void *caller);
