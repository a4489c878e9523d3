/* queue_runner.h: what runs a queue's asynchronous tasks: a worker of its own, or a pool.
 *
 * DESIGN. To a pool a queue is a ready entry, posted where a worker of the queue's own would be. The queue has a reference to
 * its pool. */
#pragma once

#include "state/queue.h"
#include "observe/trace_hooks.h"

#include <errno.h>

/* Fixes the queue's targets, and starts its worker if it has neither one nor a target. Returns 0 and *runner, ENOMEM or ESHUTDOWN. */
int sq__runner_start(sq_queue_t *queue, sq__runner_t *runner);

/* Makes sure that the queue has its runner, before a task for it is accepted. Returns 0 and *runner, ENOMEM, ESHUTDOWN or
 * ESTALE. If a trace is under way, the queue records from now on. */
static inline __attribute__((always_inline)) int sq__runner_find(sq_queue_t *queue, sq__runner_t *runner) {
    *runner = sq__load_acquire(&queue->runner); /* [worker] acquire: the worker's fields */
    if (__builtin_expect(queue->process != sq__load_relaxed(&sq__process_if_quiet), 0)) {
        if (sq__queue_is_stale(queue)) {
            return ESTALE;
        }
        sq__trace_hook_begin(queue);
    }
    return __builtin_expect(*runner != 0, 1) ? 0 : sq__runner_start(queue, runner);
}

/* O. Passes the baton on, by a thread that does not run asynchronous tasks. The caller does not touch the queue again unless
 * it has a reference. */
void sq__baton_pass(sq_queue_t *queue);

/* What a pool does with a queue that is ready. */
sq__ready_end_t sq__run_queue(sq__ready_t *ready, size_t batch, size_t *ran);
