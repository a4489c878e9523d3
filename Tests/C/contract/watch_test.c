/* watch_test.c: stall notifications. Nothing here depends on time: a stall lasts until it has been reported, and where nothing may
 * be reported the threshold is hours. */
#include "child.h"
#include "inject.h"
#include "stall_watcher.h"

TEST(a_queue_that_was_no_longer_watched_can_be_watched_again) {
    sq_queue_t *other = make_queue_of("other", 0), *queue = make_queue_of("again", 0);
    stall_watcher_t others = STALL_WATCHER_INIT, before = STALL_WATCHER_INIT, after = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    watch(other, &others, HOURS); /* keeps the thread */
    watch(queue, &before, HOURS);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    latch_wait(&before.discarded, 1);
    watch(queue, &after, SHORT);
    CHECK_EQUAL(sq_async(queue, run_long, &runner), 0);
    latch_wait(&after.calls, 1);
    latch_bump(&runner.leave);
    drain(queue);
    sq_queue_release(queue);
    sq_queue_release(other);
    latch_wait(&after.discarded, 1);
    latch_wait(&others.discarded, 1);
}

/* A watcher that replaces itself: the new one is called for the same task, immediately. */
typedef struct noise {
    sq_queue_t *queue;
    atomic_bool over;
    latch_t reports, last;
} noise_t;

static void report_again(void *context, const sq_stall_t *stall) {
    noise_t *noise = context;
    (void)stall;
    latch_bump(&noise->reports);
    if (noise->over) {
        latch_bump(&noise->last);
    } else {
        CHECK_EQUAL(sq_queue_watch(noise->queue, SHORT, &(sq_watcher_t){ .stalled = report_again, .context = noise }), 0);
    }
}

