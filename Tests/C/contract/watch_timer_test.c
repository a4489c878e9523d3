/* watch_timer_test.c: what a watcher reports about delayed tasks, timers, items, members of groups, and discard functions: the
 * user's function. */
#include "stall_watcher.h"

#include "sq_group.h"
#include "sq_item.h"
#include "sq_pool.h"

/* The watcher is called with this function, which then returns. */
static void expect_stall(stall_watcher_t *ward, runner_t *runner, sq_function_t function) {
    latch_wait(&ward->calls, 1);
    CHECK_EQUAL(ward->last[0].kind, SQ_STALL_RUNNING);
    CHECK(ward->last[0].function == function);
    CHECK_EQUAL(ward->last[0].thread_id, runner->thread_id);
    latch_bump(&runner->leave);
}

/* What runs is the discard function. */
static void check_discard(void (*bring_about)(sq_queue_t *, const sq_task_t *)) {
    sq_queue_t *queue = make_queue_of("discards", 0);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    watch(queue, &ward, SHORT);
    bring_about(queue, &(sq_task_t){ must_not_run, &runner, run_long });
    expect_stall(&ward, &runner, run_long);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

static void discard_task(sq_queue_t *queue, const sq_task_t *task) {
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async_task(queue, task), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
}

static void release_timer(sq_queue_t *queue, const sq_task_t *task) {
    sq_timer_t *timer = sq_timer_create(queue, task);
    REQUIRE(timer != NULL);
    sq_timer_release(timer);
}

static void discard_item(sq_queue_t *queue, const sq_task_t *task) {
    sq_item_t *item = sq_item_create("item", task);
    REQUIRE(item != NULL);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    sq_item_release(item);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
}

static void discard_member(sq_queue_t *queue, const sq_task_t *task) {
    sq_group_t *group = sq_group_create("group");
    REQUIRE(group != NULL);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_group_async_task(group, queue, task), 0);
    sq_group_release(group);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
}

TEST(a_discard_that_takes_too_long_is_reported_with_its_function) { check_discard(discard_task); }
TEST(the_end_of_a_timer_that_takes_too_long_is_reported_with_its_function) { check_discard(release_timer); }
TEST(the_discard_of_an_item_that_takes_too_long_is_reported_with_its_function) { check_discard(discard_item); }
TEST(the_discard_of_a_member_that_takes_too_long_is_reported_with_its_function) { check_discard(discard_member); }

static sq_timer_t *started; /* by start_timer; NULL: none */

/* The user's function, not the one of the library that calls it. */
static void check_run(void (*submit)(sq_queue_t *, const sq_task_t *), sq_queue_t *queue) {
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    REQUIRE(queue != NULL);
    watch(queue, &ward, SHORT);
    submit(queue, &(sq_task_t){ run_long, &runner, must_not_run });
    expect_stall(&ward, &runner, run_long);
    drain(queue);
    sq_timer_release(started);
    started = NULL;
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

static void submit_delayed(sq_queue_t *queue, const sq_task_t *task) {
    CHECK_EQUAL(sq_async_after(queue, 0, task->run, task->context), 0);
}

static void start_timer(sq_queue_t *queue, const sq_task_t *task) {
    started = sq_timer_create(queue, &(sq_task_t){ task->run, task->context, NULL });
    REQUIRE(started != NULL);
    CHECK_EQUAL(sq_timer_start(started, 0, 0, 0), 0);
}

static void submit_item(sq_queue_t *queue, const sq_task_t *task) {
    sq_item_t *item = sq_item_create("item", task);
    REQUIRE(item != NULL);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    sq_item_release(item);
}

static void submit_member(sq_queue_t *queue, const sq_task_t *task) {
    sq_group_t *group = sq_group_create("group");
    REQUIRE(group != NULL);
    CHECK_EQUAL(sq_group_async_task(group, queue, task), 0);
    sq_group_release(group);
}

/* On a pool of its own, which the queue keeps. */
static sq_queue_t *make_concurrent(void) {
    sq_pool_options_t threads = SQ_POOL_OPTIONS_INIT;
    threads.threads = 2;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create("pool", &threads);
    options.width = SQ_WIDTH_POOL;
    sq_queue_t *queue = sq_queue_create("concurrent", &options);
    REQUIRE(queue != NULL);
    sq_pool_release(options.pool);
    return queue;
}

static void check_runs(void (*submit)(sq_queue_t *, const sq_task_t *)) {
    check_run(submit, make_queue_of("serial", 0));
    check_run(submit, make_concurrent());
}

TEST(a_delayed_task_that_runs_too_long_is_reported_with_its_function) { check_run(submit_delayed, make_queue_of("delayed", 0)); }

TEST(a_firing_that_runs_too_long_is_reported_with_its_function) { check_run(start_timer, make_queue_of("firing", 0)); }

TEST(an_item_that_runs_too_long_is_reported_with_its_function) { check_runs(submit_item); }
TEST(a_member_with_a_discard_function_that_runs_too_long_is_reported_with_its_function) { check_runs(submit_member); }

/* The firing ran before its queue was watched: if its beginning were noted, that note would never be cleared. */
TEST(a_firing_that_was_over_before_the_watch_does_not_run_too_long) {
    sq_queue_t *queue = make_queue_of("over", 0);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    size_t fired = 0;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ add_one, &fired, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    while (stats_now(queue).ran == 0) {
        sched_yield();
    }
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    CHECK_EQUAL(fired, 1);
    watch(queue, &ward, SHORT);
    wait_for_looks(2 * SHORT); /* a record of the firing would be old enough */
    CHECK_EQUAL(latch_value(&ward.calls), 0);
    sq_timer_release(timer);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

static void look_and_run_long(void *context) {
    CHECK(sq_current_queue() != NULL);
    run_long(context);
}

/* At the end of a concurrent queue: a plain frame in the place of a reader's would be written behind its end (ASan). */
TEST(the_discard_of_a_timer_at_the_end_of_a_concurrent_queue_is_reported_with_its_function) {
    sq_pool_t *pool = sq_pool_create("pool", NULL);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.width = SQ_WIDTH_POOL;
    sq_queue_t *queue = sq_queue_create("concurrent", &options);
    REQUIRE(queue != NULL);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ must_not_run, &runner, look_and_run_long });
    REQUIRE(timer != NULL);
    watch(queue, &ward, SHORT);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    expect_stall(&ward, &runner, look_and_run_long);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_timer_release(timer);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
    sq_pool_release(pool);
}

