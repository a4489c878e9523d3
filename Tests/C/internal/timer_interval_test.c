/* timer_interval_test.c: what becomes of firings that fall due while the one before waits or runs. */
#include "timer_calls.h"

/* A task that takes its time on a clock that the test moves; the fifth firing is the last. */
static void take_time(subject_t *subject) {
    bench_t b = { .pool = subject->pool };
    subject->sum += sq_timer_intervals(subject->timer);
    if (subject->fired == 5) {
        CHECK_EQUAL(sq_timer_cancel(subject->timer), 0);
    } else if (subject->again > 0) {
        calls_until(&b, sq__alarms_now(sq__pool_clock(b.pool)) + subject->again);
    }
}

/* The firings move the clock beyond the time to which the pool was to run. */
static size_t run_on(sq_pool_t *pool) {
    size_t all = 0, some;
    while ((some = sq_pool_run(pool)) > 0) {
        all += some;
    }
    return all;
}

TEST(a_firing_that_fell_due_while_the_task_ran_follows_at_once) {
    bench_t b = bench();
    subject_t subject = { .inside = take_time, .pool = b.pool, .again = 105 * MS };
    make_timer(&subject, b.queue);
    start(&subject, 100 * MS, 100 * MS);
    CHECK_EQUAL(sq_pool_advance(b.pool, 100 * MS), 1);
    CHECK_EQUAL(run_on(b.pool), 4); /* at 100, 205, 310, 415, 520 ms */
    CHECK_EQUAL(sq__alarms_now(sq__pool_clock(b.pool)), 520 * MS);
    CHECK_EQUAL(subject.sum, 5);
    sq_timer_release(subject.timer);
    clear(&b);
}

TEST(one_firing_follows_at_once_and_stands_for_all_that_fell_due_while_the_task_ran) {
    bench_t b = bench();
    subject_t subject = { .inside = take_time, .pool = b.pool, .again = 350 * MS };
    make_timer(&subject, b.queue);
    start(&subject, 100 * MS, 100 * MS);
    CHECK_EQUAL(sq_pool_advance(b.pool, 100 * MS), 1);
    CHECK_EQUAL(run_on(b.pool), 4); /* at 100, 450, 800, 1150, 1500 ms */
    CHECK_EQUAL(subject.sum, 15);
    sq_timer_release(subject.timer);
    clear(&b);
}

TEST(a_firing_stands_for_the_intervals_that_passed_while_it_waited) {
    bench_t b = bench();
    subject_t subject = { .inside = take_time, .pool = b.pool };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_timer_intervals(subject.timer), 0);
    start(&subject, 10 * MS, 10 * MS);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    sq_pool_advance(b.pool, 95 * MS);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(sq_timer_intervals(subject.timer), 9);
    CHECK_EQUAL(sq_pool_advance(b.pool, 5 * MS), 1);
    CHECK_EQUAL(sq_timer_intervals(subject.timer), 1);
    start(&subject, MS, 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, MS), 1);
    CHECK_EQUAL(sq_timer_intervals(subject.timer), 1); /* once */
    CHECK_EQUAL(subject.sum, 11);
    sq_timer_release(subject.timer);
    clear(&b);
}
