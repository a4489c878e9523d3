/* watch_timer_test.c: stalls of delayed tasks, timers and discards: the watcher gets the function that runs. */
#include "ward.h"

TEST(a_delayed_task_that_runs_too_long_is_reported_with_its_function) {
    sq_queue_t *queue = make_queue_of("delayed", 0);
    ward_t ward = WARD_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    watch(queue, &ward, SHORT);
    CHECK_EQUAL(sq_async_after(queue, 0, run_long, &runner), 0);
    latch_wait(&ward.told, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_RUNNING);
    CHECK(ward.last[0].function == run_long);
    latch_bump(&runner.leave);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

/* Not a function of the library, in which a firing runs. */
TEST(a_firing_that_runs_too_long_is_reported_with_its_function) {
    sq_queue_t *queue = make_queue_of("firing", 0);
    ward_t ward = WARD_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ run_long, &runner, NULL });
    REQUIRE(timer != NULL);
    watch(queue, &ward, SHORT);
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    latch_wait(&ward.told, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_RUNNING);
    CHECK(ward.last[0].function == run_long);
    latch_bump(&runner.leave);
    drain(queue);
    sq_timer_release(timer);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

/* Of what is discarded, too: that is the function which runs. */
static void check_discard(void (*give_up)(sq_queue_t *, const sq_task_t *)) {
    sq_queue_t *queue = make_queue_of("discards", 0);
    ward_t ward = WARD_OF_RUNNING_INIT;
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    watch(queue, &ward, SHORT);
    give_up(queue, &(sq_task_t){ must_not_run, &runner, run_long });
    latch_wait(&ward.told, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_RUNNING);
    CHECK(ward.last[0].function == run_long);
    latch_bump(&runner.leave);
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

TEST(a_discard_that_takes_too_long_is_reported_with_its_function) { check_discard(discard_task); }
TEST(the_end_of_a_timer_that_takes_too_long_is_reported_with_its_function) { check_discard(release_timer); }

/* Before it was watched; a note of its beginning would never be taken back. */
TEST(a_firing_that_was_over_before_the_watch_does_not_run_too_long) {
    sq_queue_t *queue = make_queue_of("over", 0);
    ward_t ward = WARD_OF_RUNNING_INIT;
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
    CHECK_EQUAL(latch_value(&ward.told), 0);
    sq_timer_release(timer);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}
