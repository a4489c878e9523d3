/* timer_queue_test.c: timers, delayed tasks and their queue: its life, its room, and no memory when they fall due. On a clock
 * that the test moves. */
#include "inject.h"
#include "timed.h"

#include "alarm/alarm_set.h"
#include "timer/timer_record.h"

/* The queue */

TEST(a_pending_task_keeps_its_queue_alive_and_lets_it_end) {
    bench_t b = bench();
    size_t ran = 0;
    CHECK_EQUAL(sq_async_after(b.queue, MS, add_one, &ran), 0);
    sq_queue_release(b.queue);
    CHECK_EQUAL(sq_pool_advance(b.pool, MS), 1);
    CHECK_EQUAL(ran, 1);
    sq_pool_release(b.pool);
}

/* Nothing can resume the queue: the task is treated as if it had been submitted without a delay. */
TEST(a_suspended_queue_that_was_released_discards_what_falls_due) {
    bench_t b = bench();
    size_t discarded = 0;
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async_task_after(b.queue, MS, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    sq_queue_release(b.queue);
    CHECK_EQUAL(discarded, 0);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(discarded, 1);
    sq_pool_release(b.pool);
}

TEST(a_timer_keeps_its_queue_alive_until_it_is_released) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    start(&subject, MS, MS);
    sq_queue_release(b.queue);
    sq_pool_advance(b.pool, MS);
    sq_timer_release(subject.timer); /* the queue is suspended and has no references: the last work and the firing are discarded */
    sq_pool_run(b.pool);
    CHECK_EQUAL(subject.fired, 0);
    CHECK_EQUAL(subject.discarded, 1);
    sq_pool_release(b.pool);
}

TEST(a_full_queue_takes_what_falls_due_and_has_the_same_room_after) {
    bench_t b = bench_of(1);
    subject_t subject = { 0 };
    size_t ran = 0;
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), 0);
    start(&subject, MS, 0);
    CHECK_EQUAL(sq_async_after(b.queue, MS, add_one, &ran), 0);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(sq_queue_depth(b.queue), 3);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), EAGAIN);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 3);
    CHECK_EQUAL(ran + subject.fired, 3);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), EAGAIN);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    sq_timer_release(subject.timer);
    clear(&b);
}

/* Famine */

TEST(what_falls_due_without_memory_is_tried_again) {
    bench_t b = bench();
    subject_t subject = { 0 };
    size_t ran = 0;
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0); /* so that it needs a place, and the first place a segment */
    CHECK_EQUAL(sq_async_after(b.queue, MS, add_one, &ran), 0);
    start(&subject, MS, 50 * MS);
    fail_nth(FAIL_ALLOCATION, 1, true);
    sq_pool_advance(b.pool, 11 * MS);
    CHECK_EQUAL(fail_nothing(), 22);
    CHECK_EQUAL(sq_queue_depth(b.queue), 0);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(sq_queue_depth(b.queue), 2);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 2);
    CHECK_EQUAL(sq_pool_advance(b.pool, 39 * MS - 1), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 1), 1); /* the beat is what it was */
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(subject.fired, 2);
    sq_timer_release(subject.timer);
    clear(&b);
}

TEST(a_release_without_memory_is_carried_out_later) {
    for (int ending = 0; ending < 2; ending += 1) {
        bench_t b = bench();
        subject_t subject = { 0 };
        make_timer(&subject, b.queue);
        CHECK_EQUAL(sq_suspend(b.queue), 0);
        start(&subject, MS, MS);
        const sq__alarms_t *alarms = subject.timer->alarms;
        size_t leases = alarms->leases;
        fail_nth(FAIL_ALLOCATION, 1, true);
        sq_timer_release(subject.timer);
        CHECK_EQUAL(alarms->leases, leases); /* the alarm that tries again needs its own */
        sq_pool_advance(b.pool, 5 * MS);
        CHECK_EQUAL(fail_nothing(), 6);
        CHECK_EQUAL(subject.discarded, 0);
        if (ending == 0) {
            sq_pool_advance(b.pool, MS);
            CHECK_EQUAL(sq_resume(b.queue), 0);
            sq_pool_run(b.pool);
        } else {
            CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
        }
        CHECK_EQUAL(subject.discarded, 1);
        CHECK_EQUAL(subject.fired, 0);
        clear(&b);
    }
}

