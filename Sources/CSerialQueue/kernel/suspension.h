/* suspension.h: the baton of a suspended queue.
 *
 * DESIGN. A suspension sets SQ__HOLD, which the holder reads before each task, and SUSPENDED in the state word; the holder then
 * parks the baton. A free queue is taken and parked at once. A resume clears both, and takes the baton if it is parked.
 *
 *     suspend:  (s1) HOLD := 1   (s2) SUSPENDED := 1; a free queue becomes owned and PARKED
 *     holder:   (h1) HOLD?  no: run the next task   (h2) yes, and SUSPENDED: PARKED := 1, and leave
 *               nothing is next: the swap to free fails because of SUSPENDED: (h2)
 *     resume:   (r1) HOLD := 0   (r2) SUSPENDED, PARKED := 0   (r3) it was PARKED: pass the baton on
 *
 * The suspender does not wait for the task that runs. Suspensions nest: only the first does s1-s2, only the last resume r1-r3; both are in
 * queue/suspend.c. h1 and h2 are in baton.h, baton.c and suspension.c.
 *
 *     s1 h1 s2      the holder sees HOLD but not SUSPENDED: it runs one more task; suspend has not returned yet
 *     h1 s1 s2      the task's turn came before the suspension: it runs
 *     s2 r2 h2      the holder's swap fails, the word is no longer SUSPENDED: it continues
 *     s2 h2 r2      the resume finds PARKED (or the end of the queue did, which takes a parked baton, too) */
#ifndef SQ__KERNEL_SUSPENSION_H
#define SQ__KERNEL_SUSPENSION_H

#include "state/queue.h"

/* O. Parks the baton if the queue is suspended and its word is still `state`. If the queue is also released, nobody can resume it: then
 * this ends the suspension, lets the waiting work be discarded, and returns false. False: the caller still has the baton. */
bool sq__suspension_park(sq_queue_t *queue, sq__state_t state);

/* L. Clears flags of the state word. Returns the word as it was: if PARKED was set and is cleared, the caller has the baton. */
sq__state_t sq__suspension_clear(sq_queue_t *queue, sq__state_t flags);

#endif
