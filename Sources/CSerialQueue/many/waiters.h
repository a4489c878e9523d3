/* waiters.h: the threads that wait for a semaphore, group, item or once, in order.
 *
 * DESIGN. A list of records that lie on the waiting threads' stacks. All of it changes under the object's lock (lock.h). A
 * waiter that was taken off the list is granted, or has withdrawn; one that has withdrawn takes itself off if it is still
 * there. */
#ifndef SQ__MANY_WAITERS_H
#define SQ__MANY_WAITERS_H

#include "wait/wait.h"

/* L under the object's lock. */
typedef struct sq__many_waiter {
    sq__wait_t wait;
    struct sq__many_waiter *next;  /* L */
    struct sq__many_waiter **link; /* L  what points to it; NULL: it is not on the list */
} sq__many_waiter_t;

/* All zero: empty. L */
typedef struct sq__many_waiters {
    sq__many_waiter_t *first;
    sq__many_waiter_t **end; /* NULL: the list was never used */
} sq__many_waiters_t;

/* L */
void sq__many_waiters_append(sq__many_waiters_t *list, sq__many_waiter_t *waiter);

/* L. Has no effect if it is not on the list. */
void sq__many_waiters_remove(sq__many_waiters_t *list, sq__many_waiter_t *waiter);

/* L. Takes off the first; NULL: there is none. */
sq__many_waiter_t *sq__many_waiters_pop(sq__many_waiters_t *list);

/* L. Takes off all and grants them. The object may be freed from then on, except for what holds the list. */
void sq__many_waiters_grant(sq__many_waiters_t *list);

#endif
