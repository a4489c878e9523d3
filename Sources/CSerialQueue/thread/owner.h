/* owner.h: the identity of a thread that owns loops (pool/loop.h).
 *
 * DESIGN. A thread that has run a loop has one record, for all its loops. The thread and each of these loops hold a reference. The
 * record says when the thread has ended, so that a loop can be taken over; and as long as a loop refers to a record, no other
 * thread's record has the same address. The system's numbers of threads would not do: they are used again. */
#ifndef SQ__THREAD_OWNER_H
#define SQ__THREAD_OWNER_H

#include "platform/atomic.h"

#include <stdbool.h>
#include <stdint.h>

/* Fields: A atomic. */
typedef struct sq__owner {
    SQ__ATOMIC(uint32_t) references; /* A */
    SQ__ATOMIC(bool) has_ended;      /* A */
} sq__owner_t;

/* The calling thread's record, with one reference; NULL: no memory. */
sq__owner_t *sq__owner_create(void);

void sq__owner_retain(sq__owner_t *owner);
void sq__owner_release(sq__owner_t *owner); /* NULL is ignored */

/* The thread ends: others may take over its loops. Releases the thread's reference. */
void sq__owner_end(sq__owner_t *owner);

/* True: the thread has ended, and what it did is visible. */
bool sq__owner_has_ended(const sq__owner_t *owner);

#endif
