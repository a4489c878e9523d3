/* turn.h: a thread waits for its turn in a queue.
 *
 * DESIGN. The thread takes a slot in the ring, leaves its token there and waits for the baton. In a long ring a wait that may
 * be withdrawn takes no slot of its own, but shares one (shared.h). */
#pragma once

#include "state/state_inline.h"

/* Returns 0 with the baton, or with the call done (the call says so), or inside as a concurrent queue's reader (call->has_baton: with the baton,
 * too); or ENOMEM, ESHUTDOWN, ETIMEDOUT, EDEADLK or ESTALE: then the function is never called. Counts the outcome, unless the call was done. Takes
 * the lock. */
int sq__turn_wait(sq_queue_t *queue, sq__call_t *call);

/* For a queue that is not free to a sync's fast path (SQ__NOT_FREE): takes it if it is free, or else waits for the turn. Returns as sq__turn_wait, or
 * EAGAIN; sets call->submitted. */
int sq__turn_take(sq_queue_t *queue, sq__call_t *call);
