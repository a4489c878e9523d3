/* stats_test.c: the counts are true. */
#include "caller.h"
#include "inject.h"
#include "latch.h"
#include "sq_pool.h"

static sq_queue_stats_t stats_of(const sq_queue_t *queue) {
    sq_queue_stats_t stats;
    memset(&stats, 0xFF, sizeof stats);
    stats.size = sizeof stats;
    CHECK_EQUAL(sq_queue_stats(queue, &stats), 0);
    return stats;
}

/* The identity of sq_stats.h, for a queue without submissions and whose running task does nothing. */
static void check_counts(const sq_queue_t *queue, uint64_t submitted, uint64_t ran, uint64_t depth) {
    sq_queue_stats_t stats = stats_of(queue);
    CHECK_EQUAL(stats.submitted, submitted);
    CHECK_EQUAL(stats.ran, ran);
    CHECK_EQUAL(stats.depth, depth);
    CHECK_EQUAL(sq_queue_depth(queue), depth);
    CHECK_EQUAL(stats.discarded, 0);
    CHECK_EQUAL(stats.withdrawn, 0);
    CHECK_EQUAL(stats.submitted, stats.ran + stats.depth);
    CHECK(stats.highest_depth >= stats.depth);
}

TEST(a_new_queue_has_counted_nothing) {
    sq_queue_t *queue = sq_queue_create("new", NULL);
    REQUIRE(queue != NULL);
    check_counts(queue, 0, 0, 0);
    CHECK_EQUAL(stats_of(queue).rejected, 0);
    CHECK_EQUAL(stats_of(queue).highest_depth, 0);
    sq_queue_release(queue);
}

TEST(a_size_of_no_version_is_refused_and_nothing_is_written) {
    sq_queue_t *queue = make_queue_of("sizes", 0);
    const size_t sizes[] = { 0, sizeof(size_t), sizeof(sq_queue_stats_t) - 1, sizeof(sq_queue_stats_t) + 1,
                             sizeof(sq_queue_stats_t) + 8, SIZE_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i += 1) {
        sq_queue_stats_t stats, before;
        memset(&stats, 0xA5, sizeof stats);
        stats.size = sizes[i];
        before = stats;
        CHECK_EQUAL(sq_queue_stats(queue, &stats), EINVAL);
        CHECK(memcmp(&stats, &before, sizeof stats) == 0);
    }
    sq_queue_release(queue);
}

TEST(an_older_smaller_struct_is_filled_as_far_as_it_goes) {
    const uint64_t unwritten = UINT64_C(0xA5A5A5A5A5A5A5A5);
    sq_queue_t *queue = make_queue_of("older", 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    sq_queue_stats_t stats;
    memset(&stats, 0xA5, sizeof stats);
    stats.size = offsetof(sq_queue_stats_t, discarded);
    CHECK_EQUAL(sq_queue_stats(queue, &stats), 0);
    CHECK_EQUAL(stats.size, offsetof(sq_queue_stats_t, discarded));
    CHECK_EQUAL(stats.submitted, 1);
    CHECK_EQUAL(stats.ran, 1);
    CHECK(stats.discarded == unwritten && stats.highest_depth == unwritten);
    sq_queue_release(queue);
}

TEST(sync_and_async_are_counted_together) {
    sq_queue_t *queue = sq_queue_create("together", NULL);
    REQUIRE(queue != NULL);
    for (uint64_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        check_counts(queue, 3 * i + 3, 3 * i + 3, 0);
    }
    sq_queue_release(queue);
}

/* From inside: the running task has been counted as run, and does not wait. */
typedef struct inside {
    sq_queue_t *queue;
    latch_t checked;
} inside_t;

static void check_inside(void *context) {
    inside_t *inside = context;
    check_counts(inside->queue, 1, 1, 0);
    latch_bump(&inside->checked);
}

TEST(a_running_sync_counts_as_run) {
    sq_queue_t *queue = sq_queue_create("running", NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_sync(queue, check_inside, &(inside_t){ queue, LATCH_INIT }), 0);
    sq_queue_release(queue);
}

TEST(a_running_async_counts_as_run) {
    sq_queue_t *queue = sq_queue_create("running", NULL);
    REQUIRE(queue != NULL);
    inside_t inside = { queue, LATCH_INIT };
    CHECK_EQUAL(sq_async(queue, check_inside, &inside), 0);
    latch_wait(&inside.checked, 1); /* not by a sync: it would be counted */
    sq_queue_release(queue);
}

static void *sync_nothing(void *argument) {
    CHECK_EQUAL(sq_sync(argument, do_nothing, NULL), 0);
    return NULL;
}

static void check_depth_behind(void (*begin)(hold_t *, sq_queue_t *)) {
    enum { TASKS = 400, CALLERS = 4 };
    sq_queue_t *queue = sq_queue_create("depth", NULL);
    REQUIRE(queue != NULL);
    hold_t hold;
    begin(&hold, queue);
    check_counts(queue, 1, 1, 0);
    for (uint64_t i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        check_counts(queue, i + 2, 1, i + 1);
    }
    pthread_t callers[CALLERS];
    for (size_t i = 0; i < CALLERS; i += 1) {
        callers[i] = spawn(sync_nothing, queue);
    }
    wait_for_depth(queue, TASKS + CALLERS);
    check_counts(queue, 1 + TASKS + CALLERS, 1, TASKS + CALLERS);
    CHECK_EQUAL(stats_of(queue).highest_depth, TASKS + CALLERS);
    hold_end(&hold);
    for (size_t i = 0; i < CALLERS; i += 1) {
        join(callers[i]);
    }
    drain(queue);
    check_counts(queue, 2 + TASKS + CALLERS, 2 + TASKS + CALLERS, 0);
    CHECK_EQUAL(stats_of(queue).highest_depth, TASKS + CALLERS); /* it is kept */
    sq_queue_release(queue);
}

TEST(what_waits_behind_an_async_task_is_the_depth) { check_depth_behind(hold_async); }
TEST(what_waits_behind_a_sync_task_is_the_depth) { check_depth_behind(hold_sync); }

static void sync_own(void *context) { CHECK_EQUAL(sq_sync(context, do_nothing, NULL), EDEADLK); }

TEST(a_refused_call_is_rejected_and_not_submitted) {
    sq_queue_t *queue = sq_queue_create("refused", NULL);
    REQUIRE(queue != NULL);
    for (uint64_t i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_sync(queue, sync_own, queue), 0);
        check_counts(queue, i + 1, i + 1, 0);
        CHECK_EQUAL(stats_of(queue).rejected, i + 1);
    }
    fail_nth(FAIL_THREAD, 1, true);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    check_counts(queue, 10, 10, 0);
    CHECK_EQUAL(stats_of(queue).rejected, 11);
    sq_queue_release(queue);
}

