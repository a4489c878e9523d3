/* state.h: the queue's state word.
 *
 * DESIGN. One 64-bit word decides everything that two threads could disagree on: who owns the queue, and who gets which
 * place in the ring. From the low end:
 *
 *     bit 0       OWNED      the baton is out: a thread holds it, it is on its way, it lies in a reserved place, or parked
 *     bit 1       PARKED     the baton lies in the queue because it is suspended; whoever clears this bit holds it
 *     bit 2       SUSPENDED  no task may start
 *     bit 3       CLOSED     shut down: no submission is accepted
 *     bit 4       ENDED      and the last task is over; the baton is gone for good
 *     bit 5       DISCARDED  what waits is to be discarded, suspended or not; only beside CLOSED
 *     bits 6-47   TAIL       the segment that the next place is taken from (64-byte aligned), or 0: none yet
 *     bits 48-55  TAKEN      how many of its places have been taken, 0 to SQ__SEGMENT_SLOTS
 *     bits 56-63  RELEASES   last references given up, minus references that a task took after that: 1 or 0, or below 0
 *                            for the moment in which a releaser has counted down to zero, but has not come here yet
 *
 *     { TAIL: 0, TAKEN: 0 }                 free, never had to queue anything
 *     { TAIL: s, TAKEN: 0 }                 free; the segment is kept
 *     { TAIL: t, TAKEN: n, OWNED }          owned; what waits is between the head (the holder's) and (t, n)
 *     { ..., OWNED, SUSPENDED }             a task still runs; its holder will park the baton
 *     { ..., OWNED, SUSPENDED, PARKED }     nothing runs; submissions take places
 *     { ..., OWNED, CLOSED }                being shut down; with SUSPENDED and PARKED beside it, it waits for a resume
 *     { ..., OWNED, CLOSED, ENDED }         shut down; stays so
 *     { ..., OWNED, RELEASES: 1 }           released: no reference is left, to be freed when it is empty; never SUSPENDED
 *
 * Free implies empty: OWNED may be left unset only when no place is reserved, and TAKEN is 0 and no other flag is set then.
 * That is what lets a free queue be taken without a look at the ring. OWNED may be cleared by the baton's holder only,
 * PARKED be set by the holder only. SUSPENDED, CLOSED, DISCARDED and ENDED change under the queue's lock (lock.h). RELEASES goes up with
 * whoever gives up the last reference, down with a task that takes a new one then (the running task keeps the queue alive);
 * as both are in one word, that word alone decides who frees the queue, in whatever order the two come here.
 *
 * The segment's address stands in the word so that one compare-and-swap both takes the place and makes sure that the
 * segment is the one that the place is in. A submitter looks into a segment only after it has a place there, and a segment
 * with a place that was not yet filled and passed is never recycled. A word that comes back to an old value (ABA)
 * does no harm: whoever swaps it gets the place that it names now. */
#ifndef SQ__KERNEL_STATE_H
#define SQ__KERNEL_STATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sq__segment sq__segment_t;
typedef uint64_t sq__state_t;

#define SQ__OWNED ((sq__state_t)1 << 0)
#define SQ__PARKED ((sq__state_t)1 << 1)
#define SQ__SUSPENDED ((sq__state_t)1 << 2)
#define SQ__CLOSED ((sq__state_t)1 << 3)
#define SQ__ENDED ((sq__state_t)1 << 4)
#define SQ__DISCARDED ((sq__state_t)1 << 5)
#define SQ__RELEASES ((sq__state_t)0xFF << 56)
#define SQ__RELEASE_ONE ((sq__state_t)1 << 56)
#define SQ__FLAGS ((sq__state_t)0x3F)
#define SQ__TAIL (((sq__state_t)1 << 48) - 1 - SQ__FLAGS)
#define SQ__TAKEN_ONE ((sq__state_t)1 << 48)

static inline bool sq__state_is_free(sq__state_t state) { return (state & SQ__FLAGS) == 0; }

static inline sq__segment_t *sq__state_tail(sq__state_t state) { return (sq__segment_t *)(uintptr_t)(state & SQ__TAIL); }

static inline unsigned sq__state_taken(sq__state_t state) { return (unsigned)(state >> 48) & 0xFF; }

/* No reference is left, and none will come. */
static inline bool sq__state_is_released(sq__state_t state) { return (state & SQ__RELEASES) == SQ__RELEASE_ONE; }

/* The same but for the tail. */
static inline sq__state_t sq__state_with_tail(sq__state_t state, sq__segment_t *tail, unsigned taken) {
    return (state & (SQ__FLAGS | SQ__RELEASES)) | (sq__state_t)(uintptr_t)tail | taken * SQ__TAKEN_ONE;
}

#endif
