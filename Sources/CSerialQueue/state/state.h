/* state.h: the queue's state word.
 *
 * DESIGN. One 64-bit word decides everything that threads can race for: which thread owns the queue, and which slot of the
 * ring each submitter gets. From the low end:
 *
 *     bit 0       OWNED      the queue is not free: a thread holds the baton or is about to get it, or the baton was left in
 *                            an unfilled slot, or it is parked
 *     bit 1       PARKED     the queue is suspended and keeps the baton; the thread that clears this bit gets it
 *     bit 2       SUSPENDED  no task may start
 *     bit 3       CLOSED     shut down: no submission is accepted
 *     bit 4       ENDED      also, the last task is over; the baton no longer exists
 *     bit 5       DISCARDED  with CLOSED: waiting tasks are discarded, suspended or not
 *                 NOT_FREE   without CLOSED: the queue is not free to any thread: a sync must ask its runner first (runner.h). Set
 *                            before the first submission. The swap that sets CLOSED clears it, or makes it DISCARDED
 *     bits 6-47   TAIL       the segment that the next slot is taken from (64-byte aligned); 0: none yet
 *     bits 48-55  TAKEN      how many of its slots have been taken, 0 to SQ__SEGMENT_SLOTS
 *     bits 56-63  RELEASES   the number of times that the last reference was released, minus the number of times that a task
 *                            took a new one afterwards: 1 or 0. Below 0 for a moment, while a releaser has already decremented
 *                            the reference count to zero, but has not updated this word yet
 *
 *     { TAIL: 0, TAKEN: 0 }                 free; has no segment
 *     { TAIL: 0, TAKEN: 0, NOT_FREE }       free, but only to a thread that the runner names, or that then takes a turn in a target
 *     { TAIL: t, TAKEN: n, OWNED }          owned; the waiting tasks are between the head (the holder's) and (t, n)
 *     { ..., OWNED, SUSPENDED }             a thread has the baton or will get it, and will park it; a task may run
 *     { ..., OWNED, SUSPENDED, PARKED }     nothing starts, and nothing runs except the readers inside a concurrent queue; submissions
 *                                           take slots
 *     { ..., OWNED, CLOSED }                shutting down; with SUSPENDED and PARKED it waits for a resume
 *     { ..., OWNED, CLOSED, ENDED }         shut down, permanently
 *     { ..., OWNED, RELEASES: 1 }           released: no references are left; the queue is freed once it is empty. If a task
 *                                           suspends such a queue, its holder ends the suspension and discards what waits
 *                                           (suspension.c)
 *
 * A concurrent queue's word is never free: OWNED is always set, also while its gate is open (gate/gate.h).
 *
 * Free implies empty: OWNED may be clear only while no slot is taken; TAKEN is then 0 and no other flag than NOT_FREE is
 * set. So a thread can take a free queue without looking at the ring. Only the baton's holder clears OWNED or sets PARKED, with one
 * exception: the suspender of a free queue sets PARKED in the swap that takes it. SUSPENDED, CLOSED, DISCARDED and ENDED change under
 * the queue's lock (queue_lock.h). RELEASES is incremented by the thread that releases the last reference, and decremented by a task
 * that then takes a new one (the running task keeps the queue alive). OWNED and RELEASES are in one word, so that word alone decides
 * whether the releaser or the holder frees the queue, whichever comes first.
 *
 * The word contains the segment's address, so that one compare-and-swap takes the slot and verifies that the slot is in this
 * segment. A submitter accesses a segment only after it has a slot there, or the first slot of the next one: then it writes the
 * link. A segment is never recycled while one of its taken slots is not consumed, or before the link that leaves it was followed. A word that returns to an old value (ABA) is harmless: the swap takes the slot that
 * the word names now. */
#pragma once

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
#define SQ__NOT_FREE SQ__DISCARDED /* without SQ__CLOSED */
#define SQ__RELEASES ((sq__state_t)0xFF << 56)
#define SQ__RELEASE_ONE ((sq__state_t)1 << 56)
#define SQ__FLAGS ((sq__state_t)0x3F)
#define SQ__TAIL (((sq__state_t)1 << 48) - 1 - SQ__FLAGS)
#define SQ__TAKEN_ONE ((sq__state_t)1 << 48)

static inline bool sq__state_is_free(sq__state_t state) { return (state & SQ__OWNED) == 0; }

/* A sync takes it, whichever thread makes it. */
static inline bool sq__state_is_free_to_any_thread(sq__state_t state) { return (state & SQ__FLAGS) == 0; }

/* A shutdown discards the tasks that wait. The holder obeys SQ__DISCARD in the control, which is also set without this
 * (sq__suspend_abandon; suspension.c). */
static inline bool sq__state_is_discarded(sq__state_t state) {
    return (state & (SQ__CLOSED | SQ__DISCARDED)) == (SQ__CLOSED | SQ__DISCARDED);
}

static inline sq__segment_t *sq__state_tail(sq__state_t state) { return (sq__segment_t *)(uintptr_t)(state & SQ__TAIL); }

static inline unsigned sq__state_taken(sq__state_t state) { return (unsigned)(state >> 48) & 0xFF; }

/* No reference is left. Only a running task can still take one (queue/create.c: revive). So for the holder of a serial queue, between two
 * tasks, this is final. */
static inline bool sq__state_is_released(sq__state_t state) { return (state & SQ__RELEASES) == SQ__RELEASE_ONE; }

/* The same state with another tail. */
static inline sq__state_t sq__state_with_tail(sq__state_t state, sq__segment_t *tail, unsigned taken) {
    return (state & (SQ__FLAGS | SQ__RELEASES)) | (sq__state_t)(uintptr_t)tail | taken * SQ__TAKEN_ONE;
}