TEST(a_function_run_inline_is_part_of_its_task_and_not_counted) {
    sq_queue_t *queue = sq_queue_create("inline", NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_sync_or_run(queue, do_nothing, NULL), 0);
    check_counts(queue, 1, 1, 0);
    sq_queue_release(queue);
}

/* While tasks come and go, each count is right by itself: none decreases, and none is higher than it can be. */
typedef struct watched {
    sq_queue_t *queue;
    size_t tasks;
} watched_t;

static void *submit_all(void *argument) {
    watched_t *watched = argument;
    for (size_t i = 0; i < watched->tasks; i += 1) {
        CHECK_EQUAL(i % 8 ? sq_async(watched->queue, do_nothing, NULL) : sq_sync(watched->queue, do_nothing, NULL), 0);
    }
    return NULL;
}

TEST(counts_read_from_outside_never_go_back_and_never_exceed_what_was_submitted) {
    enum { THREADS = 3, DEPTH_ERROR = 126 }; /* sq_stats.h: of a busy queue; `submitted` has the depth in it */
    watched_t watched = { sq_queue_create("watched", NULL), scaled(100000) };
    REQUIRE(watched.queue != NULL);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(submit_all, &watched);
    }
    const uint64_t all = THREADS * watched.tasks;
    sq_queue_stats_t before = stats_of(watched.queue);
    while (before.ran < all) {
        sq_queue_stats_t now = stats_of(watched.queue);
        CHECK_AT_MOST(before.ran, now.ran);
        CHECK_AT_MOST(now.ran, all);
        CHECK_AT_MOST(now.submitted, all + DEPTH_ERROR);
        before = now;
    }
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    drain(watched.queue);
    check_counts(watched.queue, all + 1, all + 1, 0);
    sq_queue_release(watched.queue);
}

/* No runner takes part, which would take samples of its own. */
TEST(the_highest_depth_is_known_where_only_syncs_wait) {
    enum { WAITING = 3 };
    sq_queue_t *queue = make_queue_of("syncs", 0);
    caller_t callers[WAITING];
    hold_t hold;
    hold_sync(&hold, queue);
    for (size_t i = 0; i < WAITING; i += 1) {
        caller_start(&callers[i], BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
    }
    wait_for_depth(queue, WAITING);
    hold_end(&hold);
    for (size_t i = 0; i < WAITING; i += 1) {
        CHECK_EQUAL(caller_end(&callers[i]), 0);
    }
    CHECK_EQUAL(stats_now(queue).highest_depth, WAITING);
    sq_queue_release(queue);
}

/* Waits that were withdrawn, and whose slots were consumed, hide none of the later ones. */
static void check_withdrawn(void (*hold_by)(hold_t *, sq_queue_t *), way_t way) {
    sq_queue_t *queue = make_queue_of("withdrawn", 0);
    hold_t hold;
    for (size_t i = 1; i <= 3; i += 1) {
        hold_by(&hold, queue);
        CHECK_EQUAL(wait_by(way, queue, sq_deadline(2000000), must_not_run, NULL), ETIMEDOUT);
        hold_end(&hold);
    }
    hold_sync(&hold, queue);
    for (size_t i = 1; i <= 3; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_queue_depth(queue), i);
    }
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
}

TEST(a_withdrawn_slot_that_was_consumed_hides_none_of_those_that_wait_later) { check_withdrawn(hold_sync, BY_SYNC_UNTIL); }
TEST(a_withdrawn_call_whose_slot_was_consumed_hides_none_of_those_that_wait_later) { check_withdrawn(hold_async, BY_CALL); }

/* On a manual pool nothing moves by itself. */
TEST(a_task_that_was_handed_off_waits_until_it_runs) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_manual("still");
    REQUIRE(options.pool != NULL);
    sq_queue_t *queue = sq_queue_create("handed off", &options);
    REQUIRE(queue != NULL);
    for (size_t round = 0; round < 3; round += 1) {
        for (size_t i = 1; i <= 3; i += 1) {
            CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
            CHECK_EQUAL(sq_queue_depth(queue), i);
        }
        CHECK_EQUAL(sq_pool_run(options.pool), 3);
        CHECK_EQUAL(sq_queue_depth(queue), 0);
    }
    sq_queue_release(queue);
    sq_pool_release(options.pool);
}
