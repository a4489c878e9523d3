#include "kernel/lock.h"

#include "platform/memory.h"
#include "platform/mutex.h"

enum { LOCKS = 8 };

static struct {
    _Alignas(SQ__LINE) sq__mutex_t mutex;
} locks[LOCKS] = {
    { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT },
    { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT },
};

static sq__mutex_t *lock_of(const sq_queue_t *queue) { return &locks[(uintptr_t)queue / 256 % LOCKS].mutex; }

void sq__lock(const sq_queue_t *queue) { sq__mutex_lock(lock_of(queue)); }
void sq__unlock(const sq_queue_t *queue) { sq__mutex_unlock(lock_of(queue)); }

void sq__lock_all(void) {
    for (unsigned i = 0; i < LOCKS; i += 1) {
        sq__mutex_lock(&locks[i].mutex);
    }
}

void sq__unlock_all(void) {
    for (unsigned i = 0; i < LOCKS; i += 1) {
        sq__mutex_unlock(&locks[i].mutex);
    }
}
