/* endless_wait_test.c: waits that run tasks meanwhile, where the tasks never end: a wait ends at its deadline all the same. And a wait that
 * finds the pool that has something ready. */
#include "latch.h"
#include "target.h"

#include "sq_group.h"
#include "sq_item.h"
#include "sq_loop.h"
#include "sq_shutdown.h"

static bool continues;
static size_t turns;

/* Submits itself again, as a poller does. */
static void chatter(void *queue) {
    turns += 1;
    if (continues) {
        CHECK_EQUAL(sq_async(queue, chatter, queue), 0);
    }
}

static void begin_chatter(sq_queue_t *queue) {
    continues = true;
    turns = 0;
    CHECK_EQUAL(sq_async(queue, chatter, queue), 0);
}

/* Returns the number of tasks that were run. */
static size_t end_chatter(sq_pool_t *pool, bool is_loop) {
    size_t during = turns;
    continues = false;
    if (is_loop) {
        CHECK_EQUAL(sq_pool_run_some(pool, 1, SQ_NOW), 1);
    } else {
        CHECK_EQUAL(sq_pool_run(pool), 1);
    }
    return during;
}

static sq_queue_t *make_on(sq_pool_t *pool, const char *label) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

/* `talker` has the tasks that never end; `child` is suspended, and its target's turn would come. */
static void wait_in_child(sq_pool_t *pool, bool is_loop, sq_queue_t *target, sq_queue_t *talker) {
    sq_queue_t *child = make("child", target);
    size_t ran = 0;
    CHECK_EQUAL(sq_suspend(child), 0);
    CHECK_EQUAL(sq_async(child, add_one, &ran), 0);
    begin_chatter(talker);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(2000000), add_one, &ran), ETIMEDOUT);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DRAIN, sq_deadline(2000000)), ETIMEDOUT);
    CHECK(end_chatter(pool, is_loop) > 0);
    CHECK_EQUAL(sq_resume(child), 0);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(child);
}

TEST(a_wait_on_a_suspended_queue_ends_at_its_deadline_although_its_target_on_a_loop_is_never_idle) {
    sq_pool_t *loop = sq_pool_create_loop("loop");
    REQUIRE(loop != NULL);
    CHECK_EQUAL(sq_pool_run_some(loop, 1, SQ_NOW), 0); /* this thread owns it */
    sq_queue_t *target = make_on(loop, "target");
    wait_in_child(loop, true, target, target);
    sq_queue_release(target);
    sq_pool_release(loop);
}

TEST(a_wait_on_a_queue_with_a_suspended_target_ends_at_its_deadline_although_another_queue_of_the_manual_pool_is_never_idle) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    REQUIRE(pool != NULL);
    sq_queue_t *target = make_on(pool, "target"), *talker = make_on(pool, "talker");
    wait_in_child(pool, false, target, talker);
    sq_queue_release(target);
    sq_queue_release(talker);
    sq_pool_release(pool);
}

TEST(a_wait_for_a_group_or_an_item_ends_at_its_deadline_although_the_manual_pool_is_never_idle) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    REQUIRE(pool != NULL);
    sq_queue_t *suspended = make_on(pool, "suspended"), *talker = make_on(pool, "talker");
    sq_group_t *group = sq_group_create("group");
    size_t ran = 0;
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ add_one, &ran, NULL });
    REQUIRE(group != NULL && item != NULL);
    CHECK_EQUAL(sq_suspend(suspended), 0);
    CHECK_EQUAL(sq_group_async(group, suspended, add_one, &ran), 0);
    CHECK_EQUAL(sq_item_submit(item, suspended), 0);
    begin_chatter(talker);
    CHECK_EQUAL(sq_group_wait(group, sq_deadline(2000000)), ETIMEDOUT);
    CHECK_EQUAL(sq_item_wait(item, sq_deadline(2000000)), ETIMEDOUT);
    CHECK(end_chatter(pool, false) > 0);
    CHECK_EQUAL(sq_resume(suspended), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 2);
    sq_item_release(item);
    sq_group_release(group);
    sq_queue_release(suspended);
    sq_queue_release(talker);
    sq_pool_release(pool);
}

static void resume(void *queue) { CHECK_EQUAL(sq_resume(queue), 0); }

/* Both ways round: which queue of the group is found first depends on addresses. */
TEST(a_wait_for_a_group_runs_the_pool_that_has_something_ready) {
    sq_pool_t *pools[] = { sq_pool_create_manual("one"), sq_pool_create_manual("other") };
    REQUIRE(pools[0] != NULL && pools[1] != NULL);
    sq_queue_t *queues[] = { make_on(pools[0], "one"), make_on(pools[1], "other") };
    for (int i = 0; i < 2; i += 1) {
        sq_group_t *group = sq_group_create("group");
        size_t ran = 0;
        REQUIRE(group != NULL);
        CHECK_EQUAL(sq_suspend(queues[i]), 0);
        CHECK_EQUAL(sq_group_async(group, queues[i], add_one, &ran), 0);
        CHECK_EQUAL(sq_group_async(group, queues[1 - i], resume, queues[i]), 0);
        CHECK_EQUAL(sq_group_wait(group, sq_deadline(60 * 1000000000ull)), 0);
        CHECK_EQUAL(ran, 1);
        sq_group_release(group);
    }
    for (int i = 0; i < 2; i += 1) {
        sq_queue_release(queues[i]);
        sq_pool_release(pools[i]);
    }
}
