/* item_delay_test.c: delayed items, which are cancelled, discarded or due. */
#include "item.h"

#include "inject.h"

typedef struct stage {
    sq_pool_t *pool;
    sq_queue_t *queue;
    outcome_t outcome;
    sq_item_t *item;
} stage_t;

/* A delayed item on a manual pool, whose clock the test moves. */
static void begin(stage_t *stage, uint64_t delay, size_t capacity) {
    stage->pool = sq_pool_create_manual("manual");
    stage->queue = sq_queue_create("delayed", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = stage->pool,
                                                                      .capacity = capacity });
    REQUIRE(stage->queue != NULL);
    stage->item = make_item(&stage->outcome);
    CHECK_EQUAL(sq_item_submit_after(stage->item, stage->queue, delay), 0);
}

static void end(stage_t *stage) {
    sq_item_release(stage->item);
    sq_queue_release(stage->queue);
    sq_pool_release(stage->pool);
}

TEST(a_delayed_item_runs_when_it_is_due) {
    stage_t stage;
    begin(&stage, 1000, 0);
    CHECK_EQUAL(sq_item_submit(stage.item, stage.queue), EALREADY);
    sq_pool_advance(stage.pool, 999);
    check_outcome(&stage.outcome, 0, 0);
    CHECK_EQUAL(sq_queue_depth(stage.queue), 0);
    sq_pool_advance(stage.pool, 1);
    CHECK_EQUAL(sq_item_wait(stage.item, SQ_FOREVER), 0);
    check_outcome(&stage.outcome, 1, 0);
    end(&stage);
}

TEST(a_delayed_item_that_is_refused_counts_as_rejected) {
    stage_t stage;
    outcome_t outcome;
    begin(&stage, 1000, 0);
    CHECK_EQUAL(stats_now(stage.queue).rejected, 0);
    CHECK_EQUAL(sq_shutdown(stage.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_item_t *late = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit_after(late, stage.queue, 1000), ESHUTDOWN);
    CHECK_EQUAL(stats_now(stage.queue).rejected, 1);
    sq_item_release(late);
    end(&stage);
}

TEST(a_delayed_item_on_a_real_clock_is_waited_for) {
    outcome_t outcome;
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit_after(item, queue, 2000000), 0);
    sq_queue_release(queue); /* the delay keeps it */
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    check_outcome(&outcome, 1, 0);
    sq_item_release(item);
}

/* Nothing is left of it: neither the alarm, nor the reference to the queue. */
TEST(cancelling_a_delayed_item_ends_the_delay_and_releases_the_queue_at_once) {
    outcome_t outcome;
    rest_t before = rest_now();
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit_after(item, queue, UINT64_MAX), 0);
    sq_queue_release(queue);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    check_outcome(&outcome, 0, 1);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), ECANCELED);
    CHECK_EQUAL(sq_item_cancel(item), EALREADY);
    sq_item_release(item);
    CHECK_AT_REST(before);
}

TEST(a_delayed_item_that_was_cancelled_is_not_submitted_and_does_not_count) {
    stage_t stage;
    begin(&stage, 1000, 0);
    CHECK_EQUAL(sq_item_cancel(stage.item), 0);
    check_outcome(&stage.outcome, 0, 1);
    sq_pool_advance(stage.pool, 5000);
    CHECK_EQUAL(sq_pool_run(stage.pool), 0);
    check_outcomes(stage.queue, 0, 0, 0, 0);
    end(&stage);
    check_outcome(&stage.outcome, 0, 1);
}

/* A delayed item takes no room, so it gives none back. */
TEST(a_delayed_item_that_is_due_can_be_cancelled_and_gives_back_no_room) {
    stage_t stage;
    size_t ran = 0;
    begin(&stage, 1000, 1);
    CHECK_EQUAL(sq_suspend(stage.queue), 0);
    CHECK_EQUAL(sq_async(stage.queue, add_one, &ran), 0);
    sq_pool_advance(stage.pool, 1000);
    CHECK_EQUAL(sq_queue_depth(stage.queue), 2);
    CHECK_EQUAL(sq_item_cancel(stage.item), 0);
    CHECK_EQUAL(sq_queue_depth(stage.queue), 1);
    CHECK_EQUAL(sq_async(stage.queue, add_one, &ran), EAGAIN);
    CHECK_EQUAL(sq_resume(stage.queue), 0);
    sq_pool_run(stage.pool);
    check_outcomes(stage.queue, 1, 0, 1, 1);
    end(&stage);
}

