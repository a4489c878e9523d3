#include "state/queue_lock.h"

#include "thread/locks.h"
#include "thread/process.h"

static sq__locks_t locks = SQ__LOCKS_INIT;

void sq__lock(const sq_queue_t *queue) { sq__locks_take(&locks, queue); }
void sq__unlock(const sq_queue_t *queue) { sq__locks_release(&locks, queue); }

void sq__lock_all(void) {
    for (unsigned i = 0; i < SQ__LOCKS; i += 1) {
        sq__mutex_lock(&locks.of[i].mutex);
    }
}

void sq__unlock_all(void) {
    for (unsigned i = 0; i < SQ__LOCKS; i += 1) {
        sq__mutex_unlock(&locks.of[i].mutex);
    }
}

SQ__AROUND_FORK(SQ__RANK_QUEUES, .locks = &locks)
