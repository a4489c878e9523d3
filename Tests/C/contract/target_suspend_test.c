/* target_suspend_test.c: suspensions of a target. */
#include "latch.h"
#include "target.h"

#include "sq_barrier.h"
#include "sq_shutdown.h"
#include "sq_suspend.h"

TEST(a_suspension_of_the_target_holds_its_queues) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    size_t count = 0;
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(target), 0);
    drain(child);
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(sq_suspend(child), 0);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    drain(target); /* is not held by its queue */
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(sq_resume(child), 0);
    drain(child);
    CHECK_EQUAL(count, 2);
    sq_queue_release(target);
    sq_queue_release(child);
}

typedef struct stop {
    sq_queue_t *suspends;
    latch_t entered, leave;
    size_t count;
} stop_t;

static void suspend(void *context) {
    stop_t *stop = context;
    CHECK_EQUAL(sq_suspend(stop->suspends), 0);
}

/* On the thread of `target` a batch of the queue is under way, whose first task suspends `suspends`. */
static void stop_batch(sq_queue_t *target, sq_queue_t *queue, sq_queue_t *suspends) {
    stop_t stop = { .suspends = suspends };
    hold_t hold = HOLD_INIT;
    hold_async(&hold, target);
    CHECK_EQUAL(sq_async(queue, suspend, &stop), 0);
    for (int i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &stop.count), 0);
    }
    hold_end(&hold);
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(20000000), add_one, &stop.count), ETIMEDOUT);
    CHECK_EQUAL(__atomic_load_n(&stop.count, __ATOMIC_RELAXED), 0);
    CHECK_EQUAL(sq_resume(suspends), 0);
    drain(queue);
    CHECK_EQUAL(stop.count, 10);
}

TEST(a_task_that_suspends_a_target_of_its_queue_is_the_last_one) {
    sq_queue_t *target = make("target", NULL), *middle = make("middle", target), *child = make("child", middle);
    stop_batch(target, middle, target);
    stop_batch(target, child, target);
    stop_batch(target, child, middle);
    sq_queue_release(target);
    sq_queue_release(middle);
    sq_queue_release(child);
}

static void enter_and_wait(void *context) {
    stop_t *stop = context;
    latch_bump(&stop->entered);
    latch_wait(&stop->leave, 1);
}

TEST(no_task_of_a_batch_starts_once_the_target_is_suspended) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    stop_t stop = { .entered = LATCH_INIT, .leave = LATCH_INIT };
    CHECK_EQUAL(sq_async(child, enter_and_wait, &stop), 0);
    for (int i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_async(child, add_one, &stop.count), 0);
    }
    latch_wait(&stop.entered, 1);
    CHECK_EQUAL(sq_suspend(target), 0);
    latch_bump(&stop.leave);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(20000000), add_one, &stop.count), ETIMEDOUT);
    CHECK_EQUAL(__atomic_load_n(&stop.count, __ATOMIC_RELAXED), 0);
    CHECK_EQUAL(sq_resume(target), 0);
    drain(child);
    CHECK_EQUAL(stop.count, 10);
    sq_queue_release(target);
    sq_queue_release(child);
}

/* A suspended target that ends, as it has nothing to do, holds nothing. */
TEST(a_suspension_ends_with_the_target) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    size_t count = 0;
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_shutdown(target, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    drain(child);
    CHECK_EQUAL(count, 1);
    sq_queue_release(target);
    sq_queue_release(child);
}

/* Nobody can resume it */

static void discard(void *count) { *(size_t *)count += 1000; }

static void bump(void *latch) { latch_bump(latch); }

static void abandon(sq_queue_t *target, bool child_is_first) {
    sq_queue_t *child = make("child", target), *sibling = make("sibling", target);
    latch_t latch = LATCH_INIT;
    size_t count = 0;
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_async_task(target, &(sq_task_t){ do_nothing, &count, discard }), 0);
    CHECK_EQUAL(sq_async(child, bump, &latch), 0);
    if (child_is_first) {
        sq_queue_release(child);
    }
    sq_queue_release(target);
    latch_wait(&latch, 1);
    CHECK_EQUAL(count, 1000);
    CHECK_EQUAL(sq_sync(sibling, bump, &latch), 0); /* and it is not suspended any more for the others */
    if (!child_is_first) {
        sq_queue_release(child);
    }
    sq_queue_release(sibling);
}

TEST(a_suspended_target_that_only_its_queues_have_is_shut_down_and_their_tasks_run) {
    abandon(make("target", NULL), false);
    abandon(make("target", NULL), true);
    abandon(make_wide(4), false);
    sq_queue_t *below = make("below", NULL);
    abandon(make("target", below), true);
    sq_queue_release(below);
}

/* One that is not suspended is not shut down; nor is one that the program still has. */
TEST(a_target_that_only_its_queues_have_runs_on) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    size_t count = 0;
    sq_queue_retain(target);
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    sq_queue_release(target);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(target), 0);
    drain(child);
    CHECK(!sq_has_ended(target));
    sq_queue_release(target);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    drain(child);
    CHECK_EQUAL(count, 2);
    sq_queue_release(child);
}

TEST(a_task_that_suspends_a_target_that_only_queues_have_does_not_stop_them) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    stop_t stop = { .suspends = target };
    hold_t hold = HOLD_INIT;
    hold_async(&hold, child);
    CHECK_EQUAL(sq_async(child, suspend, &stop), 0);
    CHECK_EQUAL(sq_async(child, add_one, &stop.count), 0);
    sq_queue_release(target);
    hold_end(&hold);
    drain(child);
    CHECK_EQUAL(stop.count, 1);
    sq_queue_release(child);
}
