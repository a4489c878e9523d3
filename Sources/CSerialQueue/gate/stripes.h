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

#include "gate/gate_inline.h"

static inline uint64_t sq__stripe_entered(sq__stripe_word_t word) { return word / SQ__STRIPE_ENTERED_ONE; }
