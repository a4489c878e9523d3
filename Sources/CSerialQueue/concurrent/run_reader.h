/* run_reader.h: running a function as a task of a concurrent queue, on the calling thread. */
#pragma once

#include "kernel/run_task.h"

/* sq__reader_run on a queue that is watched, traced or measured. */
void sq__reader_run_observed(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site, bool begins);

/* Calls `function(context)` as a task of the queue, which a watcher, a trace or a histogram may want to know of. `begins`: as in
 * sq__run_in_chain; `submitted`: as in sq__run_turn, or 0: it is part of another task. `site`: as there. Counting is the caller's. */
static inline void sq__reader_run(sq_queue_t *queue, bool begins, uint64_t submitted, sq_function_t function, void *context,
                                  const void *site) {
    SQ__PROBE_START(queue, function, context);
    if (__builtin_expect(sq__load_relaxed(&queue->control) & SQ__NOTED, 0)) {
        sq__reader_run_observed(queue, submitted, function, context, site, begins);
    } else {
        sq__run_in_chain(queue, begins, function, context);
    }
    SQ__PROBE_END(queue);
}
