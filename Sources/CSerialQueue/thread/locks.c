#include "thread/locks.h"

#include <stdint.h>

/* Objects of 64 to 512 bytes that lie one after the other get different locks. */
static sq__mutex_t *lock_of(sq__locks_t *locks, const void *object) {
    uintptr_t address = (uintptr_t)object;
    return &locks->of[(address / SQ__LINE ^ address / (SQ__LINE * SQ__LOCKS)) % SQ__LOCKS].mutex;
}

void sq__locks_take(sq__locks_t *locks, const void *object) { sq__mutex_lock(lock_of(locks, object)); }
void sq__locks_release(sq__locks_t *locks, const void *object) { sq__mutex_unlock(lock_of(locks, object)); }

void sq__locks_take_all(sq__locks_t *locks) {
    for (unsigned i = 0; i < SQ__LOCKS; i += 1) {
        sq__mutex_lock(&locks->of[i].mutex);
    }
}

void sq__locks_release_all(sq__locks_t *locks) {
    for (unsigned i = 0; i < SQ__LOCKS; i += 1) {
        sq__mutex_unlock(&locks->of[i].mutex);
    }
}
