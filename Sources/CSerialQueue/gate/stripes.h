/* stripes.h: where the readers of a concurrent queue are counted while several threads read at the same time.
 *
 * DESIGN. Each reader that enters by the gate writes the gate's word twice, so readers on several processors wait for its cache line. When
 * a queue has seen readers overlap, it gets an array of stripes, one cache line each, and the gate the flag STRIPED. From then on a reader
 * counts itself in the stripe of its thread, and reads the gate. It writes no word that the readers of other stripes write or read,
 * except once in 2^41 times (ENTERED, below).
 *
 * A thread that has to know how many readers are inside (before a barrier, or before the end) holds the baton. It GATHERS: it clears
 * STRIPED, and for each stripe with readers it sets COUNTED there and adds one to INSIDE of the gate. The last reader that leaves such a
 * stripe clears COUNTED and leaves the gate for all of them. So whatever waits for readers waits at the gate, as without stripes, and
 * never for a stripe. A stripe's word, from the low end:
 *
 *     bit 0       COUNTED   the gate counts the readers of this stripe, all of them as one. Only while INSIDE is not 0
 *     bits 1-20   INSIDE    how many readers that have entered by this stripe run now
 *     bits 21-63  ENTERED   how many have entered by it; at 2^42 a reader takes half of them over
 *
 * A reader (r), and the holder of the baton that gathers (h):
 *
 *     (r1) add one to INSIDE of the stripe   (r2) read the gate: STRIPED, and open? The reader is in   (r3) else withdraw: as if it left
 *     (h1) set BUSY in the gate   (h2) clear STRIPED   (h3) swap the word of each stripe, even if nothing changes there
 *
 *     r1 h3    h3 finds the reader, and the gate counts it: the holder waits for it, whether it is in or withdraws
 *     h3 r1    r1 reads what h3 wrote, or what other readers made of that, and acquires it: r2 sees BUSY, or the gate as it was later
 *
 * For this h3 and r1 are read-modify-writes of one word: a load and a store would need a fence between them. The flag is set only in an
 * open gate, and cleared only by the holder of the baton. BUSY without h2 and h3 (an async task, a suspension) makes readers withdraw, too:
 * no reader overtakes what waits in the ring.
 *
 * Gathering costs a swap for each stripe. If few readers have entered by the stripes since the last time, the queue waits for twice as many
 * overlaps before it sets STRIPED again. */
#pragma once

#include "gate/concurrent.h"
#include "platform/memory.h"

typedef uint64_t sq__stripe_word_t;

#define SQ__STRIPE_COUNTED ((sq__stripe_word_t)1 << 0)
#define SQ__STRIPE_INSIDE_ONE ((sq__stripe_word_t)1 << 1)
#define SQ__STRIPE_ENTERED_ONE ((sq__stripe_word_t)1 << 21)
/* Tests set a small number, to reach it. */
#ifndef SQ__STRIPE_MOST_ENTERED
#define SQ__STRIPE_MOST_ENTERED ((sq__stripe_word_t)1 << 42)
#endif

/* After how many overlaps a queue is striped, first and at most. Tests set a small number. */
#ifndef SQ__STRIPED_AFTER
#define SQ__STRIPED_AFTER 64u
#endif
enum { SQ__STRIPED_LATEST = 1 << 20, SQ__MOST_STRIPES = 128 };

typedef struct sq__stripe {
    _Alignas(SQ__LINE) SQ__ATOMIC(sq__stripe_word_t) word; /* A */
} sq__stripe_t;

/* The letters are those of state/queue.h. */
typedef struct sq__stripes {
    uint32_t mask;     /* I  how many there are, a power of two, less one */
    uint64_t gathered; /* O  how many readers had entered at the last gathering */
    sq__stripe_t stripe[];
} sq__stripes_t;

static inline uint64_t sq__stripe_inside(sq__stripe_word_t word) {
    return word % SQ__STRIPE_ENTERED_ONE / SQ__STRIPE_INSIDE_ONE;
}

/* How many readers of this stripe the gate does not count. */
static inline uint64_t sq__stripe_not_counted(sq__stripe_word_t word) {
    return sq__stripe_inside(word) - ((word & SQ__STRIPE_COUNTED) != 0);
}

static inline uint64_t sq__stripe_entered(sq__stripe_word_t word) { return word / SQ__STRIPE_ENTERED_ONE; }

/* A reader has entered by this stripe. */
typedef struct sq__striped {
    sq__stripe_t *stripe;
    sq__stripe_word_t word; /* what the stripe probably is */
} sq__striped_t;

static inline bool sq__is_striped(sq__gate_word_t word) { return (word & (SQ__GATE_CLOSED | SQ__GATE_STRIPED)) == SQ__GATE_STRIPED; }

/* Enters as a reader. False: the gate is not striped, or is closed. Then *takes: the caller has the baton now. */
bool sq__stripes_enter(sq__concurrent_t *concurrent, sq__striped_t *mine, bool *takes);

/* Leaves, as the first or the only reader that does. False: *mine is what the stripe is now; the caller leaves by sq__stripes_leave. */
static inline bool sq__stripes_leave_at_once(sq__striped_t *mine) {
    sq__stripe_word_t next = mine->word - SQ__STRIPE_INSIDE_ONE;
    return sq__cas_release(&mine->stripe->word, &mine->word, next); /* [stripe] release: what the reader did */
}

/* Subtracts `off` from the stripe's word. True: the caller holds the baton now. */
bool sq__stripes_leave(sq__concurrent_t *concurrent, sq__striped_t mine, sq__stripe_word_t off);

/* Called by a reader that is about to leave, and has found that others have entered or left meanwhile. */
void sq__stripes_overlap(sq__concurrent_t *concurrent);

/* O. From now on INSIDE of the gate counts all readers. */
void sq__stripes_gather(sq__concurrent_t *concurrent);
static inline void sq__stripes_gather_if_striped(sq__concurrent_t *concurrent) {
    if (__builtin_expect(sq__load_relaxed(&concurrent->gate) & SQ__GATE_STRIPED, 0)) {
        sq__stripes_gather(concurrent);
    }
}

/* How many readers have entered by the stripes, less those that `entered` counts. */
uint64_t sq__stripes_entered(const sq__stripes_t *stripes);

/* How many readers are inside that the gate does not count. Not exact while readers enter and leave. */
uint64_t sq__stripes_not_counted(const sq__stripes_t *stripes);
