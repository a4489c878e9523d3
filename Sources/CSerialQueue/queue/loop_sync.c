#include "queue/loop_sync.h"

#include "kernel/run.h"
#include "observe/call_sites.h"
#include "platform/clock.h"
#include "pool/loop.h"
#include "queue/runner.h"
#include "queue/turn.h"

#include <errno.h>

/* Returns 0 if the deadline permits a wait. */
static int check_deadline(sq_time_t deadline) {
    if (deadline == SQ_NOW) {
        return EAGAIN;
    }
    return deadline != SQ_FOREVER && deadline <= sq__clock_now() ? ETIMEDOUT : 0;
}

static int call_owner(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, sq__site_t site) {
    sq__call_t call = { .task = { .run = function, .context = context }, .submitted = sq__measured_now(queue) };
    int error = check_deadline(deadline);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    return sq__turn_wait(queue, &(sq__turn_wanted_t){ .kind = SQ__AWAITED, .call = &call, .deadline = deadline, .site = site });
}

static bool take_if_free(sq_queue_t *queue) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    while (sq__state_is_free(state)) {
        /* [own] acquire: what the last holder wrote. */
        if (sq__cas_acquire(&queue->state, &state, state | SQ__OWNED)) {
            sq__count(&queue->ran, 1);
            return true;
        }
    }
    return false;
}

static int run_in_place(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, sq__site_t site) {
    uint64_t submitted = SQ__DID_NOT_WAIT;
    if (!take_if_free(queue)) {
        submitted = sq__measured_now(queue);
        int error = check_deadline(deadline);
        if (error) {
            return sq__queue_reject(queue, error);
        }
        error = sq__turn_wait(queue, &(sq__turn_wanted_t){ .kind = SQ__WAITER, .deadline = deadline, .site = site });
        if (error) {
            return error;
        }
    }
    sq__run_turn(queue, submitted, function, context, site);
    sq__baton_pass(queue);
    return 0;
}

int sq__loop_sync(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    if (sq__queue_is_stale(queue)) {
        return sq__queue_reject(queue, ESTALE);
    }
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) {
        return sq__queue_reject(queue, ESHUTDOWN);
    }
    sq__site_t site = sq__sited_call(queue, sq__site(caller, 0));
    const sq__pool_t *loop = sq__runner_pool(sq__load_relaxed(&queue->runner));
    return sq__pool_is_own_loop(loop) ? run_in_place(queue, deadline, function, context, site)
                                      : call_owner(queue, deadline, function, context, site);
}