/* A firing that must not run any more is still taken out of the queue, and can then end the timer as well. */
TEST(a_release_without_memory_is_completed_by_the_next_work_of_the_queue) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    start(&subject, MS, 0);
    sq_pool_advance(b.pool, MS);
    for (int i = 0; i < 125; i += 1) { /* the segment is full */
        CHECK_EQUAL(sq_async(b.queue, do_nothing, NULL), 0);
    }
    fail_nth(FAIL_ALLOCATION, 1, true);
    sq_timer_release(subject.timer);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    sq_pool_run(b.pool);
    CHECK_EQUAL(subject.discarded, 1);
    CHECK_EQUAL(subject.fired, 0);
    sq_pool_advance(b.pool, SECONDS(1));
    check_outcomes(b.queue, 125, 0, 1, 0);
    clear(&b);
}

/* What sq_pool.h says of the count. */
TEST(a_pool_counts_a_firing_that_was_cancelled_and_not_what_ends_with_its_queue) {
    bench_t b = bench();
    size_t discarded = 0;
    sq_timer_t *timer = sq_timer_create(b.queue, &(sq_task_t){ must_not_run, NULL, NULL });
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_timer_start(timer, MS, 0, 0), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, MS), 0);
    CHECK_EQUAL(sq_timer_cancel(timer), 0);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    sq_timer_release(timer);
    CHECK_EQUAL(sq_pool_run(b.pool), 0);
    CHECK_EQUAL(sq_async_task_after(b.queue, SECONDS(1), &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_async(b.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(discarded, 1);
    clear(&b);
}

TEST(functions_that_are_missing_are_refused) {
    bench_t b = bench();
    CHECK_EQUAL(sq_async_after(b.queue, 0, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_async_after(b.queue, 3600ull * 1000000000, NULL, NULL), EINVAL);
    CHECK_EQUAL(stats_now(b.queue).rejected, 2);
    CHECK(sq_timer_create(b.queue, &(sq_task_t){ NULL, NULL, do_nothing }) == NULL && errno == EINVAL);
    sq_timer_t *timer = sq_timer_create(b.queue, &(sq_task_t){ do_nothing, NULL, NULL });
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 0), 1);
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    sq_timer_release(timer);
    clear(&b);
}

static void check_order_without_delay(sq_queue_t *queue, sq_pool_t *pool) {
    journal_t journal = { 0 };
    entry_t entries[] = { { &journal, 0 }, { &journal, 1 }, { &journal, 2 }, { &journal, 3 }, { &journal, 4 } };
    CHECK_EQUAL(sq_async_after(queue, 0, write_entry, &entries[0]), 0); /* the queue is free */
    CHECK_EQUAL(sq_async(queue, write_entry, &entries[1]), 0);
    CHECK_EQUAL(sq_async_after(queue, 0, write_entry, &entries[2]), 0);
    CHECK_EQUAL(sq_async(queue, write_entry, &entries[3]), 0);
    CHECK_EQUAL(sq_async_task_after(queue, 0, &(sq_task_t){ write_entry, &entries[4], NULL }), 0);
    sq_pool_run(pool);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(journal.count, 5);
    for (size_t i = 0; i < journal.count; i += 1) {
        CHECK_EQUAL(journal.entries[i], (int)i);
    }
}

TEST(a_task_without_a_delay_is_in_order_of_submission_on_a_manual_pool) {
    bench_t b = bench();
    check_order_without_delay(b.queue, b.pool);
    clear(&b);
}

TEST(a_task_without_a_delay_is_in_order_of_submission_on_a_thread) {
    bench_t b = bench();
    for (int round = 0; round < 100; round += 1) {
        sq_queue_t *queue = queue_on(NULL, "thread", 0);
        check_order_without_delay(queue, b.pool);
        sq_queue_release(queue);
    }
    clear(&b);
}

TEST(a_full_queue_takes_a_task_without_a_delay) {
    bench_t b = bench_of(1);
    size_t ran = 0;
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), EAGAIN);
    CHECK_EQUAL(sq_async_after(b.queue, 0, add_one, &ran), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 2);
    CHECK_EQUAL(ran, 2);
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), 0); /* it has given no room back that it had not taken */
    CHECK_EQUAL(sq_async(b.queue, add_one, &ran), EAGAIN);
    clear(&b);
}
