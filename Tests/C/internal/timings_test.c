/* timings_test.c: every task of a measured queue is counted once, with its own times. */
#include "concurrent.h"
#include "inject.h"
#include "measured.h"
#include "alarm/alarm.h"
#include "observe/observe_inline.h"
#include "pool/pool.h"
#include "pools.h"
#include "platform/clock.h"

TEST(a_queue_that_was_never_measured_has_empty_histograms) {
    sq_queue_t *queue = make_queue_of("unmeasured", 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    check_both(queue, 0);
    sq_queue_histograms_stop(queue);
    check_both(queue, 0);
    both_t both = { SQ_HISTOGRAM_INIT, { .size = 8 } };
    CHECK_EQUAL(sq_queue_histograms(queue, &both.waiting, &both.running), EINVAL);
    CHECK_EQUAL(sq_queue_histograms(queue, &both.running, &both.waiting), EINVAL);
    sq_queue_release(queue);
}

TEST(a_task_is_counted_before_its_caller_continues) {
    sq_queue_t *queue = make_measured();
    uint64_t count = 0;
    for (int i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        check_both(queue, count += 1);
        CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, do_nothing, NULL), 0);
        check_both(queue, count += 1);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_async_and_wait(queue, SQ_FOREVER, do_nothing, NULL), 0);
        check_both(queue, count += 2);
    }
    sq_queue_release(queue);
}

TEST(a_sync_that_finds_the_queue_free_has_waited_for_nothing) {
    sq_queue_t *queue = make_measured();
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(check_both(queue, 1).waiting.longest, 0);
    sq_queue_release(queue);
}

static void pair_adds_one(void *first, void *second, bool runs) {
    (void)second;
    CHECK(runs);
    add_one(first);
}

typedef struct caller_of_it {
    sq_queue_t *queue;
    int (*call)(sq_queue_t *, sq_time_t, sq_function_t, void *);
} caller_of_it_t;

static void *call_it(void *argument) {
    const caller_of_it_t *it = argument;
    CHECK_EQUAL(it->call(it->queue, SQ_FOREVER, do_nothing, NULL), 0);
    return NULL;
}

/* What waits behind a held task has waited at least as long as the hold, and no longer than the test took, whatever way it came. */
static void check_waits(sq_queue_t *queue) {
    sq_group_t *group = sq_group_create("members");
    hold_t hold;
    size_t ran = 0;
    uint64_t began = sq__clock_now();
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_pair(queue, SQ_NOW, pair_adds_one, &ran, NULL), 0);
    CHECK_EQUAL(sq_async_job(queue, pair_adds_one, &ran, NULL), 0);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_after(queue, 0, add_one, &ran), 0);
    sq_deferred_t claim = { .call = pair_adds_one, .first = &ran };
    CHECK_EQUAL(sq_async_cancellable(queue, &claim), 0);
    caller_of_it_t ways[] = { { queue, sq_sync_until }, { queue, sq_async_and_wait }, { queue, sq_run_and_wait }, { queue, sq_sync_barrier_until } };
    pthread_t callers[4];
    for (size_t i = 0; i < 4; i += 1) {
        callers[i] = spawn(call_it, &ways[i]);
        wait_for_depth(queue, 7 + i + 1);
    }
    uint64_t submitted = sq__clock_now();
    use_time(NULL);
    uint64_t held = sq__clock_now() - submitted;
    hold_end(&hold);
    for (size_t i = 0; i < 4; i += 1) {
        join(callers[i]);
    }
    CHECK_EQUAL(sq_group_wait(group, FAR), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(ran, 7);
    uint64_t took = sq__clock_now() - began;
    both_t both = check_both(queue, 1 + 7 + 4 + 1);
    uint64_t waited = 0;
    for (size_t i = 0; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        waited += sq_histogram_bound(i) >= held ? both.waiting.counts[i] : 0;
    }
    CHECK(waited >= 7 + 4);
    CHECK(both.waiting.longest <= took);
    CHECK(both.running.longest >= held && both.running.longest <= took);
    sq_group_release(group);
}

TEST(whatever_waits_is_counted_with_its_wait) {
    sq_queue_t *queue = make_measured();
    check_waits(queue);
    sq_queue_release(queue);
}

