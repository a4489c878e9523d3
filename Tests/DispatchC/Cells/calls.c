/* calls.c: the calls of the matrix. */
#include "cells.h"

static void async(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_async_f(queue, probe, work); }
static void barrier_async(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_barrier_async_f(queue, probe, work); }
static void sync_f(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_sync_f(queue, probe, work); }
static void barrier_sync(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_barrier_sync_f(queue, probe, work); }
static void and_wait(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_async_and_wait_f(queue, probe, work); }
static void barrier_and_wait(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_barrier_async_and_wait_f(queue, probe, work);
}
static void after(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_after_f(in_milliseconds(5), queue, probe, work); }
static void after_now(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_after_f(DISPATCH_TIME_NOW, queue, probe, work); }
static void after_past(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_after_f(1, queue, probe, work); }
static void after_wall(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_after_f(dispatch_walltime(NULL, 5000000), queue, probe, work);
}
static void group_async(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async_f(group, queue, probe, work);
    dispatch_release(group);
}
static void group_notify(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_notify_f(group, queue, probe, work);
    dispatch_release(group);
}
static void group_notify_later(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_enter(group);
    dispatch_group_notify_f(group, queue, probe, work);
    dispatch_group_leave(group);
    dispatch_release(group);
}

struct iteration {
    void *probe;
    dispatch_function_t work;
};
static void iterate(void *context, size_t index) {
    struct iteration *iteration = context;
    if (index == 0) {
        iteration->work(iteration->probe);
    }
}
static void apply(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_apply_f(3, queue, &(struct iteration){ probe, work }, iterate);
}

struct timer {
    dispatch_source_t source;
    void *probe;
    dispatch_function_t work;
};
static void fire(void *context) {
    struct timer *timer = context;
    timer->work(timer->probe);
    dispatch_source_cancel(timer->source);
}
static void end_timer(void *context) {
    struct timer *timer = context;
    dispatch_release(timer->source);
    free(timer);
}
static void start(dispatch_queue_t queue, void *probe, dispatch_function_t work, dispatch_time_t when) {
    struct timer *timer = malloc(sizeof *timer);
    *timer = (struct timer){ dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue), probe, work };
    dispatch_set_context(timer->source, timer);
    dispatch_source_set_event_handler_f(timer->source, fire);
    dispatch_source_set_cancel_handler_f(timer->source, end_timer);
    dispatch_source_set_timer(timer->source, when, DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(timer->source);
}
static void timer(dispatch_queue_t queue, void *probe, dispatch_function_t work) { start(queue, probe, work, in_milliseconds(5)); }
static void timer_wall(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    start(queue, probe, work, dispatch_walltime(NULL, 5000000));
}

#ifdef __BLOCKS__
static void block_async(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_async(queue, ^{ work(probe); }); }
static void block_barrier_async(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_barrier_async(queue, ^{ work(probe); }); }
static void block_sync(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_sync(queue, ^{ work(probe); }); }
static void block_barrier_sync(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_barrier_sync(queue, ^{ work(probe); }); }
static void block_and_wait(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_async_and_wait(queue, ^{ work(probe); }); }
static void block_barrier_and_wait(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_barrier_async_and_wait(queue, ^{ work(probe); });
}
static void block_after(dispatch_queue_t queue, void *probe, dispatch_function_t work) { dispatch_after(in_milliseconds(5), queue, ^{ work(probe); }); }
static void block_apply(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_apply(3, queue, ^(size_t index) { if (index == 0) { work(probe); } });
}
static void block_group_async(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async(group, queue, ^{ work(probe); });
    dispatch_release(group);
}
static void block_group_notify(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_notify(group, queue, ^{ work(probe); });
    dispatch_release(group);
}
static void object_async(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_block_t block = dispatch_block_create(0, ^{ work(probe); });
    dispatch_async(queue, block);
    _Block_release(block);
}
static void object_sync(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_block_t block = dispatch_block_create(0, ^{ work(probe); });
    dispatch_sync(queue, block);
    _Block_release(block);
}
static void object_barrier(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_block_t block = dispatch_block_create(DISPATCH_BLOCK_BARRIER, ^{ work(probe); });
    dispatch_async(queue, block);
    _Block_release(block);
}
static void object_barrier_sync(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_block_t block = dispatch_block_create(DISPATCH_BLOCK_BARRIER, ^{ work(probe); });
    dispatch_sync(queue, block);
    _Block_release(block);
}
static void object_after(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_block_t block = dispatch_block_create(0, ^{ work(probe); });
    dispatch_after(in_milliseconds(5), queue, block);
    _Block_release(block);
}
static void object_group(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_block_t block = dispatch_block_create(0, ^{ work(probe); });
    dispatch_group_async(group, queue, block);
    _Block_release(block);
    dispatch_release(group);
}
static void object_notify(dispatch_queue_t queue, void *probe, dispatch_function_t work) {
    dispatch_block_t block = dispatch_block_create(0, ^{});
    dispatch_block_notify(block, queue, ^{ work(probe); });
    block();
    _Block_release(block);
}
#endif

const call_t calls[] = {
    { "async_f", 0, 0, 0, async },
    { "barrier_async_f", 0, 1, 0, barrier_async },
    { "sync_f", 1, 0, 0, sync_f },
    { "barrier_sync_f", 1, 1, 0, barrier_sync },
    { "async_and_wait_f", 1, 0, 0, and_wait },
    { "barrier_async_and_wait_f", 1, 1, 0, barrier_and_wait },
    { "after_f", 0, 0, 1, after },
    { "after_f-now", 0, 0, 1, after_now },
    { "after_f-past", 0, 0, 1, after_past },
    { "after_f-wall", 0, 0, 1, after_wall },
    { "group_async_f", 0, 0, 0, group_async },
    { "group_notify_f", 0, 0, 1, group_notify },
    { "group_notify_f-later", 0, 0, 1, group_notify_later },
    { "apply_f", 1, 0, 0, apply },
    { "timer", 0, 0, 1, timer },
    { "timer-wall", 0, 0, 1, timer_wall },
#ifdef __BLOCKS__
    { "async", 0, 0, 0, block_async },
    { "barrier_async", 0, 1, 0, block_barrier_async },
    { "sync", 1, 0, 0, block_sync },
    { "barrier_sync", 1, 1, 0, block_barrier_sync },
    { "async_and_wait", 1, 0, 0, block_and_wait },
    { "barrier_async_and_wait", 1, 1, 0, block_barrier_and_wait },
    { "after", 0, 0, 1, block_after },
    { "apply", 1, 0, 0, block_apply },
    { "group_async", 0, 0, 0, block_group_async },
    { "group_notify", 0, 0, 1, block_group_notify },
    { "object-async", 0, 0, 0, object_async },
    { "object-sync", 1, 0, 0, object_sync },
    { "object-barrier", 0, 1, 0, object_barrier },
    { "object-barrier-sync", 1, 1, 0, object_barrier_sync },
    { "object-after", 0, 0, 1, object_after },
    { "object-group", 0, 0, 0, object_group },
    { "object-notify", 0, 0, 1, object_notify },
#endif
};
const int call_count = sizeof calls / sizeof calls[0];
