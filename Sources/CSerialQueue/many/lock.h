/* lock.h: the lock of semaphores, groups, items and onces.
 *
 * DESIGN. Whatever such an object does beyond one compare-and-swap happens under a lock, one of a few that all objects share
 * (locks.h). The lock outlives the object: so a woken thread can free the object before the thread that woke it has
 * released the lock. The lock order is in process.h. */
#ifndef SQ__MANY_LOCK_H
#define SQ__MANY_LOCK_H

void sq__many_lock(const void *object);
void sq__many_unlock(const void *object);

#endif
