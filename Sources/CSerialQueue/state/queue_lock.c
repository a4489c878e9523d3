#include "state/queue_lock.h"

#include "thread/locks.h"
#include "thread/process.h"

static sq__locks_t locks = SQ__LOCKS_INIT;

void sq__lock(const sq_queue_t *queue) { sq__locks_take(&locks, queue); }
void sq__unlock(const sq_queue_t *queue) { sq__locks_release(&locks, queue); }

void sq__lock_all(void) { sq__locks_each(&locks, sq__mutex_lock); }
void sq__unlock_all(void) { sq__locks_each(&locks, sq__mutex_unlock); }

SQ__AROUND_FORK(SQ__RANK_QUEUES, .locks = &locks)