/* The oldest task that runs is reported: one that is over must have left the list. */
TEST(of_the_async_tasks_of_a_concurrent_queue_one_that_is_over_is_not_reported) {
    sq_queue_t *queue = make_concurrent();
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t first = { 0, LATCH_INIT, LATCH_INIT }, runner = { 0, LATCH_INIT, LATCH_INIT };
    watch(queue, &ward, HOURS);
    CHECK_EQUAL(sq_async(queue, look_and_run_long, &first), 0);
    latch_wait(&first.entered, 1);
    latch_bump(&first.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    watch(queue, &ward, SHORT); /* which discards the first watcher */
    latch_wait(&ward.discarded, 1);
    caller_t caller;
    caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, run_long, &runner); /* on a stack of its own */
    expect_stall(&ward, &runner, run_long);
    CHECK_EQUAL(caller_end(&caller), 0);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 2);
}

/* Readers that leave in another order than they came: in the middle, first, last. */
TEST(of_the_readers_of_a_concurrent_queue_the_oldest_that_is_still_there_is_reported) {
    sq_queue_t *queue = make_concurrent();
    runner_t runners[4];
    caller_t callers[3];
    stall_watcher_t wards[2] = { STALL_WATCHER_OF_RUNNING_INIT, STALL_WATCHER_OF_RUNNING_INIT };
    watch(queue, &wards[0], HOURS);
    for (size_t i = 0; i < 4; i += 1) {
        runners[i] = (runner_t){ 0, LATCH_INIT, LATCH_INIT };
    }
    for (size_t i = 0; i < 3; i += 1) {
        caller_start(&callers[i], BY_SYNC, queue, SQ_FOREVER, run_long, &runners[i]);
        latch_wait(&runners[i].entered, 1);
    }
    for (size_t i = 2; i-- > 0;) {
        latch_bump(&runners[i].leave);
        CHECK_EQUAL(caller_end(&callers[i]), 0);
    }
    watch(queue, &wards[1], SHORT);
    expect_stall(&wards[1], &runners[2], run_long);
    CHECK_EQUAL(caller_end(&callers[2]), 0);
    CHECK_EQUAL(sq_async(queue, run_long, &runners[3]), 0); /* not on a stack that a caller had */
    latch_wait(&wards[1].calls, 2);
    CHECK_EQUAL(wards[1].last[1].thread_id, runners[3].thread_id);
    latch_bump(&runners[3].leave);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&wards[1].discarded, 1);
}

static void check_end(sq_queue_t *queue) {
    stall_watcher_t ward = STALL_WATCHER_INIT;
    size_t discarded = 0;
    watch(queue, &ward, HOURS);
    CHECK_EQUAL(sq_async_task_after(queue, HOURS, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded, 1);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(a_watched_queue_that_is_shut_down_discards_what_is_not_due) {
    check_end(make_queue_of("serial", 0));
    check_end(make_concurrent());
}
