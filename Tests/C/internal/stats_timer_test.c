/* stats_timer_test.c: the counts of timers, and of slots that were consumed. */
#include "caller.h"
#include "inject.h"
#include "latch.h"
#include "kernel/depth.h"
#include "sq_pool.h"

/* What the watching thread looks at: how many slots were consumed (the work in them ran, was discarded or withdrawn), and how many wait. */
static void check_consumed(const sq_queue_t *queue, uint64_t consumed, uint64_t waiting) {
    uint64_t found = 99;
    CHECK_EQUAL(sq__depth_consumed(queue, &found), consumed);
    CHECK_EQUAL(found, waiting);
}

TEST(every_consumed_slot_is_counted_as_consumed) {
    sq_queue_t *queue = make_queue_of("consumed", 0);
    hold_t hold;
    check_consumed(queue, 0, 0);
    hold_sync(&hold, queue);
    check_consumed(queue, 1, 0);
    do { /* a caller that is late when it begins takes no slot */
        CHECK_EQUAL(sq_sync_until(queue, sq_deadline(2000000), must_not_run, NULL), ETIMEDOUT);
    } while (stats_now(queue).withdrawn == 0);
    check_consumed(queue, 1, 0); /* a slot that was withdrawn does not wait */
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    check_consumed(queue, 1, 2); /* but it must be consumed before the task behind it */
    hold_end(&hold);
    drain(queue);
    check_consumed(queue, 4, 0); /* with the drain's own */
    hold_sync(&hold, queue);
    CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, NULL, do_nothing }), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    check_consumed(queue, 6, 0);
    sq_queue_release(queue);
}

/* A timer is not a task, so only its firings are counted. */
typedef struct timed {
    sq_pool_t *pool;
    sq_queue_t *queue;
    sq_timer_t *timer;
    size_t fired; /* 100 more when it was cleaned up */
} timed_t;

static void make_timed_of_width(timed_t *self, size_t width, sq_function_t clean_up) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    *self = (timed_t){ .pool = sq_pool_create_manual("clock") };
    options.pool = self->pool;
    options.width = width;
    self->queue = sq_queue_create("timed", &options);
    self->timer = sq_timer_create(self->queue, &(sq_task_t){ add_one, &self->fired, clean_up });
    REQUIRE(self->timer != NULL);
}

static void make_timed(timed_t *self, sq_function_t clean_up) { make_timed_of_width(self, 1, clean_up); }

static void end_timed(timed_t *self) {
    sq_queue_release(self->queue);
    sq_pool_release(self->pool);
}

static void clean_up(void *fired) { *(size_t *)fired += 100; }

TEST(a_timer_that_is_released_before_the_shutdown_is_not_discarded) {
    timed_t t;
    make_timed(&t, clean_up);
    CHECK_EQUAL(sq_timer_start(t.timer, 1, 0, 0), 0);
    sq_pool_advance(t.pool, 1);
    sq_timer_release(t.timer);
    sq_pool_run(t.pool);
    CHECK_EQUAL(sq_shutdown(t.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(t.fired, 101);
    check_outcomes(t.queue, 2, 0, 0, 0); /* the firing, and the turn in which it was cleaned up */
    end_timed(&t);
}

static void close_and_advance(void *timed) {
    timed_t *t = timed;
    CHECK_EQUAL(sq_shutdown(t->queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), EDEADLK);
    sq_pool_advance(t->pool, 20);
}

TEST(a_firing_that_falls_due_between_the_shutdown_and_the_end_is_discarded) {
    timed_t t;
    make_timed(&t, clean_up);
    CHECK_EQUAL(sq_timer_start(t.timer, 5, 10, 0), 0);
    CHECK_EQUAL(sq_async(t.queue, close_and_advance, &t), 0);
    CHECK_EQUAL(sq_shutdown(t.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(t.fired, 100);
    check_outcomes(t.queue, 1, 1, 0, 0);
    sq_timer_release(t.timer);
    end_timed(&t);
}

TEST(a_timer_that_is_released_and_cleaned_up_by_a_discarding_shutdown_is_not_discarded) {
    timed_t t;
    make_timed(&t, clean_up);
    CHECK_EQUAL(sq_timer_start(t.timer, 1, 0, 0), 0);
    sq_timer_release(t.timer);
    CHECK_EQUAL(sq_shutdown(t.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(t.fired, 100);
    check_outcomes(t.queue, 1, 0, 0, 0);
    end_timed(&t);
}

TEST(a_timer_whose_release_found_no_memory_is_not_discarded_at_the_shutdown) {
    timed_t t;
    make_timed(&t, clean_up);
    CHECK_EQUAL(sq_suspend(t.queue), 0);
    fail_nth(FAIL_ALLOCATION, 1, true);
    sq_timer_release(t.timer);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(sq_shutdown(t.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(t.fired, 100);
    check_outcomes(t.queue, 0, 0, 0, 0);
    end_timed(&t);
}

TEST(a_firing_that_was_cancelled_and_then_discarded_counts_as_withdrawn_alone) {
    timed_t t;
    make_timed(&t, NULL);
    CHECK_EQUAL(sq_timer_start(t.timer, 1, 0, 0), 0);
    CHECK_EQUAL(sq_suspend(t.queue), 0);
    sq_pool_advance(t.pool, 1);
    CHECK_EQUAL(sq_timer_cancel(t.timer), 0);
    CHECK_EQUAL(sq_shutdown(t.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(t.fired, 0);
    check_outcomes(t.queue, 0, 0, 1, 0);
    sq_timer_release(t.timer);
    end_timed(&t);
}

TEST(a_timer_that_a_shutdown_ends_has_its_next_firing_discarded_if_there_was_one) {
    for (int armed = 0; armed < 2; armed += 1) {
        timed_t t;
        make_timed(&t, armed ? NULL : clean_up);
        if (armed) {
            CHECK_EQUAL(sq_timer_start(t.timer, 1, 1, 0), 0);
        }
        CHECK_EQUAL(sq_shutdown(t.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_timer_release(t.timer);
        CHECK_EQUAL(t.fired, armed ? 0 : 100);
        check_outcomes(t.queue, 0, (uint64_t)armed, 0, 0);
        end_timed(&t);
    }
}

/* It is counted as run before the timer is looked at. */
TEST(a_firing_that_was_cancelled_in_the_queue_did_not_run) {
    for (int wide = 0; wide < 2; wide += 1) {
        timed_t t;
        make_timed_of_width(&t, wide ? SQ_WIDTH_POOL : 1, NULL);
        CHECK_EQUAL(sq_timer_start(t.timer, 1, 0, 0), 0);
        CHECK_EQUAL(sq_suspend(t.queue), 0);
        sq_pool_advance(t.pool, 1);
        check_consumed(t.queue, 0, 1);
        sq_timer_cancel(t.timer);
        CHECK_EQUAL(sq_resume(t.queue), 0);
        sq_pool_run(t.pool);
        CHECK_EQUAL(t.fired, 0);
        check_outcomes(t.queue, 0, 0, 1, 0);
        check_consumed(t.queue, 1, 0); /* in whatever way */
        sq_timer_release(t.timer);
        sq_pool_run(t.pool);
        end_timed(&t);
    }
}
