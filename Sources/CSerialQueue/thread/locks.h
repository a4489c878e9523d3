/* locks.h: a few locks that many objects share, each chosen by its object's address.
 *
 * DESIGN. A lock in each object would take 40 bytes, creating the object could fail because of it, and the lock would have
 * to outlive the object: a thread that wakes the last user of an object, and so lets it be freed, still holds the lock. A shared lock is
 * taken and released by address alone. */
#pragma once

#include "platform/memory.h"
#include "platform/mutex.h"

enum { SQ__LOCKS = 8 };

typedef struct sq__locks {
    struct {
        _Alignas(SQ__LINE) sq__mutex_t mutex;
    } of[SQ__LOCKS];
} sq__locks_t;

#define SQ__LOCKS_INIT                                                                                                         \
    {                                                                                                                          \
        {                                                                                                                      \
            { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT },                                    \
            { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT }, { SQ__MUTEX_INIT },                                    \
        }                                                                                                                      \
    }

/* The lock of the object at this address. The object itself is not accessed. */
void sq__locks_take(sq__locks_t *locks, const void *object);
void sq__locks_release(sq__locks_t *locks, const void *object);
/* Which of them that is. */
unsigned sq__locks_index(const void *object);

/* Calls sq__mutex_lock or sq__mutex_unlock for each. */
void sq__locks_each(sq__locks_t *locks, void (*call)(sq__mutex_t *mutex));
