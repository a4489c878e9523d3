/* call_sites.h: the sites of a queue's tasks, while it is traced or watched (trace/sites.h).
 *
 * DESIGN. An unwatched, untraced queue stores nothing: the paths of a task look at its control anyway. What a call pays is that it passes
 * on its return address. */
#pragma once

#include "state/queue.h"
#include "trace/trace.h"

static inline bool sq__is_sited(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__SITED, 0);
}

/* L. The queue is about to be traced or watched: an era begins, unless one is under way. False: no memory. */
bool sq__sited_begin(sq_queue_t *queue);

/* Stores the site of a task or call under the place where it waits. The queue is sited. */
void sq__sited_put(const sq_queue_t *queue, uintptr_t where, const void *site);

/* Removes and returns the site of the task that was in this place; NULL: not known. The queue is sited. */
const void *sq__sited_take(const sq_queue_t *queue, uintptr_t where);
