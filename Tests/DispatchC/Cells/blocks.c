/* blocks.c: blocks, and block objects. */
#include "cells.h"

#ifdef __BLOCKS__

static dispatch_queue_t queue(void) { return dispatch_queue_create("q", NULL); }
static dispatch_block_t object(dispatch_block_flags_t flags, const char *word) {
    return dispatch_block_create(flags, ^{ note("%s", word); });
}
static dispatch_semaphore_t over;

CELL("block/captures", captures) {
    dispatch_queue_t q = queue();
    __block int count = 0;
    int add = 5;
    dispatch_async(q, ^{ count += add; });
    dispatch_async(q, ^{ count += add; });
    dispatch_sync(q, ^{ count += add; });
    note("%d", count);
    dispatch_release(q);
}
CELL("block/notifies-after-a-run-while-pending", notifies_while_pending) {
    dispatch_queue_t q = queue(), other = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_suspend(q);
    dispatch_async(q, block);
    block();
    dispatch_block_notify(block, other, ^{ note("notified"); });
    dispatch_sync(other, ^{ note("resume"); });
    dispatch_resume(q);
    drain(q);
    drain(other);
    _Block_release(block);
    dispatch_release(q);
    dispatch_release(other);
}
CELL("block/create-invalid", create_invalid) {
    note("%s", dispatch_block_create(0x1000, ^{}) ? "is" : "none");
    note("%s", dispatch_block_create_with_qos_class(0, 0x77, 0, ^{}) ? "is" : "none");
    note("%s", dispatch_block_create_with_qos_class(0, 0x11, 1, ^{}) ? "is" : "none");
    note("%s", dispatch_block_create_with_qos_class(0, 0x11, -16, ^{}) ? "is" : "none");
    dispatch_block_t block = dispatch_block_create_with_qos_class(DISPATCH_BLOCK_ENFORCE_QOS_CLASS, 0x11, -3, ^{ note("ran"); });
    block();
    _Block_release(block);
}
/* A block object that is a barrier, submitted to a suspended queue before a block that is none. */
static void order(void (^submit)(dispatch_queue_t queue, dispatch_block_t block)) {
    dispatch_queue_t q = dispatch_queue_create("q", DISPATCH_QUEUE_CONCURRENT);
    dispatch_semaphore_t done = dispatch_semaphore_create(0), gate = dispatch_semaphore_create(0);
    dispatch_block_t block = dispatch_block_create(DISPATCH_BLOCK_BARRIER, ^{
        dispatch_semaphore_wait(gate, in_milliseconds(5));
        note("barrier");
        dispatch_semaphore_signal(done);
    });
    dispatch_suspend(q);
    submit(q, block);
    dispatch_async(q, ^{
        note("after");
        dispatch_semaphore_signal(done);
    });
    dispatch_resume(q);
    must(done);
    must(done);
    drain(q);
    _Block_release(block);
    dispatch_release(q);
    dispatch_release(done);
    dispatch_release(gate);
}
CELL("block/barrier-after-in-order", order_after) {
    order(^(dispatch_queue_t q, dispatch_block_t block) { dispatch_after(DISPATCH_TIME_NOW, q, block); });
}
CELL("block/barrier-of-group-in-order", order_group) {
    order(^(dispatch_queue_t q, dispatch_block_t block) {
        dispatch_group_t group = dispatch_group_create();
        dispatch_group_enter(group);
        dispatch_group_notify(group, q, block);
        dispatch_group_leave(group);
        dispatch_release(group);
    });
}
CELL("block/barrier-of-block-in-order", order_block) {
    order(^(dispatch_queue_t q, dispatch_block_t block) {
        dispatch_block_t first = object(0, "first");
        dispatch_block_notify(first, q, block);
        first();
        _Block_release(first);
    });
}
CELL("block/called", called) {
    dispatch_block_t block = object(0, "ran");
    note("%d", dispatch_block_wait(block, DISPATCH_TIME_NOW) != 0);
    block();
    note("%ld", (long)dispatch_block_testcancel(block));
    _Block_release(block);
}
CELL("block/called-then-waited", called_then_waited) {
    dispatch_block_t block = object(0, "ran");
    block();
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_NOW));
    _Block_release(block);
}
CELL("block/wait", block_wait) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_async(q, block);
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/wait-timeout", wait_timeout) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_suspend(q);
    dispatch_async(q, block);
    note("%d", dispatch_block_wait(block, in_milliseconds(2)) != 0);
    dispatch_resume(q);
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/cancelled-before", cancelled_before) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_block_cancel(block);
    note("%d", dispatch_block_testcancel(block) != 0);
    dispatch_async(q, block);
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
    _Block_release(block);
    block = object(0, "ran");
    dispatch_block_cancel(block);
    dispatch_sync(q, block);
    block();
    note("over");
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/cancelled-waiting", cancelled_waiting) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_suspend(q);
    dispatch_async(q, block);
    dispatch_block_cancel(block);
    note("%d", dispatch_block_wait(block, in_milliseconds(2)) != 0);
    dispatch_resume(q);
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/cancelled-running", cancelled_running) {
    over = dispatch_semaphore_create(0);
    __block dispatch_block_t block = dispatch_block_create(0, ^{
        note("%ld", (long)dispatch_block_testcancel(block));
        dispatch_block_cancel(block);
        note("%d", dispatch_block_testcancel(block) != 0);
        dispatch_semaphore_signal(over);
    });
    dispatch_async(dispatch_get_global_queue(0, 0), block);
    must(over);
}
CELL("block/notify", block_notify) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_block_notify(block, q, ^{ note("notified"); });
    dispatch_block_notify(block, q, ^{ note("again"); });
    dispatch_sync(q, block);
    drain(q);
    dispatch_block_notify(block, q, ^{ note("later"); });
    drain(q);
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/notify-cancelled", notify_cancelled) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_block_cancel(block);
    dispatch_block_notify(block, q, ^{ note("notified"); });
    drain(q);
    note("drained");
    dispatch_async(q, block);
    drain(q);
    drain(q);
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/twice", twice) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_async(q, block);
    dispatch_async(q, block);
    dispatch_sync(q, block);
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/perform", perform) {
    dispatch_block_perform(0, ^{ note("performed"); });
    dispatch_block_perform(DISPATCH_BLOCK_BARRIER | DISPATCH_BLOCK_DETACHED, ^{ note("again"); });
}
CELL("block/barrier", barrier) {
    dispatch_queue_t q = dispatch_queue_create("q", DISPATCH_QUEUE_CONCURRENT);
    dispatch_block_t block = dispatch_block_create(DISPATCH_BLOCK_BARRIER, ^{
        dispatch_assert_queue_barrier(q);
        note("alone");
    });
    dispatch_async(q, block);
    dispatch_sync(q, block);
    dispatch_async_and_wait(q, block);
    _Block_release(block);
    dispatch_release(q);
}
CELL("block/barrier-notified", barrier_notified) {
    over = dispatch_semaphore_create(0);
    dispatch_queue_t q = dispatch_queue_create("q", DISPATCH_QUEUE_CONCURRENT);
    dispatch_block_t first = object(0, "ran"), block = dispatch_block_create(DISPATCH_BLOCK_BARRIER, ^{
        dispatch_assert_queue_barrier(q);
        note("alone");
        dispatch_semaphore_signal(over);
    });
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_notify(group, q, block);
    must(over);
    first();
    dispatch_block_notify(first, q, block);
    must(over);
    _Block_release(block);
    _Block_release(first);
    dispatch_release(group);
    dispatch_release(q);
}
CELL("block/in-group", in_group) {
    dispatch_queue_t q = queue();
    dispatch_group_t group = dispatch_group_create();
    dispatch_block_t block = object(0, "ran"), cancelled = object(0, "no");
    dispatch_block_cancel(cancelled);
    dispatch_group_async(group, q, block);
    dispatch_group_async(group, q, cancelled);
    must_all(group);
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_NOW));
    _Block_release(block);
    _Block_release(cancelled);
    dispatch_release(group);
    dispatch_release(q);
}
CELL("block/nested-object", nested_object) {
    dispatch_block_t inner = object(0, "ran");
    dispatch_block_t outer = dispatch_block_create(0, inner);
    dispatch_block_cancel(inner);
    outer();
    note("%ld", (long)dispatch_block_testcancel(outer));
    _Block_release(outer);
    _Block_release(inner);
}
CELL("block/once", block_once) {
    static dispatch_once_t predicate;
    for (int i = 0; i < 3; i += 1) {
        dispatch_once(&predicate, ^{ note("once"); });
    }
}
static void *released_by(dispatch_block_t (^make)(void)) { return make(); }
CELL("block/copied", copied) {
    dispatch_block_t block = released_by(^{ return object(0, "ran"); });
    dispatch_block_t copy = _Block_copy(block);
    note("%d", copy == block);
    _Block_release(block);
    copy();
    note("%ld", (long)dispatch_block_wait(copy, DISPATCH_TIME_NOW));
    _Block_release(copy);
}

