/* lock.h: the lock for what is rare.
 *
 * DESIGN. Starting the worker, suspending, shutting down: all that is not a step of a task's life happens under a lock. It is
 * one of a few that all queues share, chosen by the queue's address: a lock in each queue would be 40 bytes, and it must
 * outlive the queue for the thread that ends it.
 *
 * Lock order: a queue's lock, then the list of enders (shutdown.c), then the watching thread's (watch_thread.c), then the lock of the waits (deadlock.c), then the list of tokens, then a token's. A capacity's
 * lock (bound.c) is taken with no other held. User code never runs under any. */
#ifndef SQ__QUEUE_LOCK_H
#define SQ__QUEUE_LOCK_H

#include "queue/queue.h"

void sq__lock(const sq_queue_t *queue);
void sq__unlock(const sq_queue_t *queue);

/* All of them, around a fork. */
void sq__lock_all(void);
void sq__unlock_all(void);

#endif
