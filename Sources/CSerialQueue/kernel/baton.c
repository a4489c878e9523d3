#include "kernel/baton.h"

#include "kernel/depth.h"
#include "observe/probes.h"
#include "kernel/suspension.h"
#include "observe/trace_hooks.h"

/* Called before the waiter that is next is taken, in a queue that is traced or that discards what waits. True: it must be refused. */
static bool look_at_waiter(sq_queue_t *queue, uint32_t control) {
    if (!(control & SQ__DISCARD)) {
        sq__trace_hook_event(queue, SQ__EVENT_GRANT, 0, sq__next_where(queue), 0);
        return false;
    }
    return true;
}

/* Takes the waiter that is next and grants its wait. True: the waiter has the baton now. */
static bool grant(sq_queue_t *queue, uint32_t control) {
    sq__depth_sample(queue);
    bool is_refused = __builtin_expect(control & (SQ__DISCARD | SQ__TRACED), 0) && look_at_waiter(queue, control);
    sq__waiter_t waiter = sq__next_take(queue).waiter;
    if (__builtin_expect(is_refused, 0)) {
        (void)sq__token_refuse(waiter.token, waiter.wait_id); /* it counts itself as withdrawn */
        sq__count(&queue->skipped, 1);
        return false;
    }
    SQ__PROBE2(grant, queue, SQ__LABEL_AT);
    sq__count(&queue->ran, 1); /* on its behalf and beforehand: after the grant the count is no longer ours */
    if (sq__token_grant(waiter.token, waiter.wait_id)) {
        return true;
    }
    sq__count(&queue->ran, (uint64_t)-1);
    sq__count(&queue->skipped, 1); /* it had withdrawn */
    return false;
}

/* Nothing is next. True: *next says what became of the baton. False: the caller looks again. */
static bool nothing_next(sq_queue_t *queue, bool by_runner, sq__next_t *next) {
    sq__state_t state;
    *next = SQ__NEXT_GONE;
    if (by_runner && sq__ring_linger(queue)) {
        return false;
    }
    if (sq__ring_give_back(queue, &state)) {
        return true;
    }
    if ((state & SQ__CLOSED) || sq__state_is_released(state)) {
        *next = SQ__NEXT_END;
        return true;
    }
    return sq__suspension_park(queue, state);
}

bool sq__baton_hold(sq_queue_t *queue, bool *is_parked) {
    /* [control] acquire: if the word says that what waits is discarded, the next look at the control does, too. */
    sq__state_t state = sq__load_acquire(&queue->state);
    *is_parked = sq__suspension_park(queue, state);
    /* SUSPENDED was set: either the baton is parked, or the word has changed, or what waits is discarded. The last two: look again. */
    return state & SQ__SUSPENDED;
}

sq__next_t sq__baton_next(sq_queue_t *queue, bool by_runner) {
    sq__next_t next;
    uintptr_t kind;
    uint32_t control;
    for (;;) {
        if (!sq__baton_find(queue, &kind, &control)) {
            return SQ__NEXT_GONE;
        }
        if (kind == SQ__EMPTY) {
            if (nothing_next(queue, by_runner, &next)) {
                return next;
            }
            continue;
        }
        if (kind != SQ__WAITER && (by_runner || kind != SQ__RUN_ANYWHERE)) {
            return SQ__NEXT_TASK;
        }
        if (grant(queue, control)) {
            return SQ__NEXT_GONE;
        }
    }
}
