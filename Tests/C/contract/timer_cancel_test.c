/* timer_cancel_test.c: timers that are cancelled, started again and released, on a clock that the test moves. */
#include "timed.h"

TEST(a_timer_that_was_cancelled_can_be_cancelled_and_started_again) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_timer_cancel(subject.timer), 0);
    for (size_t i = 1; i <= 3; i += 1) {
        start(&subject, 10 * MS, MS);
        CHECK_EQUAL(sq_timer_cancel(subject.timer), 0);
        CHECK_EQUAL(sq_timer_cancel(subject.timer), 0);
        CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 0);
        start(&subject, 5 * MS, 0);
        CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 1);
        CHECK_EQUAL(subject.fired, i);
    }
    sq_timer_release(subject.timer);
    clear(&b);
}

TEST(a_firing_that_waits_does_not_run_after_a_cancel) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    start(&subject, MS, MS);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(sq_queue_depth(b.queue), 1);
    CHECK_EQUAL(sq_timer_cancel(subject.timer), 0);
    CHECK_EQUAL(sq_queue_depth(b.queue), 0);
    CHECK_EQUAL(sq_timer_cancel(subject.timer), 0);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    sq_pool_advance(b.pool, SECONDS(1));
    CHECK_EQUAL(subject.fired, 0);
    check_outcomes(b.queue, 0, 0, 1, 0);
    sq_timer_release(subject.timer);
    sq_pool_run(b.pool);
    check_outcomes(b.queue, 1, 0, 1, 0);
    CHECK_EQUAL(sq_suspend(b.queue), 0); /* and what waits later is not taken for withdrawn */
    CHECK_EQUAL(sq_async(b.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_queue_depth(b.queue), 1);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    clear(&b);
}

/* The old firing must not run any more, and the new one is behind what was submitted before it was due. */
TEST(a_start_while_a_firing_waits_puts_the_new_one_behind) {
    bench_t b = bench();
    journal_t journal = { 0 };
    entry_t of_timer = { &journal, 1 }, of_task = { &journal, 2 };
    sq_timer_t *timer = sq_timer_create(b.queue, &(sq_task_t){ write_entry, &of_timer, NULL });
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_timer_start(timer, MS, 0, 0), 0);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(sq_async(b.queue, write_entry, &of_task), 0);
    CHECK_EQUAL(sq_timer_start(timer, MS, 0, 0), 0);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(sq_queue_depth(b.queue), 2);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    sq_pool_run(b.pool);
    CHECK_EQUAL(journal.count, 2);
    CHECK(journal.entries[0] == 2 && journal.entries[1] == 1);
    check_outcomes(b.queue, 2, 0, 1, 0);
    sq_timer_release(timer);
    clear(&b);
}

TEST(a_release_while_pending_discards_at_once_and_nothing_fires) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    start(&subject, SECONDS(3600), SECONDS(1));
    sq_timer_release(subject.timer);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(subject.discarded, 1);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(7200)), 0);
    CHECK_EQUAL(subject.fired, 0);
    sq_timer_release(NULL);
    clear(&b);
}

static void release_inside(subject_t *subject) {
    sq_timer_release(subject->timer);
    CHECK_EQUAL(subject->discarded, 0); /* not before the firing is over */
}

TEST(a_timer_can_be_released_in_its_own_task) {
    bench_t b = bench();
    subject_t subject = { .inside = release_inside };
    make_timer(&subject, b.queue);
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 1);
    CHECK_EQUAL(subject.fired, 1);
    CHECK_EQUAL(subject.discarded, 1);
    clear(&b);
}

static void release_after_start(subject_t *subject) {
    start(subject, 0, MS);
    release_inside(subject);
}

TEST(a_timer_can_be_started_and_released_in_its_own_task) {
    bench_t b = bench();
    subject_t subject = { .inside = release_after_start };
    make_timer(&subject, b.queue);
    start(&subject, MS, 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 1);
    CHECK_EQUAL(subject.discarded, 1);
    clear(&b);
}

TEST(a_release_while_a_cancelled_firing_waits_discards_once) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    start(&subject, MS, 0);
    sq_pool_advance(b.pool, MS);
    sq_timer_release(subject.timer);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    sq_pool_run(b.pool);
    CHECK_EQUAL(subject.fired, 0);
    CHECK_EQUAL(subject.discarded, 1);
    check_outcomes(b.queue, 1, 0, 1, 0);
    clear(&b);
}
