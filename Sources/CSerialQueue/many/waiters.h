/* waiters.h: what waits for a semaphore, group, item or once, in order: threads, and awaits (sq_await.h).
 *
 * DESIGN. A list of entries, which lie on the waiting threads' stacks or in the callers' sq_await_t. All of it changes under
 * the object's lock (lock.h). A thread whose entry was taken off the list is granted, or has withdrawn; one that has withdrawn
 * takes its entry off if it is still there. An await whose entry was taken off has ended, and nothing can withdraw it:
 * whoever took it off calls its function, after the lock. */
#ifndef SQ__MANY_WAITERS_H
#define SQ__MANY_WAITERS_H

#include "include/sq_await.h"
#include "wait/wait.h"

/* A thread. L under the object's lock. */
typedef struct sq__many_waiter {
    sq__wait_t wait;
    sq_await_entry_t entry; /* L  link: what points to it; NULL: it is not on the list. await: NULL */
} sq__many_waiter_t;

/* All zero: empty. L */
typedef struct sq__many_waiters {
    sq_await_entry_t *first;
    sq_await_entry_t **end; /* NULL: the list was never used */
} sq__many_waiters_t;

/* L */
void sq__many_waiters_append(sq__many_waiters_t *list, sq__many_waiter_t *waiter);
void sq__many_waiters_append_await(sq__many_waiters_t *list, sq_await_t *await);

/* L. Has no effect if it is not on the list. */
void sq__many_waiters_remove(sq__many_waiters_t *list, sq__many_waiter_t *waiter);

/* L. False: it is not on the list. */
bool sq__many_waiters_remove_await(sq__many_waiters_t *list, sq_await_t *await);

/* L. Takes off the first; NULL: there is none. */
sq_await_entry_t *sq__many_waiters_pop(sq__many_waiters_t *list);

/* L. Grants what was taken off. False: it is a thread that has withdrawn. An await is to be ended without the lock. */
bool sq__many_entry_grant(sq_await_entry_t *entry);

/* L. Takes off all and grants them. The object may be freed from then on, except for what holds the list. Returns the awaits
 * among them, for sq__many_awaits_end. */
sq_await_entry_t *sq__many_waiters_grant(sq__many_waiters_t *list);

/* With no lock held: calls the functions of awaits that were granted, from this one on. NULL: none. */
void sq__many_awaits_end(sq_await_entry_t *first);

#endif
