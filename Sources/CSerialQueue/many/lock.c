#include "many/lock.h"

#include "platform/memory.h"
#include "platform/mutex.h"

enum { LOCKS = 8 };

static struct {
    _Alignas(SQ__LINE) sq__mutex_t mutex;
} locks[LOCKS] = {
    { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT },
    { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT },
};

static sq__mutex_t *lock_of(const void *object) { return &locks[(uintptr_t)object / SQ__LINE % LOCKS].mutex; }

void sq__many_lock(const void *object) { sq__mutex_lock(lock_of(object)); }
void sq__many_unlock(const void *object) { sq__mutex_unlock(lock_of(object)); }

void sq__many_lock_all(void) {
    for (unsigned i = 0; i < LOCKS; i += 1) {
        sq__mutex_lock(&locks[i].mutex);
    }
}

void sq__many_unlock_all(void) {
    for (unsigned i = 0; i < LOCKS; i += 1) {
        sq__mutex_unlock(&locks[i].mutex);
    }
}
