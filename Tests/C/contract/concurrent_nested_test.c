/* concurrent_nested_test.c: calls on a concurrent queue from within its own tasks. concurrent_cycle_test.c has cycles. */
#include "concurrent.h"

/* What each call does in a task of the queue. */
typedef struct inside {
    sq_queue_t *queue;
    stay_t stay;
    size_t ran;
    int sync, until, and_wait, or_run, barrier, barrier_until, call;
    char report[1024];
} inside_t;

static void call_all(void *context) {
    inside_t *inside = context;
    sq_queue_t *queue = inside->queue;
    latch_bump(&inside->stay.entered);
    latch_wait(&inside->stay.leave, 1);
    inside->sync = sq_sync(queue, add_one, &inside->ran);
    inside->until = sq_sync_until(queue, SQ_NOW, add_one, &inside->ran);
    inside->and_wait = sq_async_and_wait(queue, SQ_FOREVER, add_one, &inside->ran);
    inside->or_run = sq_sync_or_run(queue, add_one, &inside->ran);
    inside->barrier = sq_sync_barrier(queue, must_not_run, NULL);
    inside->barrier_until = sq_sync_barrier_until(queue, SQ_NOW, must_not_run, NULL);
    snprintf(inside->report, sizeof inside->report, "%s", sq_deadlock_report());
    inside->call = sq_run_and_wait(queue, SQ_FOREVER, must_not_run, NULL);
}

static void check_in_reader(inside_t *inside) {
    CHECK_EQUAL(inside->sync, 0);
    CHECK_EQUAL(inside->until, 0);
    CHECK_EQUAL(inside->and_wait, 0);
    CHECK_EQUAL(inside->or_run, 0);
    CHECK_EQUAL(inside->barrier, EDEADLK);
    CHECK_EQUAL(inside->barrier_until, EDEADLK);
    CHECK_EQUAL(inside->call, EDEADLK);
    CHECK_EQUAL(inside->ran, 4);
    CHECK(strstr(inside->report, "sync_barrier onto queue \"concurrent\" from its own task") != NULL);
}

TEST(a_sync_inside_a_reader_runs_at_once_and_an_upgrade_is_refused) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    inside_t sync = { .queue = queue, .stay = STAY_INIT }, async = { .queue = queue, .stay = STAY_INIT };
    latch_bump(&sync.stay.leave);
    latch_bump(&async.stay.leave);
    CHECK_EQUAL(sq_sync(queue, call_all, &sync), 0);
    CHECK_EQUAL(sq_async(queue, call_all, &async), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    check_in_reader(&sync);
    check_in_reader(&async);
    check_outcomes(queue, 3, 0, 0, 6); /* what runs inside a task is part of it */
    sq_queue_release(queue);
}

TEST(every_sync_inside_a_barrier_is_refused_but_sync_or_run) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    for (size_t i = 0; i < 3; i += 1) {
        inside_t inside = { .queue = queue, .stay = STAY_INIT };
        latch_bump(&inside.stay.leave);
        if (i == 0) {
            CHECK_EQUAL(sq_sync_barrier(queue, call_all, &inside), 0);
        } else if (i == 1) {
            CHECK_EQUAL(sq_async_barrier(queue, call_all, &inside), 0);
            CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        } else { /* one that has waited */
            stay_t ahead = STAY_INIT;
            visitor_t reader = { 0 }, barrier = { 0 };
            visitor_start(&reader, queue, false, stay, &ahead);
            latch_wait(&ahead.entered, 1);
            visitor_start(&barrier, queue, true, call_all, &inside);
            wait_for_depth(queue, 1);
            latch_bump(&ahead.leave);
            visitor_end(&reader);
            CHECK_EQUAL(visitor_end(&barrier), 0);
        }
        CHECK_EQUAL(inside.sync, EDEADLK);
        CHECK_EQUAL(inside.until, EDEADLK);
        CHECK_EQUAL(inside.and_wait, EDEADLK);
        CHECK_EQUAL(inside.or_run, 0);
        CHECK_EQUAL(inside.barrier, EDEADLK);
        CHECK_EQUAL(inside.barrier_until, EDEADLK);
        CHECK_EQUAL(inside.ran, 1);
        CHECK(inside.report[0] != '\0');
    }
    sq_queue_release(queue);
}

/* GCD hangs in the first of them. */
TEST(a_sync_inside_a_reader_runs_while_a_barrier_waits_and_suspended_and_shut_down) {
    for (size_t i = 0; i < 3; i += 1) {
        sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
        inside_t inside = { .queue = queue, .stay = STAY_INIT };
        visitor_t reader = { 0 }, barrier = { 0 };
        visitor_start(&reader, queue, false, call_all, &inside);
        latch_wait(&inside.stay.entered, 1);
        if (i == 0) {
            visitor_start(&barrier, queue, true, do_nothing, NULL);
            wait_for_depth(queue, 1);
        } else if (i == 1) {
            CHECK_EQUAL(sq_suspend(queue), 0);
        } else {
            CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
        }
        latch_bump(&inside.stay.leave);
        CHECK_EQUAL(visitor_end(&reader), 0);
        check_in_reader(&inside);
        if (i == 0) {
            CHECK_EQUAL(visitor_end(&barrier), 0);
        } else if (i == 1) {
            CHECK_EQUAL(sq_resume(queue), 0);
        }
        sq_queue_release(queue);
    }
}
