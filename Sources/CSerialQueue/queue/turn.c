#include "queue/turn.h"

#include "gate/gate_inline.h"
#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"
#include "platform/text.h"
#include "queue/queue_runner.h"
#include "state/state_inline.h"
#include "wait/wait.h"

#include <errno.h>

/* True: the wait may end without a turn, because of its deadline or a deadlock. */
static bool may_be_given_up(const sq__call_t *call) {
    return call->deadline != SQ_FOREVER || sq__self_may_be_needed(sq__self_listed());
}

/* Fills a slot, or takes the queue if it was free, or (`shares`: with the queue's lock) joins the threads of a shared slot. Returns as
 * sq__ring_reserve; *place as sq__shared_enter says. The slot is yet to be published. */
static int enter(sq_queue_t *queue, bool shares, bool always_a_slot, sq__sharer_t *sharer, sq__reserved_t *place) {
    if (shares) {
        return sq__shared_enter(queue, always_a_slot, sharer, place);
    }
    int error = sq__ring_reserve(queue, always_a_slot, place);
    if (error == 0 && place->slot != NULL) {
        place->slot->work.waiter = sharer->waiter;
    }
    return error;
}

/* Returns the session in which the wait was recorded; 0: in none. */
static sq__session_t record(const sq_queue_t *queue, uintptr_t where, const void *site) {
    if (where != 0) {
        sq__sited_put(queue, where, site);
    }
    return sq__is_traced(queue) ? sq__trace_hook_wait(queue, SQ__AIM_TURN, where, site) : 0;
}

int sq__turn_wait(sq_queue_t *queue, sq__call_t *call) {
    sq__wait_t wait = { .queue = queue, .aim = SQ__AIM_TURN, .site = call->site, .is_barrier = call->kind & SQ__BARRIER };
    sq__reserved_t place = { .slot = NULL };
    int error = sq__wait_begin(&wait, call->kind != SQ__AWAITED && !call->is_brief);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    sq__token_wait_in(wait.token, queue);
    char label[64];
    if (call->kind == SQ__AWAITED) { /* the task that it waits for may release the queue before this thread has fallen asleep */
        sq__text_copy(label, sizeof label, queue->label);
        wait.label = label;
    }
    sq__sharer_t sharer = {
        .kind = call->kind, .waiter = { .token = wait.token, .wait_id = wait.wait_id, .call = call }
    };
    bool shares = sq__ring_depth(queue) >= SQ__SHARED_FROM && may_be_given_up(call);
    if (shares) {
        sq__lock(queue);
    }
    /* A call takes a slot even on a free queue: only a slot can be withdrawn. */
    error = enter(queue, shares, call->kind == SQ__AWAITED, &sharer, &place);
    bool is_free = error == 0 && place.owns && place.slot == NULL;
    sq__session_t session = 0;
    if (error == 0 && !is_free) {
        /* Now, as another task may release the queue once the call can begin: when its slot is published, or that which it has joined is unlocked. */
        wait.is_next = sq__ring_depth(queue) <= 1;
        if (sq__is_sited(queue)) {
            session = record(queue, (uintptr_t)place.slot, call->site);
        }
    }
    if (shares) {
        sq__unlock(queue);
    }
    if (error || is_free) {
        sq__wait_cancel(&wait);
        if (error) {
            return sq__queue_reject(queue, error);
        }
        sq__count(&queue->ran, 1);
        return 0;
    }
    if (place.slot != NULL) {
        bool takes = sq__concurrent_takes(queue);
        if (sq__ring_publish(&place, shares ? SQ__SHARED : call->kind) || takes) {
            sq__baton_pass(queue); /* to the head of the ring, which may be this thread's own slot */
        }
    }
    if (call->is_brief) {
        error = sq__wait_briefly(&wait);
    } else {
        /* A call with SQ_NOW has taken a free queue, but the runner may not begin soon. The clock does not decide this: a deadline to
         * come may pass at any time, and then the wait ends. */
        bool has_no_limit = place.owns && call->deadline == SQ_NOW;
        error = sq__wait_end(&wait, has_no_limit ? SQ_FOREVER : call->deadline);
    }
    if (__builtin_expect(session != 0, 0)) {
        bool is_done = error == 0 && call->is_done;
        sq__trace_close(session, SQ__EVENT_WAITED, is_done ? SQ__EVENT_DONE : (unsigned)error, 0);
    }
    if (error && error != ESTALE) {
        if (shares) {
            sq__shared_leave(queue, &sharer);
        }
        sq__tally(queue, SQ__TALLY_WITHDRAWN, 1);
        bool holds_up = wait.is_barrier || (call->kind == SQ__AWAITED && sq__is_concurrent(queue));
        if (holds_up && sq__concurrent_takes_back(queue)) {
            sq__baton_pass(queue); /* to those that waited behind this one */
        }
    }
    return error;
}

int sq__turn_take(sq_queue_t *queue, sq__call_t *call) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    while (sq__state_is_free(state)) {
        /* [own] acquire: what the last holder wrote. */
        if (sq__cas_acquire(&queue->state, &state, state | SQ__OWNED)) {
            sq__count(&queue->ran, 1);
            call->submitted = SQ__DID_NOT_WAIT;
            return 0;
        }
    }
    call->submitted = sq__timings_now(queue);
    int error = sq__wait_check_deadline(call->deadline);
    call->kind = SQ__WAITER;
    return error ? sq__queue_reject(queue, error) : sq__turn_wait(queue, call);
}
