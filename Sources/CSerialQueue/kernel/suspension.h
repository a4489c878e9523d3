/* suspension.h: the baton of a suspended queue.
 *
 * DESIGN. A suspension sets SQ__HELD_BACK (below: HOLD), which the holder reads before each task, and SUSPENDED in the state word; the holder then
 * parks the baton. A free queue is taken and parked at once. A resume clears both, and takes the baton if it is parked.
 *
 *     suspend:  (p1) HOLD := 1   (p2) SUSPENDED := 1; a free queue becomes owned and PARKED
 *     holder:   (b1) HOLD?  no: run the next task   (b2) yes, and SUSPENDED: PARKED := 1, and leave
 *               nothing is next: because of SUSPENDED it does not make the queue free: (b2)
 *     resume:   (u1) HOLD := 0   (u2) SUSPENDED, PARKED := 0   (u3) it was PARKED: pass the baton on
 *
 * The suspender does not wait for the task that runs. Suspensions nest: only the first does p1-p2, only the last resume u1-u3; both are in
 * queue/suspend.c, u2 here (sq__suspension_clear). b1 is in sq__baton_find (baton.h). b2 begins in sq__suspension_obey, or in nothing_next if
 * nothing is queued (baton.c, concurrent/admit.c), and ends in sq__suspension_park.
 *
 *     p1 b1 p2      the holder sees HOLD but not SUSPENDED: it runs this one task, which may start after suspend has returned:
 *                   sq_suspend allows one more
 *     b1 p1 p2      the task's turn came before the suspension: it runs, as above
 *     p2 u2 b2      the holder finds the word not SUSPENDED, or its swap fails: it continues
 *     p2 b2 u2      the resume finds PARKED (or a shutdown or the last release was there before: they take a parked baton, too)
 *     u1 b1 u2      a task starts before the resume has returned */
#pragma once

#include "state/queue.h"

/* O. Parks the baton if the queue is suspended and its word is still `state`. If the queue is also released, nobody can resume it: then
 * this ends the suspension, lets the waiting work be discarded, and returns false. The same if only queues whose target it is have a
 * reference (queue/target.c); then it also closes the queue. False: the caller still has the baton. */
bool sq__suspension_park(sq_queue_t *queue, sq__state_t state);

/* L. Clears flags of the state word. Returns the word as it was: if PARKED was set and is cleared, the caller has the baton. */
sq__state_t sq__suspension_clear(sq_queue_t *queue, sq__state_t flags);

/* O. Called when the control says SQ__HELD_BACK: (b2). Tries to park the baton. False: the word is not SUSPENDED yet, or no longer, and the
 * next task may start. True: it may not: *is_parked says that the baton is parked; else the caller looks again. */
bool sq__suspension_obey(sq_queue_t *queue, bool *is_parked);
