/* complete.h: the end of a task that took a free queue. */
#ifndef SQ__QUEUE_COMPLETE_H
#define SQ__QUEUE_COMPLETE_H

#include "queue/owner.h"

/* O. `free` is the state that the queue had when the caller took it. The caller does not touch the queue again unless it has
 * a reference. */
static inline void sq__complete_alone(sq_queue_t *queue, sq__state_t free) {
    sq__state_t state = free | SQ__OWNED;
    /* [own] release: what the task wrote. It fails if meanwhile something was queued, or the last reference was given up. */
    if (__builtin_expect(!sq__cas_release(&queue->state, &state, free), 0)) {
        sq__owner_pass(queue);
    }
}

#endif
