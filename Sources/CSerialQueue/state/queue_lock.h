/* queue_lock.h: the lock for what not every task needs.
 *
 * DESIGN. An async task or a sync takes no lock on its way. These happen under a lock: becoming a client of the cache of threads, suspending, shutting down; the
 * turn of each task that can be cancelled, and its cancellation (withdraw.h); each call and firing of a timer; each wait that shares a
 * slot (shared.h). It is one of a few locks that all queues share (locks.h). The lock outlives the queue, so the thread that ends the
 * queue can release it. The lock order is in process.h. */
#pragma once

#include "state/queue.h"

void sq__lock(const sq_queue_t *queue);
void sq__unlock(const sq_queue_t *queue);

/* Those of all queues. */
void sq__lock_all(void);
void sq__unlock_all(void);

/* Changes queue->control; with the queue's lock. */
static inline void sq__control(sq_queue_t *queue, uint32_t clear, uint32_t set) {
    /* [watch] release: the note, for the holder that sees SQ__WATCHED, whichever change it sees. [control] comes with
     * the swap of the state word that follows. */
    sq__store_release(&queue->control, (uint16_t)((sq__load_relaxed(&queue->control) & ~clear) | set));
}