TEST(the_same_on_a_pool_and_on_a_concurrent_queue) {
    sq_queue_t *queue = make_concurrent(4, 1);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    check_waits(queue);
    sq_queue_release(queue);
    queue = make_concurrent(4, 4);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    stay_t reader = STAY_INIT;
    for (int i = 0; i < 100; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    }
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    check_both(queue, 201);
    CHECK_EQUAL(sq_async(queue, stay, &reader), 0);
    latch_wait(&reader.entered, 1);
    visitor_t barrier = { .queue = NULL };
    visitor_start(&barrier, queue, true, do_nothing, NULL);
    wait_for_depth(queue, 1);
    visitor_t behind = { .queue = NULL };
    visitor_start(&behind, queue, false, do_nothing, NULL);
    wait_for_depth(queue, 2);
    use_time(NULL);
    both_t both = read_both(queue);
    CHECK_EQUAL(both.waiting.count, 202);
    CHECK_EQUAL(both.running.count, 201);
    latch_bump(&reader.leave);
    CHECK_EQUAL(visitor_end(&barrier), 0);
    CHECK_EQUAL(visitor_end(&behind), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    both = check_both(queue, 205);
    uint64_t waited = 0;
    for (size_t i = 0; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        waited += sq_histogram_bound(i) >= 1000000 ? both.waiting.counts[i] : 0;
    }
    CHECK(waited >= 2); /* the barrier and the reader behind it */
    sq_queue_release(queue);
}

TEST(waits_that_share_a_slot_are_each_counted) {
    enum { CALLERS = 12 };
    sq_queue_t *queue = make_measured();
    hold_t hold;
    hold_async(&hold, queue);
    for (int i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    }
    caller_t callers[CALLERS];
    for (size_t i = 0; i < CALLERS; i += 1) {
        caller_start(&callers[i], i % 2 ? BY_SYNC_UNTIL : BY_CALL, queue, FAR, do_nothing, NULL);
    }
    wait_for_depth(queue, 200 + CALLERS);
    hold_end(&hold);
    for (size_t i = 0; i < CALLERS; i += 1) {
        CHECK_EQUAL(caller_end(&callers[i]), 0);
    }
    drain(queue);
    check_both(queue, 1 + 200 + CALLERS + 1);
    sq_queue_release(queue);
}

TEST(what_is_withdrawn_or_discarded_is_in_neither) {
    sq_queue_t *queue = make_measured();
    hold_t hold;
    hold_async(&hold, queue);
    sq_deferred_t claim = { .call = pair_adds_one };
    CHECK_EQUAL(sq_async_cancellable(queue, &claim), 0);
    CHECK(sq_async_cancel(queue, &claim));
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_run_and_wait(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), 0);
    WHATEVER(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW));
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    check_both(queue, 1);
    sq_queue_release(queue);
}

static void sync_nested(void *queue) { CHECK_EQUAL(sq_sync_or_run(queue, do_nothing, NULL), 0); }

TEST(a_function_that_runs_inside_a_task_of_the_queue_is_part_of_it) {
    sq_queue_t *queue = make_measured();
    CHECK_EQUAL(sq_sync(queue, sync_nested, queue), 0);
    check_both(queue, 1);
    sq_queue_release(queue);
    queue = make_concurrent(2, 2);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    CHECK_EQUAL(sq_sync(queue, sync_nested, queue), 0);
    check_both(queue, 1);
    sq_queue_release(queue);
}

TEST(timers_and_delayed_tasks_are_counted) {
    sq_queue_t *queue = make_measured();
    latch_t fired = LATCH_INIT;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ bump, &fired, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 1000, 0, 0), 0);
    CHECK_EQUAL(sq_async_after(queue, 1000, bump, &fired), 0);
    latch_wait(&fired, 2);
    drain(queue);
    check_both(queue, 3);
    sq_timer_release(timer);
    sq_queue_release(queue);
}

