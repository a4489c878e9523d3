/* queue_lock.c: the lock for what not every task needs.
 *
 * DESIGN. An async task or a sync takes no lock on its way. These happen under a lock: becoming a client of the cache of threads, suspending,
 * shutting down; the turn of each task that can be cancelled, and its cancellation (withdraw.h); each call and firing of a timer; each wait that
 * shares a slot (shared.h). It is one of a few locks that all queues share (locks.h). The lock outlives the queue, so the thread that ends the queue
 * can release it. The lock order is in process.h. */
#include "state/state_inline.h"

#include "thread/locks.h"
#include "thread/process.h"

static sq__locks_t locks = SQ__LOCKS_INIT;

void sq__lock(const sq_queue_t *queue) { sq__locks_take(&locks, queue); }
void sq__unlock(const sq_queue_t *queue) { sq__locks_release(&locks, queue); }

void sq__lock_all(void) { sq__locks_each(&locks, sq__mutex_lock); }
void sq__unlock_all(void) { sq__locks_each(&locks, sq__mutex_unlock); }

SQ__AROUND_FORK(SQ__RANK_QUEUES, .locks = &locks)
