#include "kernel/suspension.h"

#include "state/queue_lock.h"
#include "observe/suspended_list.h"

sq__state_t sq__suspension_clear(sq_queue_t *queue, sq__state_t flags) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [park] acquire: the writes of the holder that parked the baton, if we take it. [own] the same if the suspender took the free queue;
     * release: [control]. */
    while (!sq__cas_acq_rel(&queue->state, &state, state & ~flags)) {
    }
    return state;
}

/* Nobody can resume it: there is no reference left, or none but that of the queues whose target this is (*is_pinned). */
static bool is_stuck(const sq_queue_t *queue, sq__state_t state, bool *is_pinned) {
    *is_pinned = sq__load_relaxed(&queue->references) == SQ__PINNED;
    return (state & SQ__SUSPENDED) && (*is_pinned || sq__state_is_released(state));
}

/* By the holder: the queue was suspended for good, unless somebody has taken a reference meanwhile. A pinned queue ends, and
 * those whose target it is run after that. */
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