/* The first task waits in the hand-off slot, the delayed one behind it. */
TEST(a_firing_that_is_cancelled_in_the_queue_is_in_neither) {
    sq_queue_t *queues[] = { make_measured(), make_concurrent(2, 2) };
    REQUIRE(sq_queue_histograms_start(queues[1]) == 0);
    for (size_t i = 0; i < 2; i += 1) {
        sq_timer_t *timer = sq_timer_create(queues[i], &(sq_task_t){ .run = must_not_run });
        CHECK_EQUAL(sq_suspend(queues[i]), 0);
        CHECK_EQUAL(sq_timer_start(timer, 1, 0, 0), 0);
        while (sq_queue_depth(queues[i]) == 0) {
        }
        CHECK_EQUAL(sq_timer_cancel(timer), 0);
        sq_timer_release(timer);
        CHECK_EQUAL(sq_resume(queues[i]), 0);
        CHECK_EQUAL(sq_async(queues[i], use_time, NULL), 0);
        CHECK_EQUAL(sq_shutdown(queues[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        check_both(queues[i], 1);
        sq_queue_release(queues[i]);
    }
}

TEST(a_delayed_task_that_falls_due_does_not_change_the_time_of_the_task_before_it) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "measured", 0);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    CHECK_EQUAL(sq_async_after(queue, 1, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    uint64_t submitted = sq__clock_now();
    use_time(NULL);
    uint64_t waited = sq__clock_now() - submitted;
    CHECK(sq__alarms_advance(sq__pool_clock(pool), 1));
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK(check_both(queue, 2).waiting.longest >= waited);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* The times of submission of the first two lie in a slot, that of the third in the hand-off slot. */
TEST(only_what_is_submitted_after_the_last_start_is_counted) {
    sq_queue_t *queue = make_queue_of("on and off", 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0); /* while it is off */
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0); /* before it is off and on again */
    sq_queue_histograms_stop(queue);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    use_time(NULL);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    check_both(queue, 2); /* the last one and the drain */
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    drain(queue);
    check_both(queue, 4);
    sq_queue_histograms_stop(queue);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    drain(queue);
    check_both(queue, 4);
    sq_queue_release(queue);
}

/* As if each bucket had counted so many. */
static void preset(sq_queue_t *queue, uint32_t count) {
    sq__timings_t *measured = sq__extra(queue, SQ__EXTRA_TIMINGS);
    for (size_t i = 0; i < SQ__MEASURE_BUCKETS; i += 1) {
        sq__store_relaxed(&measured->counts[i], count);
    }
}

static void check_after_preset(sq_queue_t *queue, uint64_t each, uint64_t more) {
    both_t both = read_both(queue);
    CHECK_EQUAL(both.waiting.count, each * SQ__DURATION_BUCKETS + more);
    CHECK_EQUAL(both.running.count, each * SQ__DURATION_BUCKETS + more);
    CHECK_EQUAL(read_depths(queue).count, each * SQ__DEPTH_BUCKETS + more);
}

/* Whichever bucket a duration is in, its count is carried. */
TEST(a_count_goes_on_beyond_32_bits) {
    sq_queue_t *queues[] = { make_measured(), make_concurrent(2, 2) };
    REQUIRE(sq_queue_histograms_start(queues[1]) == 0);
    for (size_t i = 0; i < 2; i += 1) {
        preset(queues[i], (UINT32_C(1) << 31) - 1);
        CHECK_EQUAL(sq_sync(queues[i], do_nothing, NULL), 0);
        check_after_preset(queues[i], (UINT64_C(1) << 31) - 1, 1);
        sq_queue_release(queues[i]);
    }
}

/* The waits of a sync on a free queue are all 0, in the first bucket. */
TEST(a_wait_is_carried_each_time_that_its_count_reaches_half_or_wraps) {
    sq_queue_t *queue = make_measured();
    sq__timings_t *measured = sq__extra(queue, SQ__EXTRA_TIMINGS);
    for (uint64_t half = 1; half <= 5; half += 1) {
        sq__store_relaxed(&measured->counts[0], (uint32_t)((half << 31) - 1));
        CHECK_EQUAL(read_both(queue).waiting.count, (half << 31) - 1);
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(read_both(queue).waiting.count, half << 31);
    }
    sq_queue_release(queue);
}

TEST(without_memory_at_the_first_carry_nothing_is_lost) {
    sq_queue_t *queue = make_measured();
    sq__timings_t *measured = sq__extra(queue, SQ__EXTRA_TIMINGS);
    for (uint64_t half = 1; half <= 4; half += 1) {
        sq__store_relaxed(&measured->counts[0], (uint32_t)((half << 31) - 1));
        if (half == 1) {
            fail_nth(FAIL_ALLOCATION, 1, false);
        }
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(fail_nothing(), half == 1);
        CHECK_EQUAL(read_both(queue).waiting.count, half << 31);
    }
    sq_queue_release(queue);
}
