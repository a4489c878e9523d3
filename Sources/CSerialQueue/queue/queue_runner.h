/* queue_runner.h: a queue and its runner (runner/runner.h).
 *
 * DESIGN. To the cache a queue is a client (thread/cache.h), to the other kinds a ready entry. The queue has a reference to its pool. */
#pragma once

#include "observe/observe.h"
#include "queue/queue.h"

#include <errno.h>

/* Fixes the queue's targets, and makes it a client of the cache if it has no runner and no target. Returns 0, ENOMEM or ESHUTDOWN. Takes the lock. */
int sq__runner_start(sq_queue_t *queue);

/* Makes sure that the queue has its runner, before a task for it is accepted. Returns 0, ENOMEM, ESHUTDOWN or ESTALE. If a trace is
 * under way, the queue records from now on. */
static inline __attribute__((always_inline)) int sq__runner_find(sq_queue_t *queue) {
    if (__builtin_expect(queue->process != sq__load_relaxed(&sq__process_if_quiet), 0)) {
        if (sq__queue_is_stale(queue)) {
            return ESTALE;
        }
        sq__trace_hook_begin(queue);
    }
    /* [worker] acquire: the client's fields */
    return __builtin_expect(sq__load_acquire(&queue->runner) != 0, 1) ? 0 : sq__runner_start(queue);
}
