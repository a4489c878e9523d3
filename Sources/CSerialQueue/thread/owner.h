/* owner.h: the identity of a thread that owns loops (runner/loop.h).
 *
 * DESIGN. A thread that has run a loop has one record, for all its loops. The thread and each of these loops hold a reference. The
 * record says when the thread has ended, so that a loop can be taken over; and as long as a loop refers to a record, no other
 * thread's record has the same address. The system's thread IDs would not do: they are used again.
 *
 * An owner may sleep in a wait that needs tasks of its own loops. Then each post to one of them wakes it, and it checks
 * whether it can run one of these tasks (wait/wait_runs.c). `awaits` is the token that it sleeps on. One lock for all records protects this
 * field, and the wake-up takes the lock, too: so no wake-up comes after the owner has cleared the field. */
#pragma once

#include "platform/atomic.h"
#include "thread/token.h"

#include <stdbool.h>
#include <stdint.h>

/* Fields: A atomic; H written under the lock, read by anyone as a hint. */
typedef struct sq__owner {
    SQ__ATOMIC(uint32_t) references; /* A */
    SQ__ATOMIC(bool) has_ended;      /* A */
    SQ__ATOMIC(uint64_t) thread_id;  /* A  the system's number of the thread */
    SQ__ATOMIC(sq__token_t *) awaits; /* H  what a post to its loops wakes; NULL: nothing */
} sq__owner_t;

/* The calling thread's record, with one reference; NULL: no memory. */
sq__owner_t *sq__owner_create(void);

void sq__owner_retain(sq__owner_t *owner);
void sq__owner_release(sq__owner_t *owner); /* NULL is ignored */

/* The thread ends: others may take over its loops. Releases the thread's reference. */
void sq__owner_end(sq__owner_t *owner);

/* True: the thread has ended, and what it did is visible. */
bool sq__owner_has_ended(const sq__owner_t *owner);

/* By the owner: from now on sq__owner_wake wakes this token; NULL: none. */
void sq__owner_await(sq__owner_t *owner, sq__token_t *token);

/* By a thread that has posted to one of its loops, with the lock of that loop. */
void sq__owner_wake(sq__owner_t *owner);