TEST(a_watcher_with_much_to_report_does_not_keep_the_thread_from_the_others) {
    sq_queue_t *queue = make_queue_of("quiet", 0);
    noise_t noise = { .queue = make_queue_of("noisy", 0), .reports = LATCH_INIT, .last = LATCH_INIT };
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runners[2] = { { 0, LATCH_INIT, LATCH_INIT }, { 0, LATCH_INIT, LATCH_INIT } };
    watch(queue, &ward, SHORT); /* first: the thread looks at the newest first */
    CHECK_EQUAL(sq_queue_watch(noise.queue, SHORT, &(sq_watcher_t){ .stalled = report_again, .context = &noise }), 0);
    CHECK_EQUAL(sq_async(noise.queue, run_long, &runners[0]), 0);
    latch_wait(&noise.reports, 1);
    CHECK_EQUAL(sq_async(queue, run_long, &runners[1]), 0);
    latch_wait(&ward.calls, 1);
    noise.over = true;
    latch_wait(&noise.last, 1); /* the watcher uses `noise`, and its queue */
    latch_bump(&runners[0].leave);
    latch_bump(&runners[1].leave);
    drain(queue);
    drain(noise.queue);
    sq_queue_release(noise.queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

static void check_long_task(way_t way) {
    sq_queue_t *queue = make_queue_of("com.example.slow", 0);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    watch(queue, &ward, SHORT);
    for (size_t incident = 0; incident < 3; incident += 1) {
        runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
        caller_t caller;
        caller_start(&caller, way, queue, SQ_FOREVER, run_long, &runner);
        latch_wait(&ward.calls, incident + 1);
        const sq_stall_t *stall = &ward.last[incident];
        CHECK_EQUAL(stall->kind, SQ_STALL_RUNNING);
        CHECK_STRING(ward.labels[incident], "com.example.slow");
        CHECK_STRING(ward.waits_for[incident], "");
        CHECK(stall->function == run_long);
        CHECK_EQUAL(stall->thread_id, runner.thread_id);
        CHECK(stall->nanoseconds >= SHORT);
        CHECK_EQUAL(stall->depth, 0);
        CHECK(!stall->suspended);
        CHECK_EQUAL(stall->number, (uintptr_t)queue);
        wait_for_looks(5 * SHORT); /* there is no second call */
        CHECK_EQUAL(ward.calls.value, incident + 1);
        latch_bump(&runner.leave);
        CHECK_EQUAL(caller_end(&caller), 0);
    }
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    latch_wait(&ward.discarded, 1);
    drain(queue);
    CHECK_EQUAL(ward.calls.value, 3);
    CHECK_EQUAL(ward.discarded.value, 1);
    sq_queue_release(queue);
}

TEST(a_sync_task_that_runs_too_long_is_reported_once_per_stall) { check_long_task(BY_SYNC); }
TEST(a_call_that_runs_too_long_is_reported_once_per_stall) { check_long_task(BY_CALL); }

static void run_long_pair(void *runner, void *unused, bool runs) {
    (void)unused;
    CHECK(runs);
    run_long(runner);
}

TEST(a_pair_that_runs_too_long_is_reported_with_its_function) {
    sq_queue_t *queue = make_queue_of("pair", 0);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    watch(queue, &ward, SHORT);
    CHECK_EQUAL(sq_async_pair(queue, SQ_NOW, run_long_pair, &runner, NULL), 0);
    latch_wait(&ward.calls, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_RUNNING);
    CHECK(ward.last[0].function == (sq_function_t)(void (*)(void))run_long_pair);
    CHECK_EQUAL(ward.last[0].thread_id, runner.thread_id);
    latch_bump(&runner.leave);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

/* What runs inside a task is part of it. */
static void run_inside_and_long(void *context) {
    size_t ran = 0;
    CHECK_EQUAL(sq_sync_or_run(sq_current_queue(), add_one, &ran), 0);
    run_long(context);
}

TEST(a_task_that_has_run_something_inside_it_is_reported_when_it_runs_too_long) {
    sq_queue_t *queue = make_queue_of("inside", 0);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    watch(queue, &ward, SHORT);
    CHECK_EQUAL(sq_async(queue, run_inside_and_long, &runner), 0);
    latch_wait(&ward.calls, 1);
    CHECK(ward.last[0].function == run_inside_and_long);
    latch_bump(&runner.leave);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

/* A busy machine may keep even this task from the processor for longer than the threshold. Then its stall is real and nothing is
 * shown: the next round follows. */
static void check_over(int (*submit)(sq_queue_t *, sq_function_t, void *)) {
    enum { THRESHOLD = 50000000 };
    sq_queue_t *queue = make_queue_of("over", 0);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    watch(queue, &ward, THRESHOLD);
    bool was_quick = false;
    while (!was_quick) {
        size_t calls = latch_value(&ward.calls);
        sq_time_t limit = sq_deadline(THRESHOLD);
        CHECK_EQUAL(submit(queue, do_nothing, NULL), 0);
        drain(queue);
        was_quick = sq_deadline(0) < limit;
        wait_for_looks(2 * THRESHOLD);
        CHECK(!was_quick || latch_value(&ward.calls) == calls);
    }
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(a_sync_task_that_is_over_does_not_run_too_long) { check_over(sq_sync); }
TEST(an_async_task_that_is_over_does_not_run_too_long) { check_over(sq_async); }

TEST(a_watcher_without_a_discard_function_is_called_and_dropped) {
    sq_queue_t *queue = make_queue_of("no discard", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    CHECK_EQUAL(sq_queue_watch(queue, SHORT, &(sq_watcher_t){ copy_stall, &ward, NULL }), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    latch_wait(&ward.calls, 1);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    sq_queue_release(queue);
    let_threads_end(1); /* the thread that calls the watcher no longer uses the ward */
}

TEST(a_suspended_queue_with_a_task_that_waits_too_long_is_reported_as_suspended) {
    sq_queue_t *queue = make_queue_of("forgotten", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    CHECK_EQUAL(sq_suspend(queue), 0);
    for (int i = 0; i < 5; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    }
    watch(queue, &ward, SHORT);
    latch_wait(&ward.calls, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_WAITING);
    CHECK(ward.last[0].suspended);
    CHECK(ward.last[0].function == NULL);
    CHECK_EQUAL(ward.last[0].thread_id, 0);
    CHECK_EQUAL(ward.last[0].depth, 5);
    CHECK(ward.last[0].nanoseconds >= SHORT);
    CHECK_STRING(ward.labels[0], "forgotten");
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1); /* by the end of the queue */
}

/* The thread looks at the first queue only after hours. */
TEST(a_queue_that_is_watched_later_is_reported_at_its_own_threshold) {
    sq_queue_t *patient = make_queue_of("patient", 0), *queue = make_queue_of("urgent", 0);
    stall_watcher_t wards[2] = { STALL_WATCHER_INIT, STALL_WATCHER_INIT };
    watch(patient, &wards[0], HOURS);
    let_all_sleep(); /* the watching thread, too */
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    watch(queue, &wards[1], SHORT);
    latch_wait(&wards[1].calls, 1);
    CHECK_EQUAL(wards[0].calls.value, 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    sq_queue_release(queue);
    sq_queue_release(patient);
    latch_wait(&wards[0].discarded, 1);
    latch_wait(&wards[1].discarded, 1);
}

TEST(a_queue_that_makes_progress_is_not_reported) {
    sq_queue_t *queue = make_queue_of("swift", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, HOURS);
    for (size_t i = 0; i < scaled(20000); i += 1) {
        CHECK_EQUAL(i % 2 ? sq_async(queue, do_nothing, NULL) : sq_sync(queue, do_nothing, NULL), 0);
    }
    drain(queue);
    CHECK_EQUAL(ward.calls.value, 0);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
    CHECK_EQUAL(ward.calls.value, 0);
}

/* Steady progress is no stall, however long there is always something that waits. */
static void resubmit(void *context) {
    caller_t *chain = context;
    if (atomic_fetch_sub(&chain->thread_id, 1) > 1) {
        CHECK_EQUAL(sq_async(chain->queue, resubmit, chain), 0);
    }
}

TEST(a_backlog_that_moves_is_no_stall) {
    sq_queue_t *queue = make_queue_of("busy", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, 30000000000ull);
    caller_t chain = { .queue = queue };
    chain.thread_id = (int)scaled(100000);
    CHECK_EQUAL(sq_async(queue, resubmit, &chain), 0);
    while (chain.thread_id > 0) {
        sched_yield();
    }
    drain(queue);
    CHECK_EQUAL(ward.calls.value, 0);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(a_threshold_of_nothing_is_refused_and_no_watcher_is_no_work) {
    sq_queue_t *queue = make_queue_of("refused", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    const sq_watcher_t watcher = watcher_of(&ward);
    CHECK_EQUAL(sq_queue_watch(queue, 0, &watcher), EINVAL);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    CHECK_EQUAL(sq_queue_watch(queue, HOURS, NULL), 0);
    CHECK_EQUAL(ward.discarded.value, 0);
    sq_queue_release(queue);
}
