/* concurrent_end_test.c: what a concurrent queue runs or discards alone, and how it ends. */
#include "concurrent.h"

#include "sq_barrier.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_timer.h"
#include "sq_watch.h"

typedef struct inside {
    size_t calls;
    int error;
} inside_t;

/* In a barrier a sync onto its queue is refused; a reader may do that. */
static void sync_inside(inside_t *inside, void (*function)(void *), void *context) {
    inside->calls += 1;
    inside->error = sq_sync(sq_current_queue(), function, context);
}

static void sync_in_task(void *context) { sync_inside(context, must_not_run, NULL); }

static void sync_in_pair(void *first, void *second, bool runs) {
    (void)second;
    CHECK(runs);
    sync_inside(first, must_not_run, NULL);
}

TEST(each_kind_of_async_barrier_runs_alone) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
    inside_t inside[3] = { { 0, 0 } };
    CHECK_EQUAL(sq_async_barrier(queue, sync_in_task, &inside[0]), 0);
    CHECK_EQUAL(sq_async_barrier_pair(queue, sync_in_pair, &inside[1], NULL), 0);
    CHECK_EQUAL(sq_async_barrier_job(queue, sync_in_pair, &inside[2], NULL), 0);
    CHECK_EQUAL(sq_pool_run(pool), 3);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(inside[i].calls, 1);
        CHECK_EQUAL(inside[i].error, EDEADLK);
    }
    sq_queue_release(queue);
    sq_pool_release(pool);
}

typedef struct visit {
    latch_t entered, calls;
    inside_t inside;
    size_t ran;
} visit_t;

/* A reader that calls sync when it may, and leaves. */
static void call_sync_later(void *context) {
    visit_t *visit = context;
    latch_bump(&visit->entered);
    latch_wait(&visit->calls, 1);
    sync_inside(&visit->inside, add_one, &visit->ran);
}

typedef struct last {
    visit_t *visit;
    size_t discarded;
    bool was_over;
} last_t;

static void discard_last(void *context) {
    last_t *last = context;
    last->was_over = last->visit->ran == 1;
    last->discarded += 1;
}

static void discard_last_pair(void *first, void *second, bool runs) {
    (void)second;
    CHECK(!runs);
    discard_last(first);
}

static int submit_barrier(unsigned kind, sq_queue_t *queue, sq_group_t *group, last_t *last) {
    const sq_task_t task = { must_not_run, last, discard_last };
    const sq_item_options_t options = { sizeof options, SQ_ITEM_BARRIER };
    sq_item_t *item;
    int error;
    switch (kind) {
    case 0: return sq_async_barrier_task(queue, &task);
    case 1: return sq_async_barrier_pair(queue, discard_last_pair, last, NULL);
    case 2: return sq_async_barrier_job(queue, discard_last_pair, last, NULL);
    case 3: return sq_group_async_barrier_task(group, queue, &task);
    case 4: return sq_group_async_barrier_pair(group, queue, discard_last_pair, last, NULL);
    case 5: return sq_group_notify_barrier(group, queue, &task);
    default:
        item = sq_item_create_with("barrier", &task, &options);
        REQUIRE(item != NULL);
        error = sq_item_submit(item, queue);
        sq_item_release(item);
        return error;
    }
}

/* Its discard function may free what the tasks before it use. Meanwhile the reader may call sync. */
TEST(a_barrier_that_is_discarded_comes_after_the_tasks_before_it) {
    for (unsigned kind = 0; kind < 14; kind += 1) {
        bool is_suspended = kind % 2 == 1;
        sq_pool_t *pool = sq_pool_create_manual("manual");
        sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
        sq_group_t *group = sq_group_create("group");
        visit_t visit = { LATCH_INIT, LATCH_INIT, { 0, -1 }, 0 };
        last_t last = { .visit = &visit };
        visitor_t reader = { 0 };
        visitor_start(&reader, queue, false, call_sync_later, &visit);
        latch_wait(&visit.entered, 1);
        CHECK_EQUAL(is_suspended ? sq_suspend(queue) : 0, 0);
        CHECK_EQUAL(submit_barrier(kind / 2, queue, group, &last), 0);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
        CHECK_EQUAL(sq_pool_run(pool), 0);
        CHECK_EQUAL(last.discarded, 0);
        latch_bump(&visit.calls);
        CHECK_EQUAL(visitor_end(&reader), 0);
        CHECK_EQUAL(visit.inside.error, 0);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(last.discarded, 1);
        CHECK(last.was_over);
        check_outcomes(queue, 1, 1, 0, 0);
        sq_queue_release(queue);
        sq_group_release(group);
        sq_pool_release(pool);
    }
}

