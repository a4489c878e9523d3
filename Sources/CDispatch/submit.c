/* submit.c: submitting functions. */
#include "alone.h"
#include "fail.h"
#include "queue.h"
#include "when.h"
#include <errno.h>

/* A barrier that is submitted; nothing is to be done if it does not run. */
static void run_alone(void *context, void *function, bool runs) {
    if (runs) {
        sq__dispatch_call_alone((dispatch_function_t)(uintptr_t)function, context);
    }
}

/* A function and its context, for a call that waits. */
struct call {
    dispatch_function_t function;
    void *context;
};

static void call_alone(void *context) {
    struct call *call = context;
    sq__dispatch_call_alone(call->function, call->context);
}

void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
    sq__dispatch_check("dispatch_async", sq_async(sq__dispatch_core(queue), work, context), queue);
}

void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
    sq__dispatch_check("dispatch_sync", sq_sync(sq__dispatch_core_for_sync(queue), work, context), queue);
}

void dispatch_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
    sq__dispatch_check("dispatch_async_and_wait", sq_async_and_wait(sq__dispatch_core_for_sync(queue), SQ_FOREVER, work, context), queue);
}

void dispatch_barrier_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
    sq_queue_t *core = sq__dispatch_core(queue);
    int error = sq__dispatch_has_barriers(queue, core) ? sq_async_barrier_pair(core, run_alone, context, (void *)(uintptr_t)work) : sq_async(core, work, context);
    sq__dispatch_check("dispatch_barrier_async", error, queue);
}

void dispatch_barrier_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
    sq_queue_t *core = sq__dispatch_core_for_sync(queue);
    bool has_barriers = sq__dispatch_has_barriers(queue, core);
    int error = has_barriers ? sq_sync_barrier(core, call_alone, &(struct call){ work, context }) : sq_sync(core, work, context);
    sq__dispatch_check("dispatch_barrier_sync", error, queue);
}

void dispatch_barrier_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
    sq_queue_t *core = sq__dispatch_core_for_sync(queue);
    bool has_barriers = sq__dispatch_has_barriers(queue, core);
    int error = has_barriers ? sq_sync_barrier(core, call_alone, &(struct call){ work, context }) : sq_async_and_wait(core, SQ_FOREVER, work, context);
    sq__dispatch_check("dispatch_barrier_async_and_wait", error, queue);
}

void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work) {
    if (when != DISPATCH_TIME_FOREVER) {
        sq__dispatch_check("dispatch_after", sq_async_after(sq__dispatch_core(queue), sq__dispatch_delay(when), work, context), queue);
    }
}

/* The arguments of an apply. */
struct loop {
    size_t count;
    void (*work)(void *, size_t);
    void *context;
    sq_pool_t *pool;
    int error;
};

static void run_in_order(void *context) {
    struct loop *loop = context;
    for (size_t i = 0; i < loop->count; i += 1) {
        loop->work(loop->context, i);
    }
}

static void run_on_pool(void *context) {
    struct loop *loop = context;
    loop->error = sq_apply(loop->pool, loop->count, loop->work, loop->context);
}

/* The loop is one task of the queue. On a concurrent one other threads help it: it ends after them, so barriers wait for all of it. */
void dispatch_apply_f(size_t count, dispatch_queue_t queue, void *context, void (*work)(void *, size_t)) {
    if (count == 0) {
        return;
    }
    struct loop loop = { count, work, context, NULL, 0 };
    if (queue == NULL) {
        sq__dispatch_will_wait();
        run_on_pool(&loop);
        sq__dispatch_check("dispatch_apply", loop.error, queue);
        return;
    }
    sq_queue_t *core = sq__dispatch_core_for_sync(queue);
    loop.pool = sq__dispatch_pool(queue->qos_class);
    int error = sq_sync(core, sq_queue_width(core) > 1 ? run_on_pool : run_in_order, &loop);
    sq__dispatch_check("dispatch_apply", error ? error : loop.error, queue);
}
