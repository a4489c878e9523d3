/* timer_end_test.c: timers and delayed tasks when their queue is shut down, on a clock that the test moves. */
#include "inject.h"
#include "timer_calls.h"

/* regression: what was delayed kept the queue that it waited for the end of; nothing had an outcome. */
TEST(a_suspended_queue_that_is_shut_down_and_released_discards_what_is_not_due) {
    bench_t b = bench();
    size_t waited = 0, delayed = 0;
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async_task(b.queue, &(sq_task_t){ must_not_run, &waited, add_one }), 0);
    CHECK_EQUAL(sq_async_task_after(b.queue, SECONDS(3600), &(sq_task_t){ must_not_run, &delayed, add_one }), 0);
    CHECK_EQUAL(sq_async_task_after(b.queue, SQ_FOREVER, &(sq_task_t){ must_not_run, &delayed, add_one }), 0);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    sq_pool_run(b.pool);
    CHECK_EQUAL(waited + delayed, 0); /* it can still be resumed */
    sq_queue_release(b.queue);
    sq_pool_run(b.pool);
    CHECK_EQUAL(waited, 1);
    CHECK_EQUAL(delayed, 2);
    sq_pool_release(b.pool);
}

/* The same with what falls due after the queue was closed: the queue does not take it, and ends it with the others. */
TEST(what_falls_due_while_a_queue_that_is_shut_down_is_suspended_is_discarded_at_its_end) {
    bench_t b = bench();
    size_t delayed = 0;
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async_task_after(b.queue, MS, &(sq_task_t){ must_not_run, &delayed, add_one }), 0);
    CHECK_EQUAL(sq_async_after(b.queue, SECONDS(1), must_not_run, NULL), 0);
    CHECK_EQUAL(sq_async(b.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(delayed, 0);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(delayed, 1);
    sq_queue_release(b.queue);
    sq_pool_release(b.pool);
}

TEST(a_periodic_timer_that_falls_due_after_its_queue_was_closed_is_not_set_again) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async(b.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(calls_until(&b, 5 * MS), 1);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(subject.fired, 0);
    CHECK_EQUAL(subject.discarded, 1);
    sq_timer_release(subject.timer);
    clear(&b);
}

/* In a task of its own, and nothing but the delayed task has kept the queue until then. */
static void shut_the_current_one_down(void *context) {
    (void)context;
    CHECK_EQUAL(sq_shutdown(sq_current_queue(), SQ_SHUTDOWN_DRAIN, SQ_FOREVER), EDEADLK);
}

TEST(a_task_can_shut_its_queue_down_that_only_a_delayed_task_keeps) {
    bench_t b = bench();
    size_t delayed = 0, ran = 0;
    CHECK_EQUAL(sq_async(b.queue, shut_the_current_one_down, NULL), 0);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_task_after(b.queue, SECONDS(1), &(sq_task_t){ must_not_run, &delayed, add_one }), 0);
    sq_queue_release(b.queue);
    sq_pool_run(b.pool);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(delayed, 1);
    sq_pool_release(b.pool);
}

TEST(a_timer_that_is_released_after_its_suspended_queue_was_shut_down_lets_it_end) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async(b.queue, must_not_run, NULL), 0); /* without a task it would end at once */
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    sq_queue_release(b.queue);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(subject.discarded, 0);
    sq_timer_release(subject.timer);
    sq_pool_run(b.pool);
    CHECK_EQUAL(subject.fired, 0);
    CHECK_EQUAL(subject.discarded, 1);
    sq_pool_release(b.pool);
}

static void check_shutdown(sq_shutdown_mode_t mode, bool suspended) {
    bench_t b = bench();
    subject_t subject = { 0 }, idle = { 0 };
    size_t ran = 0, discarded = 0;
    make_timer(&subject, b.queue);
    make_timer(&idle, b.queue);
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_async_task_after(b.queue, SECONDS(1), &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_async_after(b.queue, SECONDS(1), must_not_run, NULL), 0);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), 0);
    if (suspended) {
        CHECK_EQUAL(sq_suspend(b.queue), 0);
        sq_pool_advance(b.pool, MS); /* so that a firing waits */
    }
    CHECK_EQUAL(sq_shutdown(b.queue, mode, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, mode == SQ_SHUTDOWN_DRAIN);
    CHECK_EQUAL(discarded, 1);
    CHECK_EQUAL(subject.discarded, 1);
    CHECK_EQUAL(idle.discarded, 1);
    CHECK_EQUAL(subject.fired, 0);
    CHECK_EQUAL(sq_timer_start(subject.timer, 0, 0, 0), ESHUTDOWN);
    CHECK_EQUAL(sq_timer_cancel(subject.timer), 0);
    CHECK_EQUAL(sq_async_after(b.queue, 0, must_not_run, NULL), ESHUTDOWN);
    CHECK(sq_timer_create(b.queue, &(sq_task_t){ must_not_run, NULL, NULL }) == NULL && errno == ESHUTDOWN);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(2)), 0);
    sq_timer_release(subject.timer);
    sq_timer_release(idle.timer);
    sq_queue_stats_t stats = stats_now(b.queue);
    CHECK_EQUAL(stats.submitted, stats.ran + stats.discarded + stats.withdrawn);
    CHECK_EQUAL(stats.depth, 0);
    clear(&b);
}

TEST(a_drain_discards_what_is_not_due_before_it_returns) { check_shutdown(SQ_SHUTDOWN_DRAIN, false); }
TEST(a_discard_discards_what_is_not_due_before_it_returns) { check_shutdown(SQ_SHUTDOWN_DISCARD, false); }
TEST(a_discard_of_a_suspended_queue_discards_firings_that_wait) { check_shutdown(SQ_SHUTDOWN_DISCARD, true); }

static void release_both(void *context) {
    subject_t *subjects = context;
    sq_timer_release(subjects[0].timer);
    sq_timer_release(subjects[1].timer);
    subjects[0].discarded += 1;
}

TEST(a_discard_function_can_release_timers_and_the_queue) {
    bench_t b = bench();
    subject_t subjects[2] = { { 0 } };
    make_timer(&subjects[1], b.queue);
    make_timer(&subjects[0], b.queue);
    start(&subjects[1], MS, 0);
    CHECK_EQUAL(sq_async_task_after(b.queue, MS, &(sq_task_t){ must_not_run, subjects, release_both }), 0);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(subjects[0].discarded, 2);
    CHECK_EQUAL(subjects[1].discarded, 1);
    clear(&b);
}

static void suspend_and_resume(void *context) {
    subject_t *subject = context;
    CHECK_EQUAL(sq_suspend(subject->queue), 0);
    CHECK_EQUAL(sq_resume(subject->queue), 0);
    subject->discarded += 1;
}

static void release_it(subject_t *subject) { sq_timer_release(subject->timer); }

TEST(the_discard_function_of_a_timer_that_was_released_in_its_task_can_use_the_queue) {
    bench_t b = bench();
    subject_t subject = { .queue = b.queue, .inside = release_it };
    subject.timer = sq_timer_create(b.queue, &(sq_task_t){ fired, &subject, suspend_and_resume });
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 1);
    CHECK_EQUAL(subject.discarded, 1);
    clear(&b);
}
