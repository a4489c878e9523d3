#include "queue/suspend.h"

#include "gate/gate_inline.h"
#include "include/sq_suspend.h"
#include "kernel/kernel.h"
#include "observe/observe_inline.h"
#include "queue/queue_runner.h"
#include "state/state_inline.h"

#include <errno.h>

int sq_suspend(sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    int error = 0;
    bool takes_up = false;
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    sq__lock(queue);
    sq__state_t state = sq__load_relaxed(&queue->state);
    uint32_t suspensions = sq__load_relaxed(&queue->suspensions);
    if (state & SQ__ENDED) {
        error = ESHUTDOWN;
    } else if (suspensions == UINT32_MAX) {
        error = EOVERFLOW;
    } else {
        suspensions += 1;
        sq__store_relaxed(&queue->suspensions, suspensions);
    }
    if (error == 0 && suspensions == 1) {
        sq__control(queue, 0, SQ__HELD_BACK);
        sq__suspended_add(queue);
        sq__state_t next;
        do {
            next = state | SQ__SUSPENDED;
            if (sq__state_is_free(state)) {
                next |= SQ__OWNED | SQ__PARKED;
            }
            /* [own] acquire: a free queue is now ours, and parked. release: [control] */
        } while (!sq__cas_acq_rel(&queue->state, &state, next));
        if (sq__state_is_free(state)) {
            sq__watch_gets_busy(queue); /* tasks that are submitted from now on wait */
        }
        takes_up = sq__concurrent_takes(queue); /* its gate is closed, and the baton parked */
    }
    sq__unlock(queue);
    if (error == 0) {
        SQ__PROBE3(suspend, queue, SQ__LABEL_AT, suspensions);
        sq__trace_hook_seldom(queue, SQ__EVENT_SUSPEND, 0, suspensions);
    }
    if (takes_up) {
        sq__baton_pass(queue);
    }
    return error;
}

/* The event comes before the resume: after that a task may release the last reference to the queue. */
int sq_resume(sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    bool takes_up = false;
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    if (sq__trace_is_on()) {
        sq__trace_hook_begin(queue);
    }
    sq__lock(queue);
    uint32_t suspensions = sq__load_relaxed(&queue->suspensions);
    if (suspensions == 0) {
        sq__unlock(queue);
        return EINVAL;
    }
    suspensions -= 1;
    SQ__PROBE3(resume, queue, SQ__LABEL_AT, suspensions);
    if (sq__trace_is_on()) {
        sq__trace_hook_event(queue, SQ__EVENT_RESUME, 0, 0, suspensions);
    }
    sq__store_relaxed(&queue->suspensions, suspensions);
    if (suspensions == 0) {
        sq__control(queue, SQ__HELD_BACK, 0);
        sq__suspended_remove(queue);
        takes_up = sq__suspension_clear(queue, SQ__SUSPENDED | SQ__PARKED) & SQ__PARKED;
    }
    sq__unlock(queue);
    if (takes_up) {
        sq__baton_pass(queue);
    }
    return 0;
}

bool sq__suspend_abandon(sq_queue_t *queue) {
    bool takes_up = false;
    sq__lock(queue);
    sq__state_t state = sq__load_relaxed(&queue->state);
    sq__state_t next;
    do {
        if (!(state & SQ__SUSPENDED) || (state & SQ__ENDED)) {
            sq__unlock(queue);
            return false;
        }
        next = state + SQ__RELEASE_ONE;
        takes_up = false;
        if (sq__state_is_released(next)) {
            /* Written before the swap, so visible to each thread that sees the swap. */
            sq__control(queue, SQ__HELD_BACK, SQ__DISCARD);
            next &= ~(SQ__SUSPENDED | SQ__PARKED);
            takes_up = state & SQ__PARKED;
            sq__store_relaxed(&queue->suspensions, 0);
        }
        /* [park] acquire: the writes of the holder that parked the baton. [own] release: our use of the queue. [control] release */
    } while (!sq__cas_acq_rel(&queue->state, &state, next));
    if (sq__state_is_released(next)) {
        sq__suspended_remove(queue); /* the caller holds the lock under which the queue ends, so it is still there */
    }
    sq__unlock(queue);
    if (takes_up) {
        sq__baton_pass(queue);
    }
    return true;
}
