/* target_wait_test.c: waits for what is on a queue with a target: deadlines, and pools without threads. */
#include "caller.h"
#include "latch.h"
#include "target.h"

#include "sq_group.h"
#include "sq_item.h"
#include "sq_loop.h"
#include "sq_shutdown.h"
#include "sq_stats.h"

TEST(a_wait_ends_at_its_deadline_in_either_queue) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT); /* waits for the target */
    CHECK_EQUAL(sq_sync_until(child, SQ_NOW, add_one, &count), EAGAIN);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT); /* waits for the child */
    hold_end(&hold);
    drain(child);
    CHECK_EQUAL(count, 1);
    sq_queue_release(target);
    sq_queue_release(child);
}

TEST(waits_that_end_without_the_target_leave_nothing_in_the_depth) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT);
    }
    for (int i = 0; i < 4; i += 1) {
        CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    }
    CHECK_EQUAL(sq_queue_depth(child), 4);
    hold_end(&hold);
    drain(child);
    CHECK_EQUAL(count, 4);
    CHECK_EQUAL(sq_queue_depth(child), 0);
    sq_queue_release(target);
    sq_queue_release(child);
}

TEST(a_shutdown_that_discards_refuses_a_sync_that_waits_for_the_target) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    caller_t caller;
    caller_start(&caller, BY_SYNC, child, SQ_FOREVER, add_one, &count);
    wait_for_depth(target, 1);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&caller), ESHUTDOWN);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(count, 0);
    sq_queue_release(target);
    sq_queue_release(child);
}

static void wait_for_closed(sq_queue_t *child, size_t *count) {
    CHECK_EQUAL(sq_sync_until(child, SQ_NOW, add_one, count), EAGAIN);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, count), ETIMEDOUT);
    CHECK_EQUAL(*count, 0);
}

TEST(a_wait_ends_at_its_deadline_while_the_target_ends) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    CHECK_EQUAL(sq_shutdown(target, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    wait_for_closed(child, &count);
    hold_end(&hold);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(60 * 1000000000ull), add_one, &count), 0);
    CHECK_EQUAL(sq_sync_until(child, SQ_NOW, add_one, &count), 0);
    CHECK_EQUAL(count, 2);
    sq_queue_release(target);
    sq_queue_release(child);
}

/* Waits run what the pool has ready: no other thread does. */

static void wait_for_item_and_group(sq_queue_t *queue) {
    size_t count = 0;
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ add_one, &count, NULL });
    sq_group_t *group = sq_group_create("group");
    REQUIRE(item != NULL && group != NULL);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &count), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, add_one, &count), 0);
    CHECK_EQUAL(count, 3);
    sq_item_release(item);
    sq_group_release(group);
}

TEST(waits_for_an_item_and_a_group_run_the_manual_pool_of_the_target) {
    scene_t scene = make_scene();
    sq_queue_t *above = make("above", scene.a);
    wait_for_item_and_group(scene.a);
    wait_for_item_and_group(above);
    sq_queue_release(above);
    release_scene(&scene);
}

TEST(the_owner_of_the_targets_loop_runs_it_while_it_waits) {
    sq_pool_t *loop = sq_pool_create_loop("loop");
    sq_queue_t *target = make_target(loop, 1), *child = make("child", target), *above = make("above", child);
    WHATEVER(sq_pool_run_some(loop, 1, SQ_NOW)); /* it is this thread's */
    wait_for_item_and_group(child);
    wait_for_item_and_group(above);
    sq_queue_release(target);
    sq_queue_release(child);
    sq_queue_release(above);
    sq_pool_run_some(loop, 100, SQ_NOW);
    sq_pool_release(loop);
}

TEST(after_the_end_of_a_target_on_a_manual_pool_waits_run_the_pool) {
    scene_t scene = make_scene();
    size_t count = 0;
    CHECK_EQUAL(sq_shutdown(scene.target, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_async(scene.a, add_one, &count), 0);
    CHECK_EQUAL(sq_sync(scene.a, add_one, &count), 0);
    CHECK_EQUAL(count, 2);
    wait_for_item_and_group(scene.a);
    CHECK_EQUAL(sq_async(scene.b, add_one, &count), 0);
    CHECK_EQUAL(sq_shutdown(scene.b, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(count, 3);
    release_scene(&scene);
}
