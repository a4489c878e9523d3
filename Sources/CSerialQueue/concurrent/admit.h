/* admit.h: what the holder of a concurrent queue's baton does.
 *
 * DESIGN. It goes along the ring in order. In front of it is
 *
 *     a reader that waits in a sync           it is let in: counted as inside, and granted. The holder keeps the baton; after SQ__ADMITS
 *                                             of them it passes it to the next one, which admits others before its function begins
 *     an async reader                         goes to the pool: the thread that takes the queue's entry has the baton, takes
 *                                             the task, passes the baton on and only then runs it (run_async.c). So the next thread
 *                                             of the pool finds the next task, and the queue has one entry for all of them
 *     the same, and `width` of them run       the baton is laid down in the gate, for the next one that ends (FULL)
 *     a barrier, and readers are inside       the baton is laid down, for the last one that leaves (DRAINING)
 *     a barrier, and nobody is inside         it has the baton while it runs
 *     a withdrawn task or wait                it is passed over
 *     a place that is not filled              as in a serial queue: the baton lies there
 *     nothing                                 the gate is opened
 *     nothing, and the queue is to end        it ends when no reader is inside: the baton is laid down until then (ENDING)
 *     any, and the queue is suspended         as in a serial queue: the baton is parked in the state word
 *
 * Behind a barrier nothing is let in before it has run, because the holder does not look past the head; readers behind it are then let in
 * one after the other without any of them waiting for another.
 *
 * A barrier that withdraws may have kept others out, and so may an async task that is cancelled. The thread that withdraws it
 * takes the baton back, if it lies in the gate, and looks at the head again. Four parties meet: the holder (h), a reader that leaves
 * (r), the barrier that withdraws (w), and a submitter (s):
 *
 *     (h1) clear NEWS   (h2) look at the head: a barrier that waits; a reader is inside   (h3) set DRAINING, if NEWS is not set
 *     (r1) one less inside; it was the last, and DRAINING is set: clear it, and continue as (h)
 *     (w1) withdraw the wait   (w2) clear DRAINING and continue as (h), or else set NEWS
 *     (s1) fill a place   (s2) set NEWS; the gate is open: set BUSY, and continue as (h)
 *
 *     h2 r1 h3      h3 fails, because the word has changed: it finds nobody inside, and lets the barrier in
 *     h3 r1         r1 sees DRAINING in the swap that takes it out
 *     w1 h2         h2 sees that the wait is over, and passes over it
 *     h2 w1 w2 h3   h3 fails because of NEWS, and h2 follows
 *     h3 w2, r1     both want to clear DRAINING; the swap of one of them does
 *     h2 s1 s2      the holder looks once more before it lays the baton down or opens the gate */
#ifndef SQ__CONCURRENT_ADMIT_H
#define SQ__CONCURRENT_ADMIT_H

#include "kernel/concurrent.h"
#include "kernel/baton.h"
#include "kernel/run.h"

/* How many readers a thread lets in before another one continues. Tests set a small number. */
#ifndef SQ__ADMITS
#define SQ__ADMITS 64
#endif

/* O. Admits what it can, and passes the baton on unless an async task is next. */
sq__next_t sq__admit_next(sq_queue_t *queue);

/* The queue's pool has threads of its own: then the baton lies in the gate while its entry is posted, else it comes with the entry. */
bool sq__admit_has_threads(const sq_queue_t *queue);

/* O. Leaves the baton to the pool. True: the caller posts the queue's entry; else it must not touch the queue again. */
bool sq__admit_by_pool(sq_queue_t *queue);

/* The pool's part: as sq__run_tasks. `pass` passes the baton on. */
sq__run_end_t sq__concurrent_run(sq_queue_t *queue, size_t most, size_t *ran, void (*pass)(sq_queue_t *));

#endif
