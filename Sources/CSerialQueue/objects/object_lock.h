/* object_lock.h: the memory of semaphores, groups and items, and the lock of these and of onces.
 *
 * DESIGN. Whatever such an object does beyond one compare-and-swap happens under a lock, one of a few that all objects share
 * (locks.h). The lock outlives the object: so a woken thread can free the object before the thread that woke it has
 * released the lock. The lock order is in process.h. */
#pragma once

#include "include/sq_private.h"
#include "platform/memory.h"
#include "trace/trace.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A zeroed object of this size, with a copy of its label from this byte on, as its last field; NULL, with errno: no memory. `label`: NULL for "":
 * then it keeps where it was made, the call site `maker` (sq__made_by). Freed with sq__memory_free. */
static inline void *sq__object_memory(size_t size, size_t label_at, const char *label, const void *maker) {
    size_t length = label != NULL ? strlen(label) : 0;
    size_t wanted = length > 0 ? size + length + 1 : label_at + SQ__MAKER;
    char *object = sq__memory_apart(wanted > size ? wanted : size, sizeof(uint64_t)); /* the word that counts comes first */
    if (object == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memset(object, 0, size);
    memcpy(object + label_at, label != NULL ? label : "", length + 1);
    sq__made_by(object + label_at, maker);
    return object;
}

void sq__object_lock(const void *object);
void sq__object_unlock(const void *object);
