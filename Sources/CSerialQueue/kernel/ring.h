/* ring.h: the list of waiting tasks, a ring buffer in segments.
 *
 * DESIGN. A chain of segments of 126 places. Submitters take places at the tail, through the state word; the baton's holder
 * passes over them at the head. A place is taken first and filled afterwards, so each place has a word that says how far
 * it is:
 *
 *     EMPTY    taken or not, not yet filled
 *     BATON    the head came here before the place was filled, and left the baton in it
 *     ...      filled with work of some kind (work.h)
 *
 * Filler and head decide by a read-modify-write of that word who goes on: the head swaps EMPTY for BATON, or finds the place
 * filled; the filler exchanges its kind in, and if BATON comes out the baton is now the filler's. So nobody ever waits
 * for a submitter that lost its processor between taking and filling.
 *
 * A segment's `next` link works in the same way: 0, BATON, or the next segment. Whoever takes the first place of a new
 * segment fills that place, and then publishes the segment through the link; until then no one gets to the place. The
 * queue's `first` is the link to the first segment.
 *
 * A submitter that finds the queue free needs no slot of a segment: it leaves the one task in the queue's hand-off slot, which the
 * holder looks at first. Only this file and ring.c know where a task lies.
 *
 * A passed segment becomes the queue's spare if it has none, else it is freed. A queue that becomes free frees its spare and
 * returns the head to place 0 of its segment: a queue that never has more than 126 waiting tasks never changes its segment,
 * and an idle queue keeps at most one. It keeps none on a pool, and after a long backlog (SQ__LONG_BACKLOG). */
#ifndef SQ__KERNEL_RING_H
#define SQ__KERNEL_RING_H

#include "kernel/concurrent.h"
#include "kernel/queue.h"
#include "kernel/segment.h"

/* What a submitter got. */
typedef struct sq__place {
    sq__slot_t *slot; /* to be filled and published; NULL: none, the queue itself was taken */
    sq__word_t *link; /* for the first place of a segment: the link to publish it through; else NULL */
    bool owns;        /* the queue was free, and the caller has the baton */
} sq__place_t;

/* A submitter takes the queue if it is free, or else a place; with `always_a_place`, a place in any case. Returns 0, or
 * ENOMEM or ESHUTDOWN (then nothing was done). */
int sq__ring_take_place(sq_queue_t *queue, bool always_a_place, sq__place_t *place);

/* Publishes a filled place as `kind`. True: the caller has the baton, because it owned the queue or because the baton lay
 * there. The slot is not touched again. */
bool sq__ring_publish(sq__place_t place, uintptr_t kind);

typedef enum sq__put {
    SQ__PUT_QUEUED, /* the holder, another thread, comes to it */
    SQ__PUT_BATON,  /* the caller has the baton */
    SQ__PUT_FIRST   /* the same, and the task is the next one */
} sq__put_t;

/* The caller holds the baton, and the hand-off slot is empty: leaves work there, ahead of the ring. */
static inline void sq__next_put(sq_queue_t *queue, uint16_t kind, const sq__work_t *work) {
    queue->handoff = *work;
    sq__store_relaxed(&queue->handoff_kind, kind);
}

/* Fills what the submitter took, and publishes it as `kind`. */
static inline sq__put_t sq__ring_put(sq_queue_t *queue, sq__place_t place, uint16_t kind, const sq__work_t *work) {
    if (place.slot == NULL) {
        sq__next_put(queue, kind, work);
        return SQ__PUT_FIRST;
    }
    place.slot->work = *work;
    return sq__ring_publish(place, kind) || sq__concurrent_takes(queue) ? SQ__PUT_BATON : SQ__PUT_QUEUED;
}

/* Where the work lies. A submitter of a CLAIM notes it before it puts the work: from then on it can be withdrawn or taken. */
enum { SQ__IN_HANDOFF = 1 };
static inline uintptr_t sq__ring_where(sq__place_t place) {
    return place.slot != NULL ? (uintptr_t)place.slot : SQ__IN_HANDOFF;
}

/* L. What lies there. */
const sq__work_t *sq__ring_work_at(const sq_queue_t *queue, uintptr_t where);

/* L. The task that lies there was withdrawn: turns its kind into GONE. */
void sq__ring_empty_slot(sq_queue_t *queue, uintptr_t where);

/* O. The kind of the work at the head, or SQ__EMPTY: nothing, or a place that is not filled yet. */
uintptr_t sq__ring_peek(sq_queue_t *queue);

/* O. Passes over the place at the head, of which peek told, and returns what was in it. */
sq__work_t sq__ring_take(sq_queue_t *queue);

/* O. The place at the head, of which peek told. */
sq__slot_t *sq__ring_head(sq_queue_t *queue);

/* O. The kind of what is next, in the hand-off slot or at the head; SQ__EMPTY as above. */
static inline uintptr_t sq__next_kind(sq_queue_t *queue) {
    uintptr_t kind = sq__load_relaxed(&queue->handoff_kind);
    return kind != SQ__EMPTY ? kind : sq__ring_peek(queue);
}

/* O. What is in the hand-off slot, or in the place at the head. */
static inline const sq__work_t *sq__next_work(sq_queue_t *queue) {
    return sq__load_relaxed(&queue->handoff_kind) != SQ__EMPTY ? &queue->handoff : &sq__ring_head(queue)->work;
}

/* O. Empties the hand-off slot, or passes over the place at the head, and returns what was in it. */
static inline sq__work_t sq__next_take(sq_queue_t *queue) {
    /* [withdraw] acquire: if it is GONE, the withdrawer's use of the queue, which may end now. */
    if (sq__load_acquire(&queue->handoff_kind) == SQ__EMPTY) {
        return sq__ring_take(queue);
    }
    sq__store_relaxed(&queue->handoff_kind, SQ__EMPTY);
    return queue->handoff;
}

/* O. Looks for some time whether the place at the head gets filled. */
bool sq__ring_linger(sq_queue_t *queue);

/* O. If no place is reserved, makes the queue free; if the place at the head is not filled, leaves the baton in it. True:
 * the caller no longer holds the baton. False: the place is filled now, or the queue is empty but has another flag than
 * OWNED, which *state tells. */
bool sq__ring_give_back(sq_queue_t *queue, sq__state_t *state);

typedef enum sq__rest {
    SQ__REST_EMPTY,  /* nothing is queued, and the word has no flag but OWNED, and is not released */
    SQ__REST_MORE,   /* the place at the head is filled now, or nothing is queued, but the word says more, which *state tells */
    SQ__REST_PLACED, /* the baton was left in the place at the head, which is not filled */
} sq__rest_t;

/* O. The same for a concurrent queue, which is never free: only the ring is made ready to begin anew. */
sq__rest_t sq__ring_rest(sq_queue_t *queue, sq__state_t *state);

/* How many filled or reserved places the head has not passed. Exact while nothing moves. */
uint64_t sq__ring_depth(const sq_queue_t *queue);

/* The same, with the work in the hand-off slot. */
uint64_t sq__ring_waiting(const sq_queue_t *queue);

/* Frees the segments of an empty ring. */
void sq__ring_destroy(sq_queue_t *queue);

#endif
