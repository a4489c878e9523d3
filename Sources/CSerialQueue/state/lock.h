/* lock.h: the lock for what a queue does rarely.
 *
 * DESIGN. Starting the worker, suspending, shutting down: everything that is not a step of a task's life happens under a lock, one
 * of a few that all queues share (locks.h). The lock outlives the queue, so the thread that ends the queue can release it. The lock order is in
 * process.h. */
#ifndef SQ__STATE_LOCK_H
#define SQ__STATE_LOCK_H

#include "state/queue.h"

void sq__lock(const sq_queue_t *queue);
void sq__unlock(const sq_queue_t *queue);

/* Changes queue->control; with the queue's lock. */
static inline void sq__control(sq_queue_t *queue, uint32_t clear, uint32_t set) {
    /* [watch] release: the note, for the holder that sees SQ__WATCHED, whichever change it sees. [control] comes with
     * the swap of the state word that follows. */
    sq__store_release(&queue->control, (uint16_t)((sq__load_relaxed(&queue->control) & ~clear) | set));
}

#endif