typedef struct order {
    sq_pool_t *pool;
    size_t begun, ended;
    bool overlaps;
} order_t;

static void discard_in_order(void *context) {
    order_t *order = context;
    order->overlaps |= order->begun != order->ended;
    order->begun += 1;
    if (order->begun < 3) {
        (void)sq_pool_run(order->pool);
    }
    order->ended += 1;
}

/* Readers, too, which would have run at the same time. */
TEST(tasks_are_discarded_one_after_the_other) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
    order_t order = { pool, 0, 0, false };
    for (size_t i = 0; i < 4; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, &order, discard_in_order }), 0);
    }
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(order.ended, 4);
    CHECK(!order.overlaps);
    CHECK(sq_has_ended(queue));
    sq_queue_release(queue);
    sq_pool_release(pool);
}

static void must_not_stall(void *context, const sq_stall_t *stall) {
    (void)context;
    (void)stall;
    CHECK(!"a stall");
}

/* There is nothing to run, so that nothing begins or ends. */
TEST(a_watched_queue_passes_a_call_whose_thread_no_longer_waits) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    size_t ran = 0;
    CHECK_EQUAL(sq_queue_watch(queue, 3600ull * 1000000000, &(sq_watcher_t){ .stalled = must_not_stall }), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_run_and_wait(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    check_outcomes(queue, 1, 0, 1, 0);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    sq_queue_release(queue);
}

/* The queue's entry is in the pool's list, for `b`, but the thread that has ended `a` has run it. So the barrier, which is the last task,
 * removes the entry; and as the queue has a delayed task, whose discard function is called by the pool, it posts the entry again. The
 * pool's only thread is with another queue meanwhile. */
TEST(an_entry_that_was_removed_for_the_end_is_posted_again_for_a_delayed_task) {
    const sq_pool_options_t one = { .size = sizeof one, .threads = 1 };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create("pool", &one);
    REQUIRE(options.pool != NULL);
    options.priority = SQ_PRIORITY_HIGH;
    sq_queue_t *queue = make_concurrent_on(options.pool, SQ_WIDTH_POOL), *first = sq_queue_create("first", &options);
    REQUIRE(first != NULL);
    sq_pool_release(options.pool);
    stay_t a = STAY_INIT, b = STAY_INIT, alone = STAY_INIT, other = STAY_INIT;
    visitor_t barrier = { 0 };
    size_t discarded = 0;
    CHECK_EQUAL(sq_async_task_after(queue, 3600ull * 1000000000, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_async(queue, stay, &a), 0);
    latch_wait(&a.entered, 1);
    CHECK_EQUAL(sq_async(queue, stay, &b), 0);
    visitor_start(&barrier, queue, true, stay, &alone);
    wait_for_depth(queue, 2);
    CHECK_EQUAL(sq_async(first, stay, &other), 0);
    latch_bump(&a.leave);
    latch_wait(&b.entered, 1);
    latch_bump(&b.leave);
    latch_wait(&alone.entered, 1);
    latch_wait(&other.entered, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    latch_bump(&alone.leave);
    CHECK_EQUAL(visitor_end(&barrier), 0);
    CHECK_EQUAL(discarded, 0);
    latch_bump(&other.leave);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded, 1);
    sq_queue_release(first);
    sq_queue_release(queue);
}
