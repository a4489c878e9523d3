/* target_end_test.c: the ends of queues and of their targets. */
#include "latch.h"
#include "target.h"

#include "sq_current.h"
#include "sq_shutdown.h"
#include "sq_suspend.h"
#include "sq_timer.h"
#include "sq_value.h"

static void bump(void *latch) { latch_bump(latch); }

TEST(released_queues_run_what_they_have) {
    latch_t latch = LATCH_INIT;
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    sq_queue_release(target);
    for (int i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async(child, bump, &latch), 0);
    }
    sq_queue_release(child);
    latch_wait(&latch, 200);
}

static void shut_down(sq_shutdown_mode_t mode) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    CHECK_EQUAL(sq_shutdown(target, mode, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(target, mode, SQ_FOREVER), 0);
    drain(child);
    CHECK_EQUAL(count, 1);
    for (int i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    }
    CHECK_EQUAL(sq_sync(child, add_one, &count), 0);
    CHECK_EQUAL(count, 202);
    sq_queue_release(target);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_sync(child, add_one, &count), ESHUTDOWN);
    CHECK_EQUAL(sq_sync_or_run(child, add_one, &count), 0);
    CHECK_EQUAL(count, 203);
    sq_queue_release(child);
}

TEST(after_the_end_of_the_target_its_queues_run_on) {
    shut_down(SQ_SHUTDOWN_DRAIN);
    shut_down(SQ_SHUTDOWN_DISCARD);
}

static void discard(void *count) { *(size_t *)count += 1000; }

TEST(a_queue_can_be_shut_down_before_its_target) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    size_t count = 0;
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_async_task(child, &(sq_task_t){ add_one, &count, discard }), 0);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(target), 0);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(count, 1000);
    sq_queue_release(child);
    sq_queue_release(target);
}

/* Discard functions of delayed tasks */

static const char key;

typedef struct discarded {
    sq_queue_t *target, *child;
    size_t count;
    int error;
} discarded_t;

static void look_around(void *context) {
    discarded_t *discarded = context;
    CHECK(sq_is_current(discarded->child) && sq_is_current(discarded->target));
    CHECK(sq_current_value(&key) == discarded);
    discarded->error = sq_sync_or_run(discarded->target, add_one, &discarded->count);
}

TEST(a_delayed_task_is_discarded_in_a_task_of_the_target) {
    discarded_t discarded = { .target = make("target", NULL), .error = -1 };
    discarded.child = make("child", discarded.target);
    CHECK_EQUAL(sq_queue_set_value(discarded.target, &key, &discarded, NULL), 0);
    CHECK_EQUAL(sq_async_task_after(discarded.child, 1000 * 1000000000ull, &(sq_task_t){ do_nothing, &discarded, look_around }), 0);
    CHECK_EQUAL(sq_shutdown(discarded.child, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded.error, 0);
    CHECK_EQUAL(discarded.count, 1);
    sq_queue_release(discarded.target);
    sq_queue_release(discarded.child);
}

TEST(a_queue_with_a_delayed_task_or_a_timer_keeps_its_target) {
    scene_t scene = make_scene();
    sq_queue_t *other = make("other", NULL), *timed = make("timed", scene.target);
    size_t count = 0;
    CHECK_EQUAL(sq_async_after(scene.a, 1000, add_one, &count), 0);
    CHECK_EQUAL(sq_queue_set_target(scene.a, other), EBUSY);
    sq_timer_t *timer = sq_timer_create(timed, &(sq_task_t){ add_one, &count, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 1000, 0, 0), 0);
    CHECK_EQUAL(sq_queue_set_target(timed, other), EBUSY);
    sq_pool_advance(scene.pool, 1000);
    CHECK_EQUAL(count, 2);
    sq_timer_release(timer);
    sq_queue_release(timed);
    sq_queue_release(other);
    release_scene(&scene);
}

TEST(a_target_stays_on_the_clock_of_the_queues_above_it) {
    scene_t scene = make_scene();
    sq_queue_t *other = make("other", NULL), *same = make("same", scene.target), *middle = make("middle", scene.target), *above = make("above", middle);
    size_t count = 0;
    CHECK_EQUAL(sq_async_after(above, 1000, add_one, &count), 0);
    CHECK_EQUAL(sq_queue_set_target(middle, other), EBUSY);
    CHECK_EQUAL(sq_queue_set_target(middle, same), EBUSY); /* the chain of a queue in use is fixed */
    sq_pool_advance(scene.pool, 1000);
    CHECK_EQUAL(count, 1);
    sq_queue_release(above);
    sq_queue_release(middle);
    sq_queue_release(same);
    sq_queue_release(other);
    release_scene(&scene);
}