TEST(a_delayed_item_that_ran_gives_back_no_room) {
    stage_t stage;
    begin(&stage, 1000, 1);
    CHECK_EQUAL(sq_async(stage.queue, do_nothing, NULL), 0);
    sq_pool_advance(stage.pool, 1000);
    check_outcome(&stage.outcome, 1, 0);
    CHECK_EQUAL(sq_async(stage.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async(stage.queue, must_not_run, NULL), EAGAIN);
    sq_pool_run(stage.pool);
    end(&stage);
}

TEST(a_delayed_item_whose_queue_ends_is_discarded) {
    stage_t stage;
    begin(&stage, 1000, 0);
    CHECK_EQUAL(sq_shutdown(stage.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    check_outcome(&stage.outcome, 0, 1);
    CHECK_EQUAL(sq_item_wait(stage.item, SQ_NOW), ECANCELED);
    CHECK_EQUAL(sq_item_cancel(stage.item), EALREADY);
    check_outcomes(stage.queue, 0, 1, 0, 0);
    sq_pool_advance(stage.pool, 1000);
    end(&stage);
}

/* The queue is closed but cannot end: the delay has released its reference already. */
TEST(a_delayed_item_of_a_closed_queue_can_be_cancelled) {
    stage_t stage;
    size_t ran = 0;
    begin(&stage, 1000, 0);
    CHECK_EQUAL(sq_suspend(stage.queue), 0);
    CHECK_EQUAL(sq_async(stage.queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(stage.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_item_cancel(stage.item), 0);
    check_outcome(&stage.outcome, 0, 1);
    CHECK_EQUAL(sq_resume(stage.queue), 0);
    CHECK_EQUAL(sq_shutdown(stage.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    check_outcomes(stage.queue, 1, 0, 0, 0);
    end(&stage);
}

/* No memory when it is due: it is tried again, and can be cancelled meanwhile. */
TEST(a_delayed_item_without_memory_when_it_is_due_can_be_cancelled) {
    for (int cancels = 0; cancels < 2; cancels += 1) {
        stage_t stage;
        size_t ran = 0;
        begin(&stage, 1000, 0);
        CHECK_EQUAL(sq_suspend(stage.queue), 0);
        fail_nth(FAIL_ALLOCATION, 1, true);
        sq_pool_advance(stage.pool, 1000);
        CHECK(fail_nothing() > 0);
        CHECK_EQUAL(sq_queue_depth(stage.queue), 0);
        CHECK_EQUAL(cancels ? sq_item_cancel(stage.item) : 0, 0);
        sq_pool_advance(stage.pool, 1000000000);
        CHECK_EQUAL(sq_queue_depth(stage.queue), !cancels);
        CHECK_EQUAL(sq_resume(stage.queue), 0);
        CHECK_EQUAL(sq_async(stage.queue, add_one, &ran), 0);
        sq_pool_run(stage.pool);
        check_outcome(&stage.outcome, !cancels, cancels);
        end(&stage);
    }
}

/* The alarm against the canceller, on the real clock. */
TEST(cancels_race_with_delays_that_end_and_there_is_one_outcome) {
    random_stream_t random = random_start(2);
    size_t ran = 0;
    for (size_t i = 0; i < scaled(1000); i += 1) {
        outcome_t outcome;
        sq_queue_t *queue = make_queue_of("queue", random_below(&random, 2));
        sq_item_t *item = make_item(&outcome);
        uint64_t delay = 1 + random_below(&random, 60000), until = sq_deadline(random_below(&random, 60000));
        CHECK_EQUAL(sq_item_submit_after(item, queue, delay), 0);
        sq_queue_release(queue);
        while (sq_deadline(0) < until) {
        }
        int error = sq_item_cancel(item);
        int result = sq_item_wait(item, SQ_FOREVER);
        CHECK(result == (error == 0 ? ECANCELED : 0));
        check_outcome(&outcome, result == 0, result != 0);
        ran += outcome.ran;
        sq_item_release(item);
        let_threads_end(8); /* each thread has a waiter of its own, which is kept */
    }
    note("%zu ran", ran);
}
