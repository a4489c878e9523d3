/* watch_rest_test.c: the watching thread does not look at idle queues, and is woken when one of them gets busy. */
#include "inspect/watch_thread.h"
#include "pools.h"
#include "stall_watcher.h"

#include "sq_suspend.h"

/* Returns when the thread does not look at the queue any more. */
static void wait_until_it_rests(sq_queue_t *queue) {
    for (bool rests = false; !rests; sched_yield()) {
        sq__watch_lock();
        rests = ((sq__watched_t *)sq__extra(queue, SQ__EXTRA_WATCH))->rests;
        sq__watch_unlock();
    }
}

/* A queue on a pool whose only thread is held by another queue, so that what is submitted waits. */
typedef struct starved {
    sq_pool_t *pool;
    sq_queue_t *queue, *other;
    hold_t hold;
    stall_watcher_t ward;
} starved_t;

static void starved_begin(starved_t *starved) {
    *starved = (starved_t){ .pool = make_pool(1), .ward = STALL_WATCHER_INIT };
    starved->queue = queue_on(starved->pool, "starved", 0);
    starved->other = queue_on(starved->pool, "greedy", 0);
    watch(starved->queue, &starved->ward, SHORT);
    hold_async(&starved->hold, starved->other);
    wait_until_it_rests(starved->queue);
}

static void starved_end(starved_t *starved) {
    latch_wait(&starved->ward.calls, 1);
    CHECK_EQUAL(starved->ward.last[0].kind, SQ_STALL_WAITING);
    hold_end(&starved->hold);
    drain(starved->queue);
    sq_queue_release(starved->queue);
    sq_queue_release(starved->other);
    sq_pool_release(starved->pool);
    latch_wait(&starved->ward.discarded, 1);
}

TEST(an_async_task_that_waits_in_a_queue_that_was_idle_is_reported) {
    starved_t starved;
    starved_begin(&starved);
    CHECK_EQUAL(sq_async(starved.queue, do_nothing, NULL), 0);
    starved_end(&starved);
}

TEST(a_call_that_waits_in_a_queue_that_was_idle_is_reported) {
    starved_t starved;
    caller_t caller;
    starved_begin(&starved);
    caller_start(&caller, BY_CALL, starved.queue, SQ_FOREVER, do_nothing, NULL);
    latch_wait(&starved.ward.calls, 1);
    starved_end(&starved);
    CHECK_EQUAL(caller_end(&caller), 0);
}

TEST(a_sync_task_that_runs_too_long_in_a_queue_that_was_idle_is_reported) {
    sq_queue_t *queue = make_queue_of("idle", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, SHORT);
    for (size_t incident = 1; incident <= 3; incident += 1) {
        runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
        caller_t caller;
        wait_until_it_rests(queue);
        caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, run_long, &runner);
        latch_wait(&ward.calls, incident);
        CHECK_EQUAL(ward.last[incident - 1].kind, SQ_STALL_RUNNING);
        latch_bump(&runner.leave);
        CHECK_EQUAL(caller_end(&caller), 0);
    }
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(a_task_that_waits_in_a_queue_that_was_suspended_while_idle_is_reported) {
    sq_queue_t *queue = make_queue_of("idle and suspended", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, SHORT);
    wait_until_it_rests(queue);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    latch_wait(&ward.calls, 1);
    CHECK(ward.last[0].suspended);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(a_queue_that_got_busy_while_nobody_watched_it_is_looked_at_again) {
    sq_queue_t *other = make_queue_of("other", 0), *queue = make_queue_of("watched again", 0);
    stall_watcher_t others = STALL_WATCHER_INIT, wards[2] = { STALL_WATCHER_INIT, STALL_WATCHER_INIT };
    watch(other, &others, HOURS); /* keeps the thread */
    watch(queue, &wards[0], SHORT);
    wait_until_it_rests(queue);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    watch(queue, &wards[1], SHORT);
    latch_wait(&wards[1].calls, 1);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    sq_queue_release(queue);
    sq_queue_release(other);
    latch_wait(&wards[0].discarded, 1);
    latch_wait(&wards[1].discarded, 1);
    latch_wait(&others.discarded, 1);
}

TEST(a_queue_that_has_ended_is_not_looked_at) {
    sq_queue_t *queue = make_queue_of("ended", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, SHORT);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    wait_until_it_rests(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}
