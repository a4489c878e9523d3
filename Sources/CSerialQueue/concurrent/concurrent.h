/* concurrent.h: running the tasks of a concurrent queue. admit.h has how the holder of its baton goes through the ring. */
#pragma once

#include "kernel/kernel_inline.h"

/* O. Leaves the baton to the pool. True: the caller posts the queue's entry; else it must not touch the queue again. */
bool sq__admit_by_pool(sq_queue_t *queue);

/* O. Admits what it can, and passes the baton on. True: the queue is empty and to end: the caller, which still holds the baton, ends it. That
 * cannot be while the caller is inside as a reader. */
bool sq__admit_pass(sq_queue_t *queue);

/* Called by the pool with the queue's entry, and the baton if sq__admit_has_threads is false. SQ__NEXT_TASK: the caller puts the entry back into its
 * list. SQ__NEXT_END: the caller holds the baton, and ends the queue. Else SQ__NEXT_GONE, also after a fork. Adds to *ran as sq__run_tasks. */
sq__next_t sq__concurrent_run(sq_queue_t *queue, size_t most, size_t *ran);

/* sq__reader_run on a queue that is watched, traced or measured. */
void sq__reader_run_observed(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site, bool begins);

/* Inside as a reader, or with the baton: calls `function(context)` as a task of the queue, which a watcher, a trace or a histogram may want to know
 * of. `begins`: as in sq__run_in_chain; `submitted`: as in sq__run_turn, or 0: it is part of another task. `site`: as there. Counting is the
 * caller's. */
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
