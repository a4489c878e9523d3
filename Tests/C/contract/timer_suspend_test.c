/* timer_suspend_test.c: timers that are suspended, start at a point in time, and have a task for after their last firing. */
#include "timed.h"

#include "outcome.h"

static sq_queue_t *make_concurrent(void) {
    sq_pool_options_t of_pool = SQ_POOL_OPTIONS_INIT;
    of_pool.threads = 2;
    sq_pool_t *pool = sq_pool_create("pool", &of_pool);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.width = 4;
    sq_queue_t *queue = sq_queue_create("concurrent", &options);
    REQUIRE(queue != NULL);
    sq_pool_release(pool);
    return queue;
}

static void count_intervals(subject_t *subject) { subject->sum += sq_timer_intervals(subject->timer); }

TEST(a_suspended_timer_does_not_fire_and_counts_what_it_has_missed) {
    bench_t b = bench();
    subject_t subject = { .inside = count_intervals };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_timer_resume(subject.timer), EINVAL);
    start(&subject, MS, MS);
    sq_pool_advance(b.pool, 2 * MS);
    CHECK_EQUAL(subject.sum, 2);
    CHECK_EQUAL(sq_timer_suspend(subject.timer), 0);
    CHECK_EQUAL(sq_timer_suspend(subject.timer), 0);
    sq_pool_advance(b.pool, 5 * MS);
    CHECK_EQUAL(sq_timer_resume(subject.timer), 0);
    sq_pool_advance(b.pool, 0);
    CHECK_EQUAL(subject.fired, 2);
    CHECK_EQUAL(sq_timer_resume(subject.timer), 0);
    sq_pool_advance(b.pool, 0);
    CHECK_EQUAL(subject.fired, 3);
    CHECK_EQUAL(subject.sum, 7);
    sq_pool_advance(b.pool, MS);
    CHECK_EQUAL(subject.fired, 4);
    CHECK_EQUAL(subject.sum, 8);
    sq_timer_release(subject.timer);
    clear(&b);
    CHECK_EQUAL(subject.discarded, 1);
}

TEST(a_firing_that_waits_is_taken_back_by_a_suspension) {
    static const uint64_t intervals[] = { 0, MS, SQ_FOREVER - 1 };
    for (size_t i = 0; i < 3; i += 1) {
        uint64_t interval = intervals[i];
        bench_t b = bench();
        subject_t subject = { .inside = count_intervals };
        make_timer(&subject, b.queue);
        CHECK_EQUAL(sq_suspend(b.queue), 0);
        start(&subject, MS, interval);
        sq_pool_advance(b.pool, 3 * MS);
        CHECK_EQUAL(sq_queue_depth(b.queue), 1);
        CHECK_EQUAL(sq_timer_suspend(subject.timer), 0);
        CHECK_EQUAL(sq_queue_depth(b.queue), 0);
        CHECK_EQUAL(sq_resume(b.queue), 0);
        sq_pool_advance(b.pool, 2 * MS);
        CHECK_EQUAL(subject.fired, 0);
        CHECK_EQUAL(sq_timer_resume(subject.timer), 0);
        sq_pool_advance(b.pool, 0);
        CHECK_EQUAL(subject.fired, 1);
        CHECK_EQUAL(subject.sum, interval == MS ? 5 : 1);
        sq_timer_release(subject.timer);
        clear(&b);
    }
}

TEST(a_timer_that_is_started_while_it_is_suspended_begins_with_the_resume) {
    bench_t b = bench();
    subject_t subject = { .inside = count_intervals };
    make_timer(&subject, b.queue);
    CHECK_EQUAL(sq_timer_suspend(subject.timer), 0);
    start(&subject, MS, 0);
    sq_pool_advance(b.pool, SECONDS(1));
    CHECK_EQUAL(subject.fired, 0);
    CHECK_EQUAL(sq_timer_resume(subject.timer), 0);
    sq_pool_advance(b.pool, 0);
    CHECK_EQUAL(subject.fired, 1);
    CHECK_EQUAL(sq_timer_suspend(subject.timer), 0);
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_timer_cancel(subject.timer), 0); /* and then nothing is to be resumed */
    CHECK_EQUAL(sq_timer_resume(subject.timer), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 0);
    CHECK_EQUAL(subject.fired, 1);
    sq_timer_release(subject.timer);
    clear(&b);
}

