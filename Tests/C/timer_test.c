/* timer_test.c: what timers and delayed tasks promise, on a clock that the test moves: nothing here takes time. timer_race_test.c
 * has the part that needs threads. */
#include "caller.h"
#include "inject.h"

#include <stdlib.h>

enum { MS = 1000000 };
#define SECONDS(n) ((uint64_t)(n) * 1000000000u)

typedef struct bench {
    sq_pool_t *pool;
    sq_queue_t *queue;
} bench_t;

static sq_queue_t *queue_on(sq_pool_t *pool, const char *label, size_t capacity) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.capacity = capacity;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

static bench_t bench_of(size_t capacity) {
    sq_pool_t *pool = sq_pool_create_manual("clock");
    REQUIRE(pool != NULL);
    return (bench_t){ pool, queue_on(pool, "timed", capacity) };
}

static bench_t bench(void) { return bench_of(0); }

static void clear(bench_t *bench) {
    sq_queue_release(bench->queue);
    sq_pool_run(bench->pool);
    sq_pool_release(bench->pool);
}

/* A timer that counts. */
typedef struct subject {
    sq_timer_t *timer;
    sq_queue_t *queue;
    size_t fired, discarded;
    void (*inside)(struct subject *subject);
    uint64_t again; /* the delay of a start from inside */
} subject_t;

static void fired(void *context) {
    subject_t *subject = context;
    CHECK(sq_current_queue() == subject->queue);
    CHECK_EQUAL(subject->discarded, 0);
    subject->fired += 1;
    if (subject->inside != NULL) {
        subject->inside(subject);
    }
}

static void done_for(void *context) {
    subject_t *subject = context;
    CHECK(sq_current_queue() == subject->queue);
    subject->discarded += 1;
}

static void make_timer(subject_t *subject, sq_queue_t *queue) {
    subject->queue = queue;
    subject->timer = sq_timer_create(queue, &(sq_task_t){ fired, subject, done_for });
    REQUIRE(subject->timer != NULL);
}

static void start(subject_t *subject, uint64_t delay, uint64_t interval) {
    CHECK_EQUAL(sq_timer_start(subject->timer, delay, interval, 0), 0);
}

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

/* Each notes its number; expected: by due time, and by the order of start among equals. See it fail: let sq__heap_before look at
 * the key alone. */
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

/* Who is next, by the definition: the earliest due time, and among equals who was started first. */
static beat_t *next_beat(beat_t beats[]) {
    beat_t *next = &beats[0];
    for (size_t i = 1; i < BEATS; i += 1) {
        next = beats[i].due < next->due ? &beats[i] : next;
    }
    return next;
}

/* See it fail: have firing.c call sq__alarm_set instead of sq__alarm_set_again. */
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
    check_outcomes(b.queue, 0, 1, 1, 0);
    clear(&b);
}

/* The old firing has no right any more, and the new one stands behind what was submitted before it fell due. See it fail: have
 * fire() not look at the number. */
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
    check_outcomes(b.queue, 0, 1, 1, 0);
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

TEST(times_that_are_too_far_to_be_told_never_come) {
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
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded, 1);
    CHECK_EQUAL(subject.discarded, 1);
    sq_timer_release(subject.timer);
    clear(&b);
}

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

/* Nobody can resume it: as if it had been submitted without delay. */
TEST(a_suspended_queue_that_nobody_has_discards_what_falls_due) {
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
    sq_timer_release(subject.timer); /* the queue is suspended, and nobody's: the last work and the firing are discarded */
    sq_pool_run(b.pool);
    CHECK_EQUAL(subject.fired, 0);
    CHECK_EQUAL(subject.discarded, 1);
    sq_pool_release(b.pool);
}

static void check_shutdown(sq_shutdown_t mode, bool suspended) {
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
    CHECK_EQUAL(ran, mode == SQ_DRAIN);
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

TEST(a_drain_discards_what_is_not_due_before_it_returns) { check_shutdown(SQ_DRAIN, false); }
TEST(a_discard_discards_what_is_not_due_before_it_returns) { check_shutdown(SQ_DISCARD, false); }
TEST(a_discard_of_a_suspended_queue_discards_firings_that_wait) { check_shutdown(SQ_DISCARD, true); }

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
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(subjects[0].discarded, 2);
    CHECK_EQUAL(subjects[1].discarded, 1);
    clear(&b);
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
        fail_nth(FAIL_ALLOCATION, 1, true);
        sq_timer_release(subject.timer);
        sq_pool_advance(b.pool, 5 * MS);
        CHECK_EQUAL(fail_nothing(), 6);
        CHECK_EQUAL(subject.discarded, 0);
        if (ending == 0) {
            sq_pool_advance(b.pool, MS);
            CHECK_EQUAL(sq_resume(b.queue), 0);
            sq_pool_run(b.pool);
        } else {
            CHECK_EQUAL(sq_shutdown(b.queue, SQ_DISCARD, SQ_FOREVER), 0);
        }
        CHECK_EQUAL(subject.discarded, 1);
        CHECK_EQUAL(subject.fired, 0);
        clear(&b);
    }
}

/* A firing that has no right to run any more, and yet passes, can end the timer as well. */
TEST(a_release_without_memory_ends_with_the_next_work_that_passes) {
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
    check_outcomes(b.queue, 125, 1, 1, 0);
    clear(&b);
}

TEST(functions_that_are_missing_are_refused) {
    bench_t b = bench();
    CHECK_EQUAL(sq_async_after(b.queue, 0, NULL, NULL), EINVAL);
    CHECK(sq_timer_create(b.queue, &(sq_task_t){ NULL, NULL, do_nothing }) == NULL && errno == EINVAL);
    sq_timer_t *timer = sq_timer_create(b.queue, &(sq_task_t){ do_nothing, NULL, NULL });
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, 0), 1);
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    sq_timer_release(timer);
    clear(&b);
}
