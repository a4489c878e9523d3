/* lock.h: the lock of semaphores, groups, items and onces.
 *
 * DESIGN. Whatever such an object does beyond one compare-and-swap happens under a lock. It is one of a few that all objects
 * share, chosen by the object's address: so it needs no memory in the object, creating one cannot fail on account of it, and
 * it may be unlocked when the object is freed already. This is what allows a thread to be woken, and to free the object,
 * before its waker has left the lock.
 *
 * Lock order: the lock of the waits (deadlock.h), then one of these, then a token's. No queue's or pool's lock is taken under
 * one, and user code never runs under one. */
#ifndef SQ__MANY_LOCK_H
#define SQ__MANY_LOCK_H

void sq__many_lock(const void *object);
void sq__many_unlock(const void *object);

/* All of them, around a fork. */
void sq__many_lock_all(void);
void sq__many_unlock_all(void);

#endif
