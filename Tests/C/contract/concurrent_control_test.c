/* concurrent_control_test.c: what the other headers' calls do on a concurrent queue: suspension, the end, manual pools, timers, groups,
 * watchers, capacity, calls. */
#include "concurrent.h"
#include "pools.h"
#include "inject.h"

TEST(suspension_closes_an_open_queue_and_its_tasks_finish) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    size_t ran = 0;
    visitor_t reader = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    latch_wait(&ahead.entered, 1);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_sync_barrier_until(queue, sq_deadline(1), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(sq_queue_depth(queue), 1);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 2);
    CHECK_EQUAL(sq_resume(queue), EINVAL);
    sq_queue_release(queue);
}

TEST(a_draining_shutdown_waits_for_all_readers_and_runs_what_was_accepted) {
    sq_queue_t *queue = make_concurrent(3, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    size_t ran = 0;
    visitor_t reader = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 2);
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_sync(queue, must_not_run, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_sync_barrier(queue, must_not_run, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_async_barrier(queue, must_not_run, NULL), ESHUTDOWN);
    CHECK(!sq_has_ended(queue));
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(ran, 2);
    CHECK(sq_has_ended(queue));
    check_outcomes(queue, 4, 0, 0, 3);
    sq_queue_release(queue);
}

/* With one reader inside and none left in the ring: the end waits for it. */
TEST(an_empty_queue_ends_when_its_last_reader_leaves) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    visitor_t reader = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    latch_wait(&ahead.entered, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK(!sq_has_ended(queue));
    latch_bump(&ahead.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
}

TEST(a_discarding_shutdown_accounts_for_every_task) {
    enum { TASKS = 300 };
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    size_t discarded = 0;
    visitor_t reader = { 0 }, barrier = { 0 }, late = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    latch_wait(&ahead.entered, 1);
    visitor_start(&barrier, queue, true, must_not_run, NULL);
    wait_for_depth(queue, 1);
    for (size_t i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL((i % 3 == 0 ? sq_async_barrier_task : sq_async_task)(queue, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    }
    visitor_start(&late, queue, false, must_not_run, NULL);
    wait_for_depth(queue, TASKS + 2);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(visitor_end(&barrier), ESHUTDOWN); /* while the reader is still there */
    CHECK_EQUAL(visitor_end(&late), ESHUTDOWN);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded, TASKS);
    check_outcomes(queue, 1, TASKS, 2, 0);
    sq_queue_release(queue);
}

static void release_and_revive(void *context) {
    sq_queue_t *queue = sq_current_queue();
    size_t *ran = context;
    sq_queue_release(queue); /* the last reference */
    sq_queue_retain(queue);
    CHECK_EQUAL(sq_async(queue, add_one, ran), 0);
    sq_queue_release(queue);
}

TEST(the_last_release_in_a_reader_leaves_no_task_behind) {
    for (size_t i = 0; i < 200; i += 1) {
        sq_pool_t *pool = sq_pool_create_manual("manual");
        sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
        size_t ran = 0;
        CHECK_EQUAL(sq_async(queue, release_and_revive, &ran), 0);
        CHECK_EQUAL(sq_pool_run(pool), 2);
        CHECK_EQUAL(ran, 1);
        sq_pool_release(pool);
    }
}

/* What a member of a manual pool waits for, it runs. */
static void wait_inside(void *context) {
    sq_queue_t *queue = sq_current_queue();
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_async(group, queue, add_one, context), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_group_release(group);
}

TEST(a_manual_pool_runs_a_concurrent_queue_in_order_on_the_threads_that_pump_or_wait) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_concurrent_on(pool, 2);
    journal_t journal = { 0 };
    entry_t entries[6];
    for (int i = 0; i < 6; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        CHECK_EQUAL((i % 2 ? sq_async_barrier : sq_async)(queue, write_entry, &entries[i]), 0);
    }
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0); /* runs what is ahead */
    CHECK_EQUAL(journal.count, 6);
    for (int i = 0; i < 6; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    size_t ran = 0;
    CHECK_EQUAL(sq_async(queue, wait_inside, &ran), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    sq_pool_run(pool);
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 3);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

static void count_firing(void *context) { latch_bump(context); }

TEST(timers_and_delayed_tasks_fire_while_readers_run) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
    latch_t fired = LATCH_INIT;
    stay_t ahead = STAY_INIT;
    visitor_t reader = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    latch_wait(&ahead.entered, 1);
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ count_firing, &fired, count_firing });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 10, 10, 0), 0);
    CHECK_EQUAL(sq_async_after(queue, 25, count_firing, &fired), 0);
    sq_pool_advance(pool, 30);
    CHECK_EQUAL(latch_value(&fired), 4);
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    sq_timer_release(timer);
    sq_pool_run(pool);
    CHECK_EQUAL(latch_value(&fired), 5); /* its discard */
    latch_bump(&ahead.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

typedef struct stall {
    latch_t calls;
    sq_stall_kind_t kind;
    sq_function_t function;
} stall_t;

static void stalled(void *context, const sq_stall_t *seen) {
    stall_t *stall = context;
    stall->kind = seen->kind;
    stall->function = seen->function;
    latch_bump(&stall->calls);
}

/* One reader stays, others come and go. */
TEST(a_watcher_gets_the_reader_that_has_run_longest) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    stall_t stall = { .calls = LATCH_INIT };
    stay_t long_one = STAY_INIT;
    size_t ran = 0;
    CHECK_EQUAL(sq_queue_watch(queue, 20000000, &(sq_watcher_t){ .stalled = stalled, .context = &stall }), 0);
    CHECK_EQUAL(sq_async(queue, stay, &long_one), 0);
    latch_wait(&long_one.entered, 1);
    while (latch_value(&stall.calls) == 0) {
        CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    }
    CHECK_EQUAL(stall.kind, SQ_STALL_RUNNING);
    CHECK(stall.function == stay);
    latch_bump(&long_one.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    sq_queue_release(queue);
}

TEST(a_call_on_a_concurrent_queue_runs_on_its_pool) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    size_t ran = 0;
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_and_wait(queue, SQ_FOREVER, add_one, &ran), 0);
    CHECK_EQUAL(ran, 2);
    check_outcomes(queue, 2, 0, 0, 0);
    sq_queue_release(queue);
}

