/* shared.h: a slot that several waiting threads share.
 *
 * DESIGN. A wait that is withdrawn leaves its slot in the ring until the head consumes it. A stalled queue that is polled with short
 * deadlines would grow with every poll. So when the ring is long, the waits that may be withdrawn share a slot: it has a list of
 * waiting threads, in order. A thread joins the list only if the slot is the last one that was taken. So the list is where
 * the thread's own slot would be, and the order of submission is kept. A thread that withdraws removes itself from the list. So
 * the ring grows only with the tasks and threads that stay in it.
 *
 * The head consumes a shared slot once its list is empty. Until then it moves one thread after the other from the list into
 * the hand-off slot, as if that had been in the ring.
 *
 * The lists, and which slot may be joined, are under the queue's lock. In a short ring each thread has its
 * own slot, and no lock is needed. */
#pragma once

#include "kernel/kernel.h"
#include "kernel/kernel_inline.h"
#include "state/state_inline.h"

/* How many threads have joined a shared slot that was there. */
static inline uint64_t sq__shared_joined(const sq_queue_t *queue) {
    const sq__joinable_t *joinable = sq__extra(queue, SQ__EXTRA_SHARED);
    return joinable != NULL ? sq__load_relaxed(&joinable->joined) : 0;
}
