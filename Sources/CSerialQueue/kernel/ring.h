/* ring.h: the FIFO of waiting tasks, called the ring.
 *
 * DESIGN. A chain of segments of 126 slots, never closed to a circle. Submitters take slots at the tail, through the state word; the baton's holder
 * advances past them at the head. A slot is first taken and then filled, so each slot has a word with its state:
 *
 *     EMPTY    not filled yet, whether taken or not
 *     BATON    the head reached the slot before it was filled, and left the baton in it
 *     ...      filled with work of some kind (state/state.h); above the kind perhaps a time
 *
 * The submitter and the holder settle by a read-modify-write of that word which of them continues. The holder swaps EMPTY for
 * BATON, or finds the slot filled. The submitter exchanges its kind into the word; if it gets BATON back, it now has the
 * baton. So no thread ever waits for a submitter that was preempted between taking and filling its slot.
 *
 * A segment's `next` link works in the same way: 0, BATON, or the next segment. The thread that takes the first slot of a new
 * segment fills that slot, and then publishes the segment through the link; until then no other thread can reach the slot.
 * The queue's `first_link` is the link to the first segment.
 *
 * A submitter that finds the queue free needs no slot of a segment: it puts its task into the queue's hand-off slot, which the
 * holder checks first. The functions sq__next_... look at both: the next work is in the hand-off slot, or else at the head.
 *
 * Segments come from the store of the process (memory/blocks.h), and a consumed one goes back there. A queue that becomes free, or a
 * concurrent one that comes to rest, returns its last segment as well: an idle queue has none. */
#pragma once

#include "kernel/kernel_inline.h"

/* The time in the word of a slot; see sq__ring_kind. */
static inline uint64_t sq__ring_time(uintptr_t word) { return word >> SQ__KIND_BITS; }

/* O. Where the next work is stored, as sq__ring_where. */
static inline uintptr_t sq__next_where(sq_queue_t *queue) {
    return sq__load_relaxed(&queue->handoff_kind) != SQ__EMPTY ? (uintptr_t)SQ__IN_HANDOFF : (uintptr_t)sq__ring_head(queue);
}

/* L. The work that is stored there. */
const sq__work_t *sq__ring_work_at(const sq_queue_t *queue, uintptr_t where);

/* L. Marks the slot CANCELLED: its task, which no holder has taken, was withdrawn. From then on a serial queue may be freed, but not its lock. */
void sq__ring_mark_cancelled(sq_queue_t *queue, uintptr_t where);

/* O, by the runner. Spins for a short time until the slot at the head is filled, or others want the thread. True: the slot is filled. */
bool sq__ring_spin(sq_queue_t *queue);

/* O. If no slot is taken, makes the queue free; if the slot at the head is taken and not filled, leaves the baton in it.
 *
 *     returns   *state       when
 *     true      any value    the caller no longer holds the baton
 *     false     SQ__OWNED    the slot is filled by now. This is not the word: no flag matters, the caller only looks again
 *     false     the word     the queue is empty, but suspended, closed or released */
bool sq__ring_give_back(sq_queue_t *queue, sq__state_t *state);

/* As sq__ring_depth (kernel.h), including the work in the hand-off slot. */
uint64_t sq__ring_waiting(const sq_queue_t *queue);