TEST(a_concurrent_queue_of_limited_capacity_refuses_and_gives_room) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.width = 4;
    options.capacity = 2;
    sq_queue_t *queue = sq_queue_create("concurrent", &options);
    size_t ran = 0;
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 4);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

static void wait_for_room(void *context) {
    sq_queue_t *queue = context;
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async_until(queue, sq_deadline(1000000), &(sq_task_t){ must_not_run, NULL, NULL }), ETIMEDOUT);
}

/* Only what runs with the baton in hand keeps the room from others. */
TEST(a_reader_waits_for_room_in_its_own_queue) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = make_pool(1);
    sq_queue_t *other = sq_queue_create("other", &options);
    options.width = 4;
    options.capacity = 1;
    sq_queue_t *queue = sq_queue_create("concurrent", &options);
    hold_t hold = HOLD_INIT;
    hold_async(&hold, other); /* the pool's only thread */
    CHECK_EQUAL(sq_sync(queue, wait_for_room, queue), 0);
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
    sq_queue_release(other);
    sq_pool_release(options.pool);
}

TEST(a_width_without_a_pool_is_on_the_shared_one_and_needs_memory) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = SQ_WIDTH_POOL;
    options.pool = sq_pool_create_manual("manual");
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK(sq_queue_create("none", &options) == NULL);
    CHECK_EQUAL(fail_nothing(), 1);
    options.capacity = 1;
    fail_nth(FAIL_ALLOCATION, 2, false);
    CHECK(sq_queue_create("none", &options) == NULL);
    CHECK_EQUAL(fail_nothing(), 1);
    sq_queue_t *queue = sq_queue_create("one", &options);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    sq_queue_release(queue);
    sq_pool_release(options.pool);
}
