/* object_lock.h: the memory of semaphores, groups and items, and the lock of these and of onces.
 *
 * DESIGN. Whatever such an object does beyond one compare-and-swap happens under a lock, one of a few that all objects share
 * (locks.h). The lock outlives the object: so a woken thread can free the object before the thread that woke it has
 * released the lock. The lock order is in process.h. */
#pragma once

#include "platform/memory.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A zeroed object of this size, with a copy of its label from this byte on, as its last field; NULL, with errno: no memory. `label`: NULL for "".
 * Freed with sq__memory_free. */
static inline void *sq__object_memory(size_t size, size_t label_at, const char *label) {
    size_t length = label != NULL ? strlen(label) : 0;
    char *object = sq__memory_apart(size + length + 1, sizeof(uint64_t)); /* the word that counts comes first */
    if (object == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memset(object, 0, size);
    memcpy(object + label_at, label != NULL ? label : "", length + 1);
    return object;
}

void sq__object_lock(const void *object);
void sq__object_unlock(const void *object);
