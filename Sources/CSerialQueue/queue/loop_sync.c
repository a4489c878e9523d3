#include "queue/loop_sync.h"

#include "kernel/run_task.h"
#include "pool/loop.h"
#include "queue/queue_runner.h"
#include "queue/turn.h"
#include "wait/wait.h"

#include <errno.h>

static int call_owner(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    sq__call_t call = { .task = { .run = function, .context = context }, .submitted = sq__timings_now(queue) };
    int error = sq__wait_check_deadline(deadline);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    return sq__turn_wait(queue, &(sq__turn_wanted_t){ .kind = SQ__AWAITED, .call = &call, .deadline = deadline, .site = caller });
}

static int run_in_place(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    uint64_t submitted;
    int error = sq__turn_take(queue, deadline, caller, &submitted);
    if (error) {
        return error;
    }
    sq__run_turn(queue, submitted, function, context, caller);
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
    const sq__pool_t *loop = sq__runner_pool(sq__load_relaxed(&queue->runner));
    return sq__pool_is_own_loop(loop) ? run_in_place(queue, deadline, function, context, caller)
                                      : call_owner(queue, deadline, function, context, caller);
}
