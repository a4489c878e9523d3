/* timer_test.c: what timers and delayed tasks promise, on a clock that the test moves: nothing here takes time. timer_queue_test.c:
 * what they have to do with their queue; timer_wait_test.c, timer_race_test.c: what needs threads. */
#include "timer_calls.h"

/* Order */

TEST(a_delayed_task_waits_for_its_delay_and_then_for_its_turn) {
    bench_t b = bench();
    journal_t journal = { 0 };
    entry_t entries[] = { { &journal, 0 }, { &journal, 1 }, { &journal, 2 } };
    CHECK_EQUAL(sq_async_after(b.queue, 10 * MS, write_entry, &entries[0]), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 10 * MS - 1), 0);
    CHECK_EQUAL(sq_async(b.queue, write_entry, &entries[1]), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    CHECK_EQUAL(sq_async(b.queue, write_entry, &entries[2]), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 1), 0);
    CHECK_EQUAL(sq_queue_depth(b.queue), 2);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 2);
    CHECK_EQUAL(journal.count, 3);
    CHECK(journal.entries[0] == 1 && journal.entries[1] == 2 && journal.entries[2] == 0);
    check_outcomes(b.queue, 3, 0, 0, 0);
    clear(&b);
}

/* Each notes its number; expected: by due time, and by the order of start among equals. */
TEST(delayed_tasks_run_by_due_time_and_by_order_of_start_among_equals) {
    bench_t b = bench();
    enum { TASKS = 1000 };
    random_stream_t random = random_start(1);
    journal_t journal = { 0 };
    static entry_t entries[TASKS];
    static uint64_t delays[TASKS];
    for (int i = 0; i < TASKS; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        delays[i] = random_below(&random, 50) * MS;
        CHECK_EQUAL(sq_async_after(b.queue, delays[i], write_entry, &entries[i]), 0);
    }
    CHECK_EQUAL(sq_pool_advance(b.pool, 50 * MS), TASKS);
    CHECK_EQUAL(journal.count, TASKS);
    for (size_t i = 1; i < journal.count; i += 1) {
        int before = journal.entries[i - 1], after = journal.entries[i];
        CHECK(delays[before] < delays[after] || (delays[before] == delays[after] && before < after));
    }
    clear(&b);
}

typedef struct beat {
    size_t number;
    uint64_t interval, due;
    sq_timer_t *timer;
} beat_t;

enum { BEATS = 1000, FIRINGS = 200000 };
static struct { size_t count; uint32_t numbers[FIRINGS]; } fired_beats;

static void write_beat(void *context) {
    REQUIRE(fired_beats.count < FIRINGS);
    fired_beats.numbers[fired_beats.count++] = (uint32_t)((beat_t *)context)->number;
}

/* The next one by definition: the earliest due time, and among equals the one that was started first. */
static beat_t *next_beat(beat_t beats[]) {
    beat_t *next = &beats[0];
    for (size_t i = 1; i < BEATS; i += 1) {
        next = beats[i].due < next->due ? &beats[i] : next;
    }
    return next;
}

TEST(an_hour_of_1000_periodic_timers_fires_in_exactly_the_right_order) {
    sq_pool_t *pool = sq_pool_create_manual("hour");
    sq_queue_t *queues[7];
    static beat_t beats[BEATS];
    random_stream_t random = random_start(2);
    fired_beats.count = 0;
    for (size_t i = 0; i < 7; i += 1) {
        queues[i] = queue_on(pool, "beats", 0);
    }
    for (size_t i = 0; i < BEATS; i += 1) {
        beats[i] = (beat_t){ .number = i, .interval = SECONDS(20 + random_below(&random, 40)) };
        beats[i].due = beats[i].interval;
        beats[i].timer = sq_timer_create(queues[random_below(&random, 7)], &(sq_task_t){ write_beat, &beats[i], NULL });
        CHECK_EQUAL(sq_timer_start(beats[i].timer, beats[i].interval, beats[i].interval, random_below(&random, 2) * MS), 0);
    }
    size_t ran = 0, expected = 0;
    for (int second = 0; second < 3600; second += 60) {
        ran += sq_pool_advance(pool, SECONDS(60));
    }
    for (beat_t *next = next_beat(beats); next->due <= SECONDS(3600); next = next_beat(beats)) {
        CHECK_EQUAL(fired_beats.numbers[expected], next->number);
        expected += 1;
        next->due += next->interval;
    }
    CHECK_EQUAL(fired_beats.count, expected);
    CHECK_EQUAL(ran, expected);
    note("%zu firings", expected);
    for (size_t i = 0; i < BEATS; i += 1) {
        sq_timer_release(beats[i].timer);
    }
    for (size_t i = 0; i < 7; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
}

/* Start, cancel, release */

static void start_again(subject_t *subject) {
    CHECK_EQUAL(sq_timer_start(subject->timer, subject->again, 0, 0), 0);
}

TEST(a_timer_can_be_started_again_in_its_own_task) {
    bench_t b = bench();
    subject_t subject = { .inside = start_again, .again = 3 * MS };
    make_timer(&subject, b.queue);
    start(&subject, 3 * MS, 0);
    for (size_t i = 1; i <= 100; i += 1) {
        CHECK_EQUAL(sq_pool_advance(b.pool, 3 * MS - 1), 0);
        CHECK_EQUAL(sq_pool_advance(b.pool, 1), 1);
        CHECK_EQUAL(subject.fired, i);
    }
    sq_timer_release(subject.timer);
    sq_pool_advance(b.pool, SECONDS(1));
    CHECK_EQUAL(subject.fired, 100);
    CHECK_EQUAL(subject.discarded, 1);
    clear(&b);
}

TEST(a_started_timer_that_is_started_again_counts_from_then) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    start(&subject, 10 * MS, 10 * MS);
    sq_pool_advance(b.pool, 9 * MS);
    start(&subject, 5 * MS, 7 * MS);
    CHECK_EQUAL(sq_pool_advance(b.pool, 4 * MS), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 1 * MS), 1);
    CHECK_EQUAL(sq_pool_advance(b.pool, 7 * MS), 1);
    start(&subject, 1 * MS, 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 1);
    CHECK_EQUAL(subject.fired, 3);
    sq_timer_release(subject.timer);
    clear(&b);
}

