/* ring.h: the list of waiting tasks, a ring buffer in segments.
 *
 * DESIGN. A chain of segments of 126 places. Submitters take places at the tail, through the state word; the baton's holder
 * passes over them at the head. A place is taken first and filled afterwards, so each place has a word that says how far
 * it is:
 *
 *     EMPTY    taken or not, not yet filled
 *     BATON    the head came here before the place was filled, and left the baton in it
 *     TASK     filled with an async task
 *     WAITER   filled with a thread in sync, which sleeps on `token` for `turn`
 *
 * Filler and head decide by a read-modify-write of that word who goes on: the head swaps EMPTY for BATON, or finds the place
 * filled; the filler exchanges its kind in, and if BATON comes out the baton is now the filler's. So nobody ever waits
 * for a submitter that lost its processor between taking and filling.
 *
 * A segment's `next` link works in the same way: 0, BATON, or the next segment. Whoever takes the first place of a new
 * segment fills that place, and then publishes the segment through the link; until then no one gets to the place. The
 * queue's `first` is the link to the first segment.
 *
 * A passed segment is kept as the queue's spare, if there is none, else freed. When the queue becomes free, the head goes
 * back to place 0 of the segment it is in, and the spare is freed: a queue that never has more than 126 tasks waiting never
 * changes its segment, and an idle queue keeps at most one. */
#ifndef SQ__QUEUE_RING_H
#define SQ__QUEUE_RING_H

#include "queue/queue.h"
#include "queue/segment.h"

/* A place that was taken and is to be filled. */
typedef struct sq__place {
    sq__slot_t *slot;
    sq__word_t *link;   /* for the first place of a segment: the link to publish it through; else NULL */
} sq__place_t;

/* A submitter takes the queue if it is free, or else a place. Returns 0 or ENOMEM (nothing was done). With 0:
 * place->slot == NULL means that the queue was free and is now the caller's, else the place is to be filled. */
int sq__ring_take_place(sq_queue_t *queue, sq__place_t *place);

/* Publishes a filled place as `kind`. True: the baton lay there and is the caller's now. The slot is not touched again. */
bool sq__ring_publish(sq__place_t place, uintptr_t kind);

/* O. What waits at the head: SQ__TASK, SQ__WAITER, or SQ__EMPTY: nothing, or a place that is not filled yet. */
uintptr_t sq__ring_peek(sq_queue_t *queue);

/* O. Passes over the place at the head, of which peek told, and returns what was in it. */
sq_task_t sq__ring_take_task(sq_queue_t *queue);
sq__waiter_t sq__ring_take_waiter(sq_queue_t *queue);

/* O. Looks for some time whether the place at the head gets filled. */
bool sq__ring_linger(sq_queue_t *queue);

/* O. If no place is reserved, makes the queue free; if the place at the head is not filled, leaves the baton in it. True:
 * the caller no longer holds the baton. False: the place is filled now, or the queue is empty but has another flag than
 * OWNED, which *state tells. */
bool sq__ring_give_back(sq_queue_t *queue, sq__state_t *state);

/* How many filled or reserved places the head has not passed. Exact while nothing moves. */
uint64_t sq__ring_depth(const sq_queue_t *queue);

/* Frees the segments of an empty ring. */
void sq__ring_destroy(sq_queue_t *queue);

#endif
