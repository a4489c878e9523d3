/* concurrent_barriers_test.c: barriers with two words of context, barriers that need no room, and barriers that can be cancelled. */
#include "concurrent.h"
#include "deferred.h"
#include "inject.h"

static void bump_pair(void *latch, void *expected, bool runs) {
    CHECK(runs);
    CHECK_EQUAL(latch_value(latch), (size_t)(uintptr_t)expected);
    latch_bump(latch);
}

TEST(a_queue_reports_its_width) {
    sq_queue_t *serial = sq_queue_create("serial", NULL), *wide = make_concurrent(1, SQ_WIDTH_POOL), *narrow = make_concurrent(1, 3);
    CHECK_EQUAL(sq_queue_width(serial), 1);
    CHECK(sq_queue_width(wide) == SQ_WIDTH_POOL);
    CHECK_EQUAL(sq_queue_width(narrow), 3);
    sq_queue_release(serial);
    sq_queue_release(wide);
    sq_queue_release(narrow);
}

TEST(pairs_and_jobs_that_are_barriers_run_alone_in_order) {
    sq_queue_t *queue = make_concurrent(3, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    latch_t ran = LATCH_INIT;
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 1);
    CHECK_EQUAL(sq_async_barrier_pair(queue, bump_pair, &ran, (void *)0), 0);
    CHECK_EQUAL(sq_async_barrier_job(queue, bump_pair, &ran, (void *)1), 0);
    CHECK_EQUAL(sq_async(queue, bump, &ran), 0);
    CHECK_EQUAL(latch_value(&ran), 0);
    CHECK_EQUAL(sq_queue_depth(queue), 3);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(latch_value(&ran), 3);
    CHECK_EQUAL(sq_async_barrier_pair(queue, NULL, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_async_barrier_job(queue, NULL, NULL, NULL), EINVAL);
    check_outcomes(queue, 5, 0, 0, 2);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_async_barrier_pair(queue, bump_pair, NULL, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_async_barrier_job(queue, bump_pair, NULL, NULL), ESHUTDOWN);
    sq_queue_release(queue);
}

static sq_queue_t *make_bounded(size_t capacity) {
    sq_pool_options_t pool_options = SQ_POOL_OPTIONS_INIT;
    pool_options.threads = 3;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create("pool", &pool_options);
    options.width = SQ_WIDTH_POOL;
    options.capacity = capacity;
    sq_queue_t *queue = sq_queue_create("bounded", &options);
    REQUIRE(queue != NULL);
    sq_pool_release(options.pool);
    return queue;
}

TEST(a_barrier_pair_takes_room_and_a_job_does_not) {
    sq_queue_t *queue = make_bounded(1);
    for (size_t i = 0; i < 3; i += 1) {
        stay_t ahead = STAY_INIT;
        latch_t ran = LATCH_INIT;
        CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
        latch_wait(&ahead.entered, 1);
        CHECK_EQUAL(sq_async_barrier_pair(queue, bump_pair, &ran, (void *)0), 0);
        CHECK_EQUAL(sq_async_barrier_pair(queue, bump_pair, &ran, (void *)0), EAGAIN);
        CHECK_EQUAL(sq_async_barrier_job(queue, bump_pair, &ran, (void *)1), 0);
        latch_bump(&ahead.leave);
        CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(latch_value(&ran), 2);
    }
    sq_queue_release(queue);
}

TEST(a_barrier_that_is_cancelled_lets_those_behind_it_go_ahead) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    latch_t behind = LATCH_INIT;
    item_t barrier, last;
    visitor_t late = { 0 };
    item_init(&barrier, queue, NULL, 0);
    item_init(&last, queue, NULL, 1);
    barrier.task.is_barrier = last.task.is_barrier = true;
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 1);
    CHECK_EQUAL(sq_async_cancellable(queue, &barrier.task), 0);
    visitor_start(&late, queue, false, bump, &behind);
    wait_for_depth(queue, 2);
    CHECK_EQUAL(latch_value(&behind), 0);
    CHECK(sq_async_cancel(queue, &barrier.task));
    latch_wait(&behind, 1); /* while the first reader is still there */
    CHECK_EQUAL(visitor_end(&late), 0);
    CHECK_EQUAL(sq_async_cancellable(queue, &last.task), 0);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    check_item(&barrier, 0, 0, 0, 0);
    check_item(&last, 0, 0, 1, 0);
    CHECK(!sq_async_cancel(queue, &last.task));
    check_outcomes(queue, 4, 0, 1, 0);
    sq_queue_release(queue);
}

