/* ring.h: the FIFO of waiting tasks, called the ring.
 *
 * DESIGN. A chain of segments of 126 slots, never closed to a circle. Submitters take slots at the tail, through the state word; the baton's holder
 * advances past them at the head. A slot is first taken and then filled, so each slot has a word with its state:
 *
 *     EMPTY    not filled yet, whether taken or not
 *     BATON    the head reached the slot before it was filled, and left the baton in it
 *     ...      filled with work of some kind (work.h); above the kind perhaps a time
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

#include "gate/concurrent.h"
#include "state/queue.h"
#include "kernel/segment.h"

/* What a submitter has taken. */
typedef struct sq__reserved {
    sq__slot_t *slot; /* the caller fills and publishes it; NULL: the caller took the free queue, or joined a shared slot */
    sq__word_t *link; /* for the first slot of a segment: the link that publishes it; else NULL */
    bool owns;        /* the queue was free, and the caller has the baton */
} sq__reserved_t;

/* Takes the queue if it is free, otherwise a slot. With `always_a_slot` it takes a slot even if the queue is free; then it takes the
 * queue as well. Returns 0, ENOMEM or ESHUTDOWN; on an error nothing has changed. */
int sq__ring_reserve(sq_queue_t *queue, bool always_a_slot, sq__reserved_t *place);

/* Publishes a filled slot with this word. Returns true if the caller now has the baton, because it owned the queue or because the
 * baton was in the slot. Otherwise it must touch neither the slot nor the queue afterwards. */
bool sq__ring_publish(const sq__reserved_t *place, uintptr_t word);

typedef enum sq__put {
    SQ__PUT_QUEUED, /* the baton is elsewhere; the thread that holds it or gets it will reach the task */
    SQ__PUT_BATON,  /* the caller has the baton */
    SQ__PUT_FIRST   /* the caller has the baton, and the task is the next one */
} sq__put_t;

/* O. Puts work into the hand-off slot, which is empty: ahead of the ring. */
static inline void sq__next_put(sq_queue_t *queue, uint16_t kind, const sq__work_t *work) {
    queue->handoff = *work;
    sq__store_release(&queue->handoff_kind, kind); /* [depth] release: the head, as the submitter found it */
}

/* The word of a slot has its kind, and above that the time of its submission, if the queue is measured (observe/timings.h). The time
 * has the lower 56 bits of the nanoseconds: enough for waits of two years. */
static inline uintptr_t sq__ring_kind(uintptr_t word) { return word & ((1u << SQ__KIND_BITS) - 1); }
static inline uint64_t sq__ring_time(uintptr_t word) { return word >> SQ__KIND_BITS; }

/* Publishes the slot that the submitter has filled, in a queue that is traced, watched or measured. Returns as sq__ring_publish, or true
 * if it took the baton of a concurrent queue out of the gate. */
bool sq__ring_publish_noted(sq_queue_t *queue, const sq__reserved_t *place, uint16_t kind, const void *site);

/* Fills the slot that the submitter took, and publishes it; if it took the free queue, puts the work into the hand-off slot. */
static inline sq__put_t sq__ring_put(sq_queue_t *queue, const sq__reserved_t *place, const sq__submission_t *submission) {
    if (place->slot == NULL) {
        sq__next_put(queue, submission->kind, &submission->work);
        return SQ__PUT_FIRST;
    }
    place->slot->work = submission->work;
    bool takes = false; /* true: it took the baton of a concurrent queue out of the gate */
    uint32_t control = sq__load_relaxed(&queue->control);
    if (__builtin_expect(control & (SQ__CONCURRENT | SQ__SITED | SQ__MEASURED), 0)) {
        if (control & (SQ__SITED | SQ__MEASURED)) {
            return sq__ring_publish_noted(queue, place, submission->kind, submission->site) ? SQ__PUT_BATON : SQ__PUT_QUEUED;
        }
        takes = sq__concurrent_takes(queue); /* before the task can be seen: once it runs, it may release the submitter's reference */
    }
    return sq__ring_publish(place, submission->kind) || takes ? SQ__PUT_BATON : SQ__PUT_QUEUED;
}

