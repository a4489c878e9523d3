/* suspension.c: the baton of a suspended queue.
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
 * queue/suspend.c, u2 here (sq__suspension_clear). b1 is in sq__baton_find (kernel_inline.h). b2 begins in sq__suspension_obey, or in nothing_next if
 * nothing is queued (baton.c, concurrent/admit.c), and ends in sq__suspension_park.
 *
 *     p1 b1 p2      the holder sees HOLD but not SUSPENDED: it runs this one task, which may start after suspend has returned:
 *                   sq_suspend allows one more
 *     b1 p1 p2      the task's turn came before the suspension: it runs, as above
 *     p2 u2 b2      the holder finds the word not SUSPENDED, or its swap fails: it continues
 *     p2 b2 u2      the resume finds PARKED (or a shutdown or the last release was there before: they take a parked baton, too)
 *     u1 b1 u2      a task starts before the resume has returned */
#include "kernel/kernel_inline.h"

#include "observe/observe.h"
#include "state/state_inline.h"

sq__state_t sq__suspension_clear(sq_queue_t *queue, sq__state_t flags) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [park] acquire: the writes of the holder that parked the baton, if we take it. [own] acquire: the suspender's, if it
     * took the free queue. release: [control]. */
    while (!sq__cas_acq_rel(&queue->state, &state, state & ~flags)) {
    }
    return state;
}

/* Nobody can resume it: there is no reference left, or none but that of the queues whose target this is (*is_pinned). */
static bool is_stuck(const sq_queue_t *queue, sq__state_t state, bool *is_pinned) {
    *is_pinned = sq__load_relaxed(&queue->references) == SQ__PINNED;
    return (state & SQ__SUSPENDED) && (*is_pinned || sq__state_is_released(state));
}

/* O. The queue was suspended for good, unless somebody has taken a reference meanwhile: ends the suspension, and lets what waits be discarded. Takes
 * the lock. Closes a pinned queue; the queues whose target it is run after its end. */
static void discard_the_rest(sq_queue_t *queue) {
    bool is_pinned;
    sq__lock(queue);
    if (is_stuck(queue, sq__load_relaxed(&queue->state), &is_pinned)) {
        sq__control(queue, SQ__HELD_BACK, SQ__DISCARD);
        if (is_pinned) {
            (void)sq__or_acq_rel(&queue->state, SQ__CLOSED | SQ__DISCARDED); /* [control] release */
        }
        sq__suspension_clear(queue, SQ__SUSPENDED);
        sq__store_relaxed(&queue->suspensions, 0);
        sq__suspended_remove(queue);
    }
    sq__unlock(queue);
}

bool sq__suspension_park(sq_queue_t *queue, sq__state_t state) {
    bool is_pinned;
    if (is_stuck(queue, state, &is_pinned)) {
        discard_the_rest(queue);
        return false;
    }
    /* [park] release: what we did with the baton; pairs with sq__suspension_clear, sq__end_close (queue/end.c) and sq__suspend_abandon
     * (queue/suspend.c). One try: if the word has changed, the reason to park may have gone, or a reason to continue may have come. */
    return (state & SQ__SUSPENDED) && !sq__state_is_discarded(state) && sq__cas_release(&queue->state, &state, state | SQ__PARKED);
}

bool sq__suspension_obey(sq_queue_t *queue, bool *is_parked) {
    /* [control] acquire: if the word says that what waits is discarded, the next look at the control does, too. */
    sq__state_t state = sq__load_acquire(&queue->state);
    *is_parked = sq__suspension_park(queue, state);
    /* SUSPENDED was set: either the baton is parked, or the word has changed, or what waits is discarded. The last two: look again. */
    return state & SQ__SUSPENDED;
}