static void suspend_inside(subject_t *subject) {
    CHECK_EQUAL(sq_timer_suspend(subject->timer), 0);
    CHECK_EQUAL(sq_pool_advance(subject->pool, 3 * MS), 0);
    CHECK_EQUAL(sq_timer_resume(subject->timer), 0); /* the firing itself is not over: another follows it */
    subject->inside = count_intervals;
}

TEST(a_timer_may_be_suspended_and_resumed_by_its_own_firing) {
    bench_t b = bench();
    subject_t subject = { .inside = suspend_inside, .pool = b.pool };
    make_timer(&subject, b.queue);
    start(&subject, MS, MS);
    sq_pool_advance(b.pool, MS);
    sq_pool_advance(b.pool, 0);
    CHECK_EQUAL(subject.fired, 2);
    CHECK_EQUAL(subject.sum, 3);
    sq_timer_release(subject.timer);
    clear(&b);
}

/* A suspended timer × each end. */
TEST(a_suspended_timer_ends_with_its_release_or_its_queue) {
    for (int way = 0; way < 3; way += 1) {
        bench_t b = bench();
        subject_t subject = { 0 };
        make_timer(&subject, b.queue);
        start(&subject, MS, MS);
        CHECK_EQUAL(sq_timer_suspend(subject.timer), 0);
        sq_pool_advance(b.pool, MS);
        if (way > 0) {
            CHECK_EQUAL(sq_shutdown(b.queue, way == 1 ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
            CHECK_EQUAL(subject.discarded, 1);
            CHECK_EQUAL(sq_timer_resume(subject.timer), 0);
            CHECK_EQUAL(sq_timer_start_at(subject.timer, 0, 0, 0), ESHUTDOWN);
        }
        sq_timer_release(subject.timer);
        clear(&b);
        CHECK_EQUAL(subject.fired, 0);
        CHECK_EQUAL(subject.discarded, 1);
    }
}

TEST(a_timer_starts_at_a_point_in_time) {
    bench_t b = bench();
    subject_t subject = { .inside = count_intervals };
    make_timer(&subject, b.queue);
    const uint64_t now = 0; /* where the pool's clock began */
    sq_pool_advance(b.pool, 5 * MS);
    CHECK_EQUAL(sq_timer_start_at(subject.timer, now + 7 * MS, 0, 0), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, MS), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, MS), 1);
    CHECK_EQUAL(sq_timer_start_at(subject.timer, now + MS, MS, 0), 0); /* past */
    sq_pool_advance(b.pool, 0);
    CHECK_EQUAL(subject.fired, 2);
    CHECK_EQUAL(subject.sum, 8);
    CHECK_EQUAL(sq_timer_start_at(subject.timer, SQ_FOREVER, 0, 0), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, HOURS(1)), 0);
    sq_timer_release(subject.timer);
    clear(&b);
}

/* After the last firing */

typedef struct last {
    latch_t entered, leave;
    atomic_bool runs;
    bool was_over;
    latch_t done;
} last_t;

static void run_until_told(void *context) {
    last_t *last = context;
    last->runs = true;
    latch_bump(&last->entered);
    latch_wait(&last->leave, 1);
    last->runs = false;
}

static void note_the_end(void *context) {
    last_t *last = context;
    last->was_over = !last->runs;
    latch_bump(&last->done);
}

TEST(the_task_after_a_cancel_runs_once_the_last_firing_is_over) {
    for (int concurrent = 0; concurrent < 2; concurrent += 1) {
        last_t last = { .entered = LATCH_INIT, .leave = LATCH_INIT, .done = LATCH_INIT };
        sq_queue_t *queue = concurrent ? make_concurrent() : make_queue_of("queue", 1);
        sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ run_until_told, &last, NULL });
        CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
        latch_wait(&last.entered, 1);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0); /* the queue is full, or has another task */
        CHECK_EQUAL(sq_timer_cancel_then(timer, &(sq_task_t){ note_the_end, &last, NULL }), 0);
        latch_bump(&last.leave);
        latch_wait(&last.done, 1);
        CHECK(last.was_over);
        sq_timer_release(timer);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(queue);
    }
}

static void *move_on(void *pool) {
    CHECK(sq_pool_advance(pool, 0) >= 1); /* perhaps the end, too */
    return NULL;
}

