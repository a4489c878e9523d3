#include "queue/suspend.h"

#include "include/sq_suspend.h"
#include "queue/handle.h"
#include "queue/lock.h"
#include "queue/owner.h"

#include <errno.h>

bool sq__suspend_park(sq_queue_t *queue, sq__state_t state) {
    /* [park] release: what we did with the baton; pairs with take_up. One try: if the word has changed, the reason to park
     * may have gone, or a reason to end the queue come. */
    return (state & SQ__SUSPENDED) && sq__cas_release(&queue->state, &state, state | SQ__PARKED);
}

/* Clears and sets flags. Returns the word as it was. */
static sq__state_t change(sq_queue_t *queue, sq__state_t clear, sq__state_t set) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [park] acquire: what the holder did who parked the baton, if we take it up. [own] the same for a free queue;
     * release: [control]. */
    while (!sq__cas_acq_rel(&queue->state, &state, (state & ~clear) | set)) {
    }
    return state;
}

int sq_suspend(sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    int error = 0;
    sq__lock(queue);
    sq__state_t state = sq__load_relaxed(&queue->state);
    if (state & SQ__ENDED) {
        error = ESHUTDOWN;
    } else if (queue->suspensions == UINT32_MAX) {
        error = EOVERFLOW;
    } else if (queue->suspensions++ == 0) {
        sq__store_relaxed(&queue->control, sq__load_relaxed(&queue->control) | SQ__HOLD);
        sq__state_t next;
        do {
            next = state | SQ__SUSPENDED;
            if (sq__state_is_free(state)) {
                next |= SQ__OWNED | SQ__PARKED;
            }
            /* [own] acquire: a free queue is ours, and we park it. release: [control] */
        } while (!sq__cas_acq_rel(&queue->state, &state, next));
    }
    sq__unlock(queue);
    return error;
}

int sq_resume(sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    bool takes_up = false;
    sq__lock(queue);
    if (queue->suspensions == 0) {
        sq__unlock(queue);
        return EINVAL;
    }
    queue->suspensions -= 1;
    if (queue->suspensions == 0) {
        sq__store_relaxed(&queue->control, sq__load_relaxed(&queue->control) & ~(uint32_t)SQ__HOLD);
        takes_up = change(queue, SQ__SUSPENDED | SQ__PARKED, 0) & SQ__PARKED;
    }
    sq__unlock(queue);
    if (takes_up) {
        sq__owner_pass(queue);
    }
    return 0;
}

void sq__suspend_abandon(sq_queue_t *queue) {
    sq__lock(queue);
    sq__store_relaxed(&queue->control, SQ__DISCARD);
    sq__state_t state = change(queue, SQ__SUSPENDED | SQ__PARKED, SQ__RELEASED);
    sq__unlock(queue);
    if (state & SQ__PARKED) {
        sq__owner_pass(queue);
    }
}