TEST(a_periodic_timer_that_falls_behind_fires_once_and_keeps_its_beat) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    start(&subject, 10 * MS, 10 * MS);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    sq_pool_advance(b.pool, 95 * MS);
    CHECK_EQUAL(sq_queue_depth(b.queue), 1);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(sq_pool_advance(b.pool, 5 * MS - 1), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 1), 1);
    CHECK_EQUAL(subject.fired, 2);
    sq_timer_release(subject.timer);
    clear(&b);
}

TEST(a_timer_on_a_suspended_queue_is_not_set_again_at_each_interval) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    start(&subject, 5 * US, 5 * US);
    CHECK_EQUAL(calls_until(&b, HOURS(1) + 1), 2);
    CHECK_EQUAL(sq_queue_depth(b.queue), 1);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(sq_pool_advance(b.pool, 5 * US - 2), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 1), 1); /* in its beat */
    CHECK_EQUAL(sq_pool_advance(b.pool, 10 * US), 2);
    sq_timer_release(subject.timer);
    clear(&b);
}

static void pass_an_hour(subject_t *subject) {
    bench_t b = { .pool = subject->pool };
    if (subject->fired == 1) {
        CHECK_EQUAL(calls_until(&b, HOURS(1)), 1);
    }
}

TEST(a_timer_whose_task_takes_long_is_not_set_again_at_each_interval) {
    bench_t b = bench();
    subject_t subject = { .inside = pass_an_hour, .pool = b.pool };
    make_timer(&subject, b.queue);
    start(&subject, 0, 5 * US);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(sq_pool_run(b.pool), 1); /* for all that fell due meanwhile */
    CHECK_EQUAL(sq_pool_advance(b.pool, 5 * US - 1), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 1), 1);
    sq_timer_release(subject.timer);
    clear(&b);
}

/* After a firing was left out a timer rests: its alarm is set again when the firing that waits is over. If it is cancelled while it rests, it
 * stays cancelled after that firing. */
TEST(a_timer_that_was_cancelled_while_a_firing_was_left_out_does_not_fire_again) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_suspend(b.queue), 0);
    start(&subject, MS, MS);
    sq_pool_advance(b.pool, 10 * MS);
    CHECK_EQUAL(sq_timer_cancel(subject.timer), 0);
    CHECK_EQUAL(sq_resume(b.queue), 0);
    sq_pool_advance(b.pool, 10 * MS);
    CHECK_EQUAL(subject.fired, 0);
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_pool_advance(b.pool, 2 * MS), 2);
    sq_timer_release(subject.timer);
    clear(&b);
}

/* The next firing of a timer that was started anew in its own task waits, and another one was left out. */
static void start_again_and_fall_behind(subject_t *subject) {
    if (subject->fired == 1) {
        bench_t b = { .pool = subject->pool };
        start(subject, 0, MS);
        CHECK_EQUAL(calls_until(&b, 10 * MS), 2);
    }
}

TEST(a_timer_that_rests_while_a_firing_waits_is_set_again_after_that_firing) {
    bench_t b = bench();
    subject_t subject = { .inside = start_again_and_fall_behind, .pool = b.pool };
    make_timer(&subject, b.queue);
    start(&subject, 0, MS);
    CHECK_EQUAL(sq_pool_run(b.pool), 2);
    CHECK_EQUAL(subject.fired, 2);
    CHECK_EQUAL(sq_pool_advance(b.pool, MS), 1);
    sq_timer_release(subject.timer);
    clear(&b);
}

TEST(times_beyond_the_end_of_the_clock_never_come) {
    bench_t b = bench();
    subject_t subject = { 0 };
    make_timer(&subject, b.queue);
    sq_pool_advance(b.pool, SECONDS(1));
    size_t discarded = 0;
    CHECK_EQUAL(sq_async_task_after(b.queue, UINT64_MAX - 5, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_timer_start(subject.timer, UINT64_MAX, 1, UINT64_MAX), 0);
    sq_pool_advance(b.pool, UINT64_MAX - SECONDS(2));
    CHECK_EQUAL(sq_timer_start(subject.timer, 5, UINT64_MAX, UINT64_MAX), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 1);
    CHECK_EQUAL(sq_pool_advance(b.pool, UINT64_MAX), 0);
    CHECK_EQUAL(subject.fired, 1);
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded, 1);
    CHECK_EQUAL(subject.discarded, 1);
    sq_timer_release(subject.timer);
    clear(&b);
}