/* Its discard function may free what the firings use. */
TEST(the_task_after_a_cancel_is_discarded_once_the_last_firing_is_over) {
    for (int kind = 0; kind < 4; kind += 1) {
        last_t last = { .entered = LATCH_INIT, .leave = LATCH_INIT, .done = LATCH_INIT };
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.pool = sq_pool_create_manual("manual");
        options.width = kind % 2 ? 4 : 1;
        sq_queue_t *queue = sq_queue_create("queue", &options);
        sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ run_until_told, &last, NULL });
        CHECK_EQUAL(sq_timer_start(timer, 0, 1000, 0), 0);
        pthread_t thread = spawn(move_on, options.pool);
        latch_wait(&last.entered, 1);
        CHECK_EQUAL(kind / 2 ? sq_suspend(queue) : 0, 0);
        CHECK_EQUAL(sq_timer_cancel_then(timer, &(sq_task_t){ must_not_run, &last, note_the_end }), 0);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
        CHECK_EQUAL(sq_pool_run(options.pool), 0);
        latch_bump(&last.leave);
        join(thread);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
        latch_wait(&last.done, 1);
        CHECK(last.was_over);
        sq_timer_release(timer);
        sq_queue_release(queue);
        sq_pool_release(options.pool);
    }
}

TEST(the_task_after_a_cancel_is_refused_with_its_queue) {
    bench_t b = bench();
    subject_t subject = { 0 };
    size_t count = 0;
    make_timer(&subject, b.queue);
    start(&subject, MS, MS);
    CHECK_EQUAL(sq_timer_cancel_then(subject.timer, &(sq_task_t){ NULL, &count, NULL }), EINVAL);
    CHECK_EQUAL(sq_pool_advance(b.pool, MS), 1); /* the timer is not cancelled */
    CHECK_EQUAL(sq_timer_suspend(subject.timer), 0);
    CHECK_EQUAL(sq_timer_cancel_then(subject.timer, &(sq_task_t){ add_one, &count, NULL }), 0);
    CHECK_EQUAL(sq_pool_run(b.pool), 1);
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(sq_timer_resume(subject.timer), 0);
    CHECK_EQUAL(sq_pool_advance(b.pool, SECONDS(1)), 0); /* it is cancelled */
    CHECK_EQUAL(sq_shutdown(b.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_timer_cancel_then(subject.timer, &(sq_task_t){ add_one, &count, NULL }), ESHUTDOWN);
    sq_timer_release(subject.timer);
    clear(&b);
    CHECK_EQUAL(count, 1);
}

/* Threads suspend, resume, start and cancel one timer, whose queue then ends. */

typedef struct many {
    sq_timer_t *timer;
    size_t rounds;
} many_t;

static void *change(void *argument) {
    const many_t *many = argument;
    for (size_t i = 0; i < many->rounds; i += 1) {
        CHECK_EQUAL(sq_timer_suspend(many->timer), 0);
        WHATEVER(i % 4 == 0 ? sq_timer_start(many->timer, 0, 1000, 0) : i % 64 == 1 ? sq_timer_cancel(many->timer) : 0);
        CHECK_EQUAL(sq_timer_resume(many->timer), 0);
    }
    return NULL;
}

TEST(suspensions_by_many_threads_balance) {
    for (int concurrent = 0; concurrent < 2; concurrent += 1) {
        outcome_t outcome = { 0, 0 };
        pthread_t threads[4];
        sq_queue_t *queue = concurrent ? make_concurrent() : make_queue_of("queue", 0);
        many_t many = { sq_timer_create(queue, &(sq_task_t){ count_ran, &outcome, count_discarded }), scaled(5000) };
        for (int i = 0; i < 4; i += 1) {
            threads[i] = spawn(change, &many);
        }
        for (int i = 0; i < 4; i += 1) {
            join(threads[i]);
        }
        CHECK_EQUAL(sq_timer_resume(many.timer), EINVAL);
        size_t before = outcome.ran;
        CHECK_EQUAL(sq_timer_start(many.timer, 0, 0, 0), 0);
        while (outcome.ran == before) {
            CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        }
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_timer_release(many.timer);
        CHECK_EQUAL(outcome.discarded, 1);
        sq_queue_release(queue);
    }
}