TEST(deferred_tasks_that_are_no_barriers_run_next_to_others) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    latch_t behind = LATCH_INIT;
    stay_t ahead = STAY_INIT;
    sq_deferred_t tasks[2];
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 1);
    for (size_t i = 0; i < 2; i += 1) {
        tasks[i] = (sq_deferred_t){ .call = bump_pair, .first = &behind, .second = (void *)i };
        CHECK_EQUAL((i == 0 ? sq_async_deferred : sq_async_cancellable)(queue, &tasks[i]), 0);
        latch_wait(&behind, i + 1); /* while the first reader is still there */
    }
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    sq_queue_release(queue);
}

TEST(a_deferred_barrier_that_waits_for_room_is_a_barrier_still) {
    for (size_t i = 0; i < 2; i += 1) {
        sq_queue_t *queue = make_bounded(1);
        stay_t ahead = STAY_INIT, other = STAY_INIT;
        item_t barrier;
        item_init(&barrier, queue, NULL, 0);
        barrier.task.is_barrier = true;
        CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
        latch_wait(&ahead.entered, 1);
        sq_suspend(queue);
        CHECK_EQUAL(sq_async(queue, stay, &other), 0);
        CHECK_EQUAL((i == 0 ? sq_async_deferred : sq_async_cancellable)(queue, &barrier.task), EINPROGRESS);
        CHECK_EQUAL(barrier.decided, 0);
        sq_resume(queue);
        latch_wait(&other.entered, 1); /* its room goes to the barrier, which waits for both */
        CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
        latch_bump(&ahead.leave);
        CHECK_EQUAL(barrier.ran, 0);
        latch_bump(&other.leave);
        CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
        check_item(&barrier, 1, 0, 1, 0);
        sq_queue_release(queue);
    }
}

TEST(discarded_barriers_have_their_outcome) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    item_t pair, claim, job;
    item_init(&pair, queue, NULL, 0);
    item_init(&claim, queue, NULL, 1);
    item_init(&job, queue, NULL, 2);
    claim.task.is_barrier = true;
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 1);
    CHECK_EQUAL(sq_async_barrier_pair(queue, item_call, &pair, &pair.number), 0);
    CHECK_EQUAL(sq_async_cancellable(queue, &claim.task), 0);
    CHECK_EQUAL(sq_async_barrier_job(queue, item_call, &job, &job.number), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    check_item(&pair, 0, 0, 0, 1);
    check_item(&claim, 0, 0, 0, 1);
    check_item(&job, 0, 0, 0, 1);
    sq_queue_release(queue);
}

TEST(on_a_serial_queue_these_barriers_are_the_plain_calls) {
    sq_queue_t *queue = sq_queue_create("serial", NULL);
    latch_t ran = LATCH_INIT;
    item_t item;
    item_init(&item, queue, NULL, 0);
    item.task.is_barrier = true;
    CHECK_EQUAL(sq_async_barrier_pair(queue, bump_pair, &ran, (void *)0), 0);
    CHECK_EQUAL(sq_async_barrier_job(queue, bump_pair, &ran, (void *)1), 0);
    CHECK_EQUAL(sq_async_cancellable(queue, &item.task), 0);
    CHECK_EQUAL(sq_async_deferred(queue, &(sq_deferred_t){ .call = bump_pair, .first = &ran, .second = (void *)2, .is_barrier = true }), 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(latch_value(&ran), 3);
    check_item(&item, 0, 0, 1, 0);
    sq_queue_release(queue);
}

/* In a barrier there can be no room before it ends. */
static void fill_own(void *queue) {
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async_until(queue, sq_deadline(1000000000), &(sq_task_t){ must_not_run, NULL, must_not_run }), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "waiting for room in") != NULL);
}

TEST(a_barrier_that_waits_for_room_in_its_own_queue_is_refused) {
    sq_queue_t *queue = make_bounded(1);
    CHECK_EQUAL(sq_sync_barrier(queue, fill_own, queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, FAR), 0);
    sq_queue_release(queue);
}
