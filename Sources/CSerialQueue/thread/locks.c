#include "thread/locks.h"

#include <stdint.h>

/* Objects of 64 to 512 bytes that lie one after the other get different locks. */
unsigned sq__locks_index(const void *object) {
    uintptr_t address = (uintptr_t)object;
    return (unsigned)(address / SQ__LINE ^ address / (SQ__LINE * SQ__LOCKS)) % SQ__LOCKS;
}

void sq__locks_take(sq__locks_t *locks, const void *object) { sq__mutex_lock(&locks->of[sq__locks_index(object)].mutex); }
void sq__locks_release(sq__locks_t *locks, const void *object) { sq__mutex_unlock(&locks->of[sq__locks_index(object)].mutex); }

void sq__locks_each(sq__locks_t *locks, void (*call)(sq__mutex_t *mutex)) {
    for (unsigned i = 0; i < SQ__LOCKS; i += 1) {
        call(&locks->of[i].mutex);
    }
}
