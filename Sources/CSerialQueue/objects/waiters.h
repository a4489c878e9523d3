/* waiters.h: the threads and awaits (sq_await.h) that wait for a semaphore, group, item or once, in order.
 *
 * DESIGN. A list of entries, which are on the waiting threads' stacks or in the callers' sq_await_t. The list changes under the
 * object's lock (object_lock.h). A thread whose entry was removed from the list was granted, or has withdrawn; a thread that withdraws
 * removes its entry if it is still listed. An await whose entry was removed has ended and can no longer be withdrawn: the thread
 * that removed it calls its function, after the unlock. */
#pragma once

#include "include/sq_await.h"
#include "wait/wait.h"

/* A thread. L under the object's lock. */
typedef struct sq__object_waiter {
    sq__wait_t wait;
    sq_await_entry_t entry; /* L  link: the pointer to it; NULL: it is not on the list. await: NULL */
} sq__object_waiter_t;

/* All zero: empty. L */
typedef struct sq__object_waiters {
    sq_await_entry_t *first;
    sq_await_entry_t **end; /* the last link; NULL: the list was never used */
} sq__object_waiters_t;

/* L. The await is on no list. */
void sq__object_waiters_append_await(sq__object_waiters_t *list, sq_await_t *await);

/* L, and unlocks the object. After sq__wait_begin; the entry is all zero. `waits`: sleeps until the thread is granted; returns as sq__wait_end; on an
 * error the waiter is off the list, except in the child of a fork. Else returns 0 at once, and does not touch the list. The wait is over on return. */
int sq__object_wait_and_unlock(const void *object, sq__object_waiters_t *list, sq__object_waiter_t *waiter, bool waits, sq_time_t deadline);

/* L. Returns false if it is not on the list: then it has ended, or is about to be ended by another thread. `process`: that of the object. */
bool sq__object_waiters_remove_await(sq__object_waiters_t *list, sq_await_t *await, uint32_t process);

/* L. Removes and returns the first entry; NULL: there is none. */
sq_await_entry_t *sq__object_waiters_pop(sq__object_waiters_t *list);

/* L. Grants the wait of a removed entry. Returns false if it is a thread that has withdrawn. If it is an await, the caller ends it
 * after the unlock. */
bool sq__object_entry_grant(sq_await_entry_t *entry);

/* L. Removes and grants all entries. From then on a waiter may release the object; the caller must keep the list alive. Returns the awaits among
 * them, for sq__awaits_end after the unlock; NULL: none. */
sq_await_entry_t *sq__object_waiters_grant(sq__object_waiters_t *list);
