#include "concurrent/admit.h"

#include "concurrent/concurrent.h"
#include "gate/gate_inline.h"
#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"

bool sq__admit_has_threads(const sq_queue_t *queue) {
    return !sq__runner_is_threadless(sq__load_relaxed(&queue->runner));
}

bool sq__admit_by_pool(sq_queue_t *queue) { return !sq__admit_has_threads(queue) || sq__gate_keep(sq__gate_of(queue)); }

/* O. The queue is to end. True: the caller still holds the baton, and ends it. False: the thread of the pool that is on its way with the queue's
 * entry has the baton, and ends it. */
static bool may_end(sq_queue_t *queue) {
    sq__gate_t *gate = sq__gate_of(queue);
    /* The end is not left to the pool: its threads may all be blocked. */
    sq__runner_t runner = sq__load_relaxed(&queue->runner);
    if ((sq__load_relaxed(gate) & SQ__GATE_POSTED) && sq__runner_kind(runner)->withdraw(runner, &queue->ready)) {
        sq__gate_unposted(gate);
        return true;
    }
    return !sq__gate_leave_end(gate);
}

static bool is_to_end(sq__state_t state) { return (state & SQ__CLOSED) || sq__state_is_released(state); }

/* O. Nothing is at the head. True: *next says what became of the baton. False: the caller still holds the baton, and looks again. */
static bool nothing_next(sq_queue_t *queue, sq__next_t *next) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    sq__state_t state;
    *next = SQ__NEXT_GONE;
    switch (sq__ring_rest(queue, &state)) {
    case SQ__REST_PLACED:
        return true;
    case SQ__REST_EMPTY:
        return sq__gate_open(&concurrent->gate, &concurrent->entered);
    default:
        break;
    }
    if (!is_to_end(state)) {
        return sq__suspension_park(queue, state);
    }
    sq__stripes_gather_if_striped(concurrent);
    void (*const drains)(const sq_queue_t *) = concurrent->drains;
    switch (sq__gate_await_readers(&concurrent->gate, SQ__GATE_ENDING)) {
    case SQ__STILL_HELD:
        /* A reader may have taken a reference since the first look, as the last thing that it did. Now none is inside. */
        if (!is_to_end(sq__load_acquire(&queue->state))) { /* [own] acquire: the last release, which set CLOSED or RELEASES */
            return false;
        }
        *next = may_end(queue) ? SQ__NEXT_END : SQ__NEXT_GONE;
        return true;
    case SQ__LAID_DOWN:
        drains(queue);
        return true;
    default:
        return false;
    }
}

/* O. A thread waits with what is at the head. True: its wait is over, so it was taken out and counted as skipped; what is behind it need not wait for
 * readers or width. */
static bool skip_withdrawn(sq_queue_t *queue) {
    const sq__waiter_t *waiter = &sq__next_work(queue)->waiter;
    if (sq__token_is_open(waiter->token, waiter->wait_id)) {
        return false;
    }
    (void)sq__next_take(queue);
    sq__count(&queue->skipped, 1);
    return true;
}

/* O. A barrier of this `kind` is at the head. Lays the baton down if readers are inside. SQ__STILL_HELD: none is, it may run. SQ__NEWS: the caller
 * looks again; also if the barrier's thread no longer waits: then the barrier was taken out and counted as skipped. */
static sq__laid_down_t await_readers(sq_queue_t *queue, uintptr_t kind) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    sq__token_t *token = NULL;
    if (kind == (SQ__WAITER | SQ__BARRIER)) {
        token = sq__next_work(queue)->waiter.token;
        if (skip_withdrawn(queue)) {
            return SQ__NEWS;
        }
    }
    void (*const drains)(const sq_queue_t *) = concurrent->drains;
    sq__stripes_gather_if_striped(concurrent);
    sq__store_relaxed(&concurrent->waiting_barrier, token);
    sq__laid_down_t laid_down = sq__gate_await_readers(&concurrent->gate, SQ__GATE_DRAINING);
    if (laid_down == SQ__LAID_DOWN) {
        drains(queue);
    }
    return laid_down;
}

/* O. Work of this `kind` is at the head. SQ__STILL_HELD: the work may start now, or be discarded. SQ__LAID_DOWN: the work must wait. SQ__NEWS: the
 * caller looks again; a wait that was over was taken out. */
static sq__laid_down_t await_turn(sq_queue_t *queue, uintptr_t kind, bool is_discarded) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    if (kind & SQ__BARRIER && !(is_discarded && kind == (SQ__WAITER | SQ__BARRIER) /* it is only refused */)) {
        return await_readers(queue, kind); /* if it is withdrawn now, there will be news */
    }
    if (kind == SQ__WAITER || is_discarded) {
        return SQ__STILL_HELD;
    }
    if (kind == SQ__AWAITED && skip_withdrawn(queue)) {
        return SQ__NEWS;
    }
    return sq__gate_await_width(&concurrent->gate, &concurrent->asyncs, concurrent->width);
}

sq__next_t sq__admit_next(sq_queue_t *queue, uint32_t *control) {
    sq__next_t next;
    uintptr_t kind;
    for (unsigned let_ins = 0;;) {
        if (!sq__baton_find(queue, &kind, control)) {
            return SQ__NEXT_GONE;
        }
        if (kind == SQ__EMPTY) {
            if (!sq__gate_see_news(sq__gate_of(queue)) && nothing_next(queue, &next)) {
                return next;
            }
            continue;
        }
        sq__laid_down_t turn = await_turn(queue, kind, *control & SQ__DISCARD);
        if (turn == SQ__LAID_DOWN) {
            return SQ__NEXT_GONE;
        }
        if (turn == SQ__NEWS) {
            (void)sq__gate_see_news(sq__gate_of(queue));
            continue;
        }
        if ((kind & ~(uintptr_t)SQ__BARRIER) != SQ__WAITER) {
            return SQ__NEXT_TASK;
        }
        bool is_reader = kind == SQ__WAITER, with_baton = is_reader && let_ins >= SQ__ADMITS && !(*control & SQ__DISCARD);
        bool is_in = sq__baton_grant(queue, *control, is_reader ? SQ__GATE_INSIDE_ONE : SQ__GATE_BARRIER, with_baton);
        if (is_in && (with_baton || !is_reader)) {
            return SQ__NEXT_GONE;
        }
        let_ins += is_in;
    }
}

bool sq__admit_pass(sq_queue_t *queue) {
    uint32_t control;
    sq__next_t next = sq__admit_next(queue, &control);
    if (next == SQ__NEXT_TASK) {
        sq__watch_gets_busy(queue);
        if (sq__admit_by_pool(queue)) {
            sq__runner_post(sq__load_relaxed(&queue->runner), &queue->ready);
        }
    }
    return next == SQ__NEXT_END;
}