CELL("block/any-object", any_object) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(1);
    dispatch_block_t block = object(0, "ran");
    dispatch_queue_t q = queue();
    note("%ld", (long)dispatch_wait(group, DISPATCH_TIME_NOW));
    note("%ld", (long)dispatch_wait(semaphore, DISPATCH_TIME_NOW));
    dispatch_semaphore_signal(semaphore);
    dispatch_notify(group, q, ^{ note("group"); });
    drain(q);
    dispatch_cancel(block);
    note("%d", dispatch_testcancel(block) != 0);
    _Block_release(block);
    dispatch_release(q);
    dispatch_release(group);
    dispatch_release(semaphore);
}

CELL_ALONE("ends/block-waited-twice", waited_twice) {
    dispatch_block_t block = object(0, "ran");
    dispatch_async(dispatch_get_global_queue(0, 0), block);
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
}
CELL_ALONE("ends/block-run-twice-and-waited", twice_and_waited) {
    dispatch_block_t block = object(0, "ran");
    block();
    block();
    note("%ld", (long)dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
}
CELL_ALONE("ends/block-run-twice-and-notified", twice_and_notified) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    block();
    block();
    dispatch_block_notify(block, q, ^{ note("notified"); });
    drain(q);
}
CELL_ALONE("ends/block-wait-behind-caller", wait_behind) {
    dispatch_queue_t q = queue();
    dispatch_block_t block = object(0, "ran");
    dispatch_suspend(q);
    dispatch_async(q, ^{ dispatch_block_wait(block, DISPATCH_TIME_FOREVER); });
    dispatch_async(q, block);
    dispatch_resume(q);
    drain(q);
}
CELL_ALONE("ends/plain-block-waited", plain_waited) {
    dispatch_block_wait(^{}, DISPATCH_TIME_NOW);
    note("waited");
}
CELL_ALONE("ends/plain-block-cancelled", plain_cancelled) {
    dispatch_block_cancel(^{});
    note("cancelled");
}
CELL_ALONE("ends/perform-invalid", perform_invalid) {
    dispatch_block_perform(0x1000, ^{});
    note("performed");
}
#endif