/* Where the work is stored: SQ__IN_HANDOFF, or the address of a slot. The submitter of a CANCELLABLE records this in its `place` before it
 * puts the work. Once the work is put, it can be taken. It can be withdrawn as soon as the submitting call has returned, or has released
 * the queue's lock. */
enum { SQ__IN_HANDOFF = 1 };
static inline uintptr_t sq__ring_where(const sq__reserved_t *place) {
    return place->slot != NULL ? (uintptr_t)place->slot : SQ__IN_HANDOFF;
}

/* L. The work that is stored there. */
const sq__work_t *sq__ring_work_at(const sq_queue_t *queue, uintptr_t where);

/* L. Marks the slot CANCELLED: its task was withdrawn. */
void sq__ring_mark_cancelled(sq_queue_t *queue, uintptr_t where);

/* O. The kind of the work at the head; SQ__EMPTY: there is none, or its slot is not filled yet. */
uintptr_t sq__ring_peek(sq_queue_t *queue);

/* O. Advances past the slot at the head, which peek found filled, and returns its work. */
sq__work_t sq__ring_take(sq_queue_t *queue);

/* O. The slot at the head, which peek found filled. */
sq__slot_t *sq__ring_head(sq_queue_t *queue);

/* O. The kind of the next work, in the hand-off slot or at the head; SQ__EMPTY as above. */
static inline uintptr_t sq__next_kind(sq_queue_t *queue) {
    uintptr_t kind = sq__load_relaxed(&queue->handoff_kind);
    return kind != SQ__EMPTY ? kind : sq__ring_peek(queue);
}

/* O. The next work, in the hand-off slot or at the head. */
static inline const sq__work_t *sq__next_work(sq_queue_t *queue) {
    return sq__load_relaxed(&queue->handoff_kind) != SQ__EMPTY ? &queue->handoff : &sq__ring_head(queue)->work;
}

/* O. Where the next work is stored, as sq__ring_where. */
static inline uintptr_t sq__next_where(sq_queue_t *queue) {
    return sq__load_relaxed(&queue->handoff_kind) != SQ__EMPTY ? (uintptr_t)SQ__IN_HANDOFF : (uintptr_t)sq__ring_head(queue);
}

/* O. Takes the next work: empties the hand-off slot, or advances past the slot at the head. */
static inline sq__work_t sq__next_take(sq_queue_t *queue) {
    /* [withdraw] acquire: if it is CANCELLED, the withdrawing thread no longer uses the queue, which may now end. */
    if (sq__load_acquire(&queue->handoff_kind) == SQ__EMPTY) {
        return sq__ring_take(queue);
    }
    sq__store_relaxed(&queue->handoff_kind, SQ__EMPTY);
    return queue->handoff;
}

/* O. Spins for a short time until the slot at the head is filled. True: it is. */
bool sq__ring_linger(sq_queue_t *queue);

/* O. If no slot is taken, makes the queue free; if the slot at the head is taken and not filled, leaves the baton in it. Returns true
 * if the caller no longer holds the baton. Returns false if the slot is filled by now; *state is then SQ__OWNED, whatever the word is: no
 * flag matters, the caller only looks again. Also returns false if the queue is empty, but suspended, closed or released: *state is then
 * the word. */
bool sq__ring_give_back(sq_queue_t *queue, sq__state_t *state);

typedef enum sq__rest {
    SQ__REST_EMPTY,  /* nothing is queued; the queue has no flag except OWNED and is not released */
    SQ__REST_MORE,   /* the slot at the head is filled by now; or nothing is queued, but a flag is set, or it is released. *state as above */
    SQ__REST_PLACED, /* the baton was left in the slot at the head, which is not filled */
} sq__rest_t;

/* O. The same for a concurrent queue, which is never free: only resets the ring. */
sq__rest_t sq__ring_rest(sq_queue_t *queue, sq__state_t *state);

/* How many taken slots, filled or not, the head has not consumed. Exact while no thread submits or takes. */
uint64_t sq__ring_depth(const sq_queue_t *queue);

/* The same, including the work in the hand-off slot. */
uint64_t sq__ring_waiting(const sq_queue_t *queue);

/* Frees the segment of an empty ring, if it has one. */
void sq__ring_destroy(sq_queue_t *queue);
