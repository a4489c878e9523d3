/* gate.h: the gate of a concurrent queue, and its stripes: how many readers are inside, and where the baton is.
 *
 * DESIGN. A concurrent queue is a serial queue with more fields in front of it. Tasks wait in the same ring. The holder of the baton does not run them, but
 * admits them in order (concurrent/admit.h): it lets readers in and keeps the baton, and passes the baton to a barrier. gate_inline.h tells the
 * gate's word bit by bit, and has how a reader and a barrier enter and leave; stripes.h has the stripes. */
#pragma once

#include "platform/atomic.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t sq__gate_word_t;
typedef SQ__ATOMIC(sq__gate_word_t) sq__gate_t;

typedef struct sq__concurrent sq__concurrent_t;
typedef struct sq__striped sq__striped_t;
typedef struct sq__stripes sq__stripes_t;

/* Called after something has changed. True: the caller holds the baton now, because the gate was open, or because the baton lay there for
 * one of the reasons `if_laid_down`. False: NEWS is set, and the holder will see it. */
bool sq__gate_take(sq__gate_t *gate, sq__gate_word_t if_laid_down);

/* O. Called before the holder concludes that there is nothing to do. Clears NEWS. True: it was set, so the holder looks at the ring again. */
bool sq__gate_see_news(sq__gate_t *gate);

typedef enum sq__laid_down {
    SQ__LAID_DOWN,  /* the caller no longer has the baton, and must not touch the queue again */
    SQ__STILL_HELD, /* there is nothing to wait for: the caller still holds the baton */
    SQ__NEWS        /* the same, and it looks again first */
} sq__laid_down_t;

/* O, after sq__stripes_gather_if_striped. If readers are inside, lays the baton down for the last one that leaves. `reason`: SQ__GATE_DRAINING or
 * SQ__GATE_ENDING. */
sq__laid_down_t sq__gate_await_readers(sq__gate_t *gate, sq__gate_word_t reason);

/* O. If `width` async tasks run, as *asyncs counts them, lays the baton down for the next one that ends. */
sq__laid_down_t sq__gate_await_width(sq__gate_t *gate, SQ__ATOMIC(uint32_t) *asyncs, uint32_t width);

/* O. Lays the baton down for the pool. True: the caller must post the queue's entry; the queue does not end before a thread has taken it.
 * False: the entry is posted already. */
bool sq__gate_keep(sq__gate_t *gate);

/* Called by the thread of the pool that took the entry. Clears POSTED. True: that thread holds the baton now. False: it does not, and must not touch
 * the queue again. */
bool sq__gate_come(sq__gate_t *gate);

/* O. The queue is to end. True: its entry is posted; the thread that comes with the entry gets the baton, and ends the queue. False: the entry is not
 * posted (any more); the caller still holds the baton. */
bool sq__gate_leave_end(sq__gate_t *gate);

/* O. The entry was removed from the pool's list. */
void sq__gate_unposted(sq__gate_t *gate);

/* O. The ring was empty at the last look. Opens the gate; if ENTERED is full, moves its count to *entered. True: the caller no longer has the baton.
 * False: there is news, the gate stays closed, and the caller still holds the baton. */
bool sq__gate_open(sq__gate_t *gate, SQ__ATOMIC(uint64_t) *entered);

/* Stripes */

/* Enters as a reader. True: it is inside, and leaves with *mine. False: the gate is not striped, or is closed; if *takes, the caller has the baton
 * now, and passes it. */
bool sq__stripes_enter(sq__concurrent_t *concurrent, sq__striped_t *mine, bool *takes);

/* Leaves by the stripe. `off`: SQ__STRIPE_INSIDE_ONE; plus SQ__STRIPE_ENTERED_ONE, if the reader withdraws. True: the caller holds the baton now.
 * False: it must not touch the queue again without a reference. */
bool sq__stripes_leave(sq__concurrent_t *concurrent, sq__striped_t mine, uint64_t off);

/* Called by a reader that is about to leave, and has found that others have entered or left meanwhile. Counts that; after enough of them makes the
 * stripes, and sets STRIPED in an open gate. */
void sq__stripes_overlap(sq__concurrent_t *concurrent);

/* How many readers have entered by the stripes, less those that `entered` counts. */
uint64_t sq__stripes_entered(const sq__stripes_t *stripes);

/* How many readers are inside that the gate does not count. Not exact while readers enter and leave. */
uint64_t sq__stripes_not_counted(const sq__stripes_t *stripes);
