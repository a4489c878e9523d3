/* admit.h: what the holder of a concurrent queue's baton does.
 *
 * DESIGN. The holder goes through the ring in order. What it does depends on the head:
 *
 *     a reader that waits in a sync           it is let in: counted as inside, and granted. The holder keeps the baton; after SQ__ADMITS
 *                                             of them it passes it to the next one, which admits others before its function begins
 *     an async reader                         goes to the pool: the thread that takes the queue's entry has the baton, takes
 *                                             the task, passes the baton on and only then runs it (run_async.c). So the next thread
 *                                             of the pool finds the next task, and the queue has one entry for all of them
 *     an async reader, and `width` run        the baton is laid down in the gate, for the next one that ends (FULL)
 *     a barrier, and readers are inside       the baton is laid down, for the last one that leaves (DRAINING)
 *     a barrier, and no reader is inside        it has the baton while it runs
 *     the same, and it is discarded           as if it ran: its discard function, too, comes after the readers before it
 *     another task that is discarded          at once, with the baton in hand
 *     a withdrawn task or wait                its slot is consumed
 *     a slot that is not filled               as in a serial queue: the baton is left in the slot
 *     nothing                                 the gate is opened
 *     nothing, and the queue is to end        it ends when no reader is inside: the baton is laid down until then (ENDING)
 *     any, and the queue is suspended         as in a serial queue: the baton is parked in the state word
 *
 * Nothing behind a barrier is let in before the barrier has run, because the holder never looks past the head. Then the readers behind
 * it are let in one after the other; none of them waits for another.
 *
 * A barrier whose wait is withdrawn may have kept others out, and so may an async task that is cancelled. The thread that withdraws
 * it takes the baton back, if it lies in the gate, and looks at the head again. Four threads can race: the holder (h), a reader that leaves
 * (r), the barrier that withdraws (w), and a submitter (s):
 *
 *     (h1) clear NEWS   (h2) look at the head: a barrier that waits; a reader is inside   (h3) set DRAINING, if NEWS is not set
 *     (r1) count one less inside; if that was the last, and DRAINING is set: clear it, and continue as (h)
 *     (w1) withdraw the wait   (w2) clear DRAINING and continue as (h), or else set NEWS
 *     (s1) fill a slot    (s2) set NEWS; the gate is open: set BUSY, and continue as (h)
 *
 *     h2 r1 h3      h3 fails, because the word has changed: it finds nobody inside, and lets the barrier in
 *     h3 r1         r1 sees DRAINING in the swap that takes it out
 *     w1 h2         h2 sees that the wait is over, and consumes the slot
 *     h2 w1 w2 h3   h3 fails because of NEWS, and h2 follows
 *     h3 w2, r1     both want to clear DRAINING; only one of the two swaps succeeds
 *     h2 s1 s2      the holder looks once more before it lays the baton down or opens the gate */
#pragma once

#include "gate/gate.h"
#include "kernel/kernel.h"

/* How many readers a thread lets in before another one continues. Tests set a small number. */
#ifndef SQ__ADMITS
#define SQ__ADMITS 64
#endif

/* O. Admits what it can, and passes the baton on unless async work is next and may start: SQ__NEXT_TASK. Then *control is the queue's, read after
 * that work was found. SQ__NEXT_END: no reader is inside; the caller holds the baton. */
sq__next_t sq__admit_next(sq_queue_t *queue, uint32_t *control);

/* True: the queue's pool has threads of its own. Then the baton lies in the gate while the queue's entry is posted; on other pools the thread
 * that takes the entry has the baton. */
bool sq__admit_has_threads(const sq_queue_t *queue);
