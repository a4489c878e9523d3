/* baton.c: what is next in a queue, and which thread gets the baton. kernel.h has the design. */
#include "kernel/kernel_inline.h"

#include "kernel/depth.h"
#include "kernel/ring.h"
#include "observe/observe_inline.h"

bool sq__baton_grant(sq_queue_t *queue, uint32_t control, sq__gate_word_t as, bool with_baton) {
    sq__gate_t *gate = as != 0 ? sq__gate_of(queue) : NULL;
    sq__depth_sample(queue);
    uintptr_t where = __builtin_expect(control & SQ__TRACED, 0) ? sq__next_where(queue) : 0;
    sq__waiter_t waiter = sq__next_take(queue).waiter;
    if (__builtin_expect(control & SQ__DISCARD, 0)) {
        (void)sq__token_refuse(waiter.token, waiter.wait_id); /* it counts itself as withdrawn */
    } else if (!with_baton || sq__token_claim(waiter.token, waiter.wait_id)) { /* only once it is claimed may its call be written to */
        if (__builtin_expect(where != 0, 0)) {
            sq__trace_hook_event(queue, SQ__EVENT_GRANT, 0, where, 0);
        }
        SQ__PROBE2(grant, queue, SQ__LABEL_AT);
        sq__count(&queue->ran, 1); /* on its behalf and beforehand: after the grant the count may no longer be ours */
        if (gate != NULL) {
            (void)sq__add_relaxed(gate, as);
        }
        if (with_baton) {
            waiter.call->has_baton = true;
        }
        if (sq__token_grant(waiter.token, waiter.wait_id)) {
            return true;
        }
        if (gate != NULL) { /* it had withdrawn */
            (void)sq__add_relaxed(gate, -as);
        }
        sq__count(&queue->ran, (uint64_t)-1);
    }
    sq__count(&queue->skipped, 1);
    return false;
}

/* O. Nothing is next. `by_runner`: spins first. True: *next says what became of the baton. False: the caller still holds the baton, and looks
 * again. */
static bool nothing_next(sq_queue_t *queue, bool by_runner, sq__next_t *next) {
    sq__state_t state;
    *next = SQ__NEXT_GONE;
    if (by_runner && sq__ring_spin(queue)) {
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
        if (by_runner) {
            sq__spin_was_vain(SQ__SPIN_WORKER_YIELD); /* worker.h */
        }
        if (sq__baton_grant(queue, control, 0, false)) {
            return SQ__NEXT_GONE;
        }
    }
}
