/* famine_end_test.c: calls that suspend, shut down and release a queue, without memory or threads (sweep.h). */
#include "famine.h"

static void shut_down(trial_t *trial, sq_shutdown_mode_t mode, bool suspended) {
    enum { TASKS = 5 };
    sq_queue_t *queue = make_queue_of("scene", 8);
    size_t ran = 0;
    intruder_t intruder;
    intrude(&intruder, queue, true);
    if (suspended) {
        CHECK_EQUAL(sq_suspend(queue), 0);
    }
    for (int i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ add_one, &ran, add_one }), 0);
    }
    go_with(&intruder);
    famine(trial);
    int error = sq_shutdown(queue, mode, SQ_FOREVER);
    bool refused = relief(trial, error);
    if (refused) { /* nothing was done: a submission is accepted */
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        leave(&intruder);
        error = sq_shutdown(queue, mode, SQ_FOREVER);
    } else {
        leave(&intruder);
    }
    CHECK_EQUAL(error, 0);
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.ran + stats.discarded, 1 + TASKS + refused);
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(ran, stats.ran - 1 + (stats.discarded > refused ? stats.discarded - refused : 0));
    sq_queue_release(queue);
}

static void drain_and_end(trial_t *trial) { shut_down(trial, SQ_SHUTDOWN_DRAIN, false); }
static void discard_and_end(trial_t *trial) { shut_down(trial, SQ_SHUTDOWN_DISCARD, false); }
static void discard_and_end_while_suspended(trial_t *trial) { shut_down(trial, SQ_SHUTDOWN_DISCARD, true); }

/* Callers of suspend, resume and release cannot handle an error: these calls need no memory. */
static void count_discard(void *context) { atomic_fetch_add((atomic_size_t *)context, 1); }

static void suspend_resume_and_release(trial_t *trial) {
    sq_queue_t *queue = make_queue_of("scene", 0);
    size_t ran = 0;
    atomic_size_t discarded = 0; /* the end of a thread that is not joined orders nothing */
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    famine(trial);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_resume(queue), EINVAL);
    hold_end(&hold);
    trial->failures += fail_nothing();
    drain(queue);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_suspend(queue), 0);
    for (int i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, &discarded, count_discard }), 0);
    }
    famine(trial);
    sq_queue_release(queue);
    let_threads_end(1);
    trial->failures += fail_nothing();
    CHECK_EQUAL(discarded, 200);
}

SCENES(SCENE(drain_and_end), SCENE(discard_and_end), SCENE(discard_and_end_while_suspended), SCENE(suspend_resume_and_release))

TEST(each_allocation_of_each_call_that_ends_a_queue_can_fail) {
    CHECK(sweep_all(SCENE_COUNT, FAIL_ALLOCATION, false) >= 3);
    CHECK(sweep_all(SCENE_COUNT, FAIL_ALLOCATION, true) >= 3);
}

TEST(each_thread_creation_of_each_call_that_ends_a_queue_can_fail) {
    CHECK_EQUAL(sweep_all(SCENE_COUNT, FAIL_THREAD, false) + sweep_all(SCENE_COUNT, FAIL_THREAD, true), 0); /* they start none */
}
