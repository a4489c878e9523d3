/* run_async.h: the async tasks of a concurrent queue, on the threads of its pool. */
#pragma once

#include "kernel/run_task.h"

/* Called by the pool with the queue's entry; returns as sq__run_tasks. */
sq__next_t sq__concurrent_run(sq_queue_t *queue, size_t most, size_t *ran);
