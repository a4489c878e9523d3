#include "state/lock.h"

#include "thread/locks.h"
#include "thread/process.h"

static sq__locks_t locks = SQ__LOCKS_INIT;

void sq__lock(const sq_queue_t *queue) { sq__locks_take(&locks, queue); }
void sq__unlock(const sq_queue_t *queue) { sq__locks_release(&locks, queue); }

static void take_all(void) { sq__locks_take_all(&locks); }

static void release_all(bool in_child) {
    (void)in_child;
    sq__locks_release_all(&locks);
}

static __attribute__((constructor)) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_QUEUES, take_all, release_all);
}
