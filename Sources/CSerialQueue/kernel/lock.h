/* lock.h: the lock for what is rare.
 *
 * DESIGN. Starting the worker, suspending, shutting down: all that is not a step of a task's life happens under a lock. It is
 * one of a few that all queues share, chosen by the queue's address: a lock in each queue would be 40 bytes, and it must
 * outlive the queue for the thread that ends it.
 *
 * Lock order: a queue's lock, then the list of enders (shutdown.c), then the watching thread's (watch_thread.c), then the lock of the waits (deadlock.c), then one of many/lock.c, then the list of tokens, then a token's. A capacity's
 * lock (capacity.c) is taken with no other held. User code never runs under any. */
#ifndef SQ__KERNEL_LOCK_H
#define SQ__KERNEL_LOCK_H

#include "kernel/queue.h"

void sq__lock(const sq_queue_t *queue);
void sq__unlock(const sq_queue_t *queue);

/* Changes queue->control; with the queue's lock. */
static inline void sq__control(sq_queue_t *queue, uint32_t clear, uint32_t set) {
    /* [watch] release: the note, for the holder that sees SQ__WATCHED, whichever change it sees. [control] comes with the
     * swap of the state word that follows. */
    sq__store_release(&queue->control, (uint16_t)((sq__load_relaxed(&queue->control) & ~clear) | set));
}

/* All of them, around a fork. */
void sq__lock_all(void);
void sq__unlock_all(void);

#endif
