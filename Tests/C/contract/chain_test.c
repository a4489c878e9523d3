/* chain_test.c: what a task that runs on a thread of another task sees of that one. On a manual pool a task can be run by a
 * thread that waits, or by a task that runs the pool. It is not called by that thread's task: on a pool with threads it would
 * run elsewhere. So it begins a new chain of frames: calls that ask which queues the caller is on do not look further out. The
 * search for deadlocks does, because the thread cannot continue before the task ends. */
#include "caller.h"
#include "sq_item.h"
#include "sq_pool.h"
#include "sq_timer.h"

typedef struct scene {
    sq_pool_t *pool;
    sq_queue_t *outer, *inner;
    sq_timer_t *timer;
    int asked;
} scene_t;

static scene_t make_scene(void) {
    scene_t scene = { .pool = sq_pool_create_manual("manual") };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = scene.pool;
    options.capacity = 1;
    scene.outer = sq_queue_create("outer", &options);
    scene.inner = sq_queue_create("inner", &options);
    REQUIRE(scene.outer != NULL && scene.inner != NULL);
    return scene;
}

static void end_scene(scene_t *scene, int asked) {
    CHECK_EQUAL(scene->asked, asked);
    sq_queue_release(scene->outer);
    sq_queue_release(scene->inner);
    sq_pool_release(scene->pool);
}

static void check_cycle(int error) {
    CHECK_EQUAL(error, EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "\"outer\"") != NULL && strstr(sq_deadlock_report(), "\"inner\"") != NULL);
}

static void must_see_both(void *context) {
    scene_t *scene = context;
    CHECK(sq_is_current(scene->outer) && sq_is_current(scene->inner));
    scene->asked += 1;
}

/* In a task of `inner`, on the thread of a task of `outer`. */
static void must_see_inner_only(void *context) {
    scene_t *scene = context;
    CHECK(sq_current_queue() == scene->inner);
    CHECK(sq_is_current(scene->inner));
    CHECK(!sq_is_current(scene->outer));
    scene->asked += 1;
}

static void wait_for_outer(void *context) {
    scene_t *scene = context;
    const sq_task_t never = { must_not_run, NULL, must_not_run };
    check_cycle(sq_sync(scene->outer, must_not_run, NULL));
    check_cycle(sq_sync_until(scene->outer, FAR, must_not_run, NULL));
    CHECK_EQUAL(sq_sync_until(scene->outer, SQ_NOW, must_not_run, NULL), EAGAIN);
    check_cycle(sq_sync_or_run(scene->outer, must_not_run, NULL));
    check_cycle(sq_async_and_wait(scene->outer, SQ_FOREVER, must_not_run, NULL));
    check_cycle(sq_run_and_wait(scene->outer, SQ_FOREVER, must_not_run, NULL));
    CHECK_EQUAL(sq_async_task(scene->outer, &(sq_task_t){ do_nothing, NULL, NULL }), 0); /* the only room */
    check_cycle(sq_async_until(scene->outer, SQ_FOREVER, &never));
    check_cycle(sq_shutdown(scene->outer, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    must_see_inner_only(context);
}

static void end_the_timer(void *context) {
    scene_t *scene = context;
    check_cycle(sq_timer_cancel_and_wait(scene->timer, SQ_FOREVER));
    scene->asked += 1;
}

static void sync_behind(scene_t *scene, sq_function_t ahead) {
    CHECK_EQUAL(sq_async(scene->inner, ahead, scene), 0);
    CHECK_EQUAL(sq_sync(scene->inner, must_see_both, scene), 0); /* its own function is called by the task */
    CHECK(sq_is_current(scene->outer));
    CHECK(!sq_is_current(scene->inner));
}

static void sync_behind_a_look(void *context) { sync_behind(context, must_see_inner_only); }
static void sync_behind_a_wait(void *context) { sync_behind(context, wait_for_outer); }
static void sync_behind_an_end(void *context) { sync_behind(context, end_the_timer); }

static void run_and_wait(void *context) {
    CHECK_EQUAL(sq_run_and_wait(((scene_t *)context)->inner, SQ_FOREVER, must_see_inner_only, context), 0);
    CHECK(sq_current_queue() == ((scene_t *)context)->outer);
}

static void run_the_pool(void *context) {
    scene_t *scene = context;
    CHECK_EQUAL(sq_async(scene->inner, must_see_inner_only, scene), 0);
    CHECK_EQUAL(sq_pool_run(scene->pool), 1);
    CHECK(sq_current_queue() == scene->outer);
}

static void check(sq_function_t in_outer, int asked) {
    for (int by_sync = 0; by_sync < 2; by_sync += 1) {
        scene_t scene = make_scene();
        if (by_sync) {
            CHECK_EQUAL(sq_sync(scene.outer, in_outer, &scene), 0);
        } else {
            CHECK_EQUAL(sq_async(scene.outer, in_outer, &scene), 0);
        }
        sq_pool_run(scene.pool);
        end_scene(&scene, asked);
    }
}

/* To see these fail: take `.begins = true` out of sq__run_tasks. */
TEST(a_task_that_is_run_ahead_of_a_sync_is_not_on_the_queue_of_the_waiting_task) { check(sync_behind_a_look, 2); }
TEST(a_function_that_runs_as_on_the_queues_own_thread_is_not_on_its_callers_queue) { check(run_and_wait, 1); }
TEST(a_task_that_a_task_runs_through_the_pool_is_not_on_that_ones_queue) { check(run_the_pool, 1); }
TEST(every_wait_for_the_queue_of_the_waiting_task_is_a_deadlock_that_names_both) { check(sync_behind_a_wait, 2); }

TEST(a_wait_for_the_firing_that_waits_is_a_deadlock) {
    scene_t scene = make_scene();
    scene.timer = sq_timer_create(scene.outer, &(sq_task_t){ sync_behind_an_end, &scene, NULL });
    REQUIRE(scene.timer != NULL);
    CHECK_EQUAL(sq_timer_start(scene.timer, 0, 0, 0), 0);
    sq_pool_run(scene.pool);
    sq_timer_release(scene.timer);
    sq_pool_run(scene.pool);
    end_scene(&scene, 2);
}

static void sync_twice(void *context) {
    scene_t *scene = context;
    scene->asked += 1;
    if (scene->asked == 1) {
        CHECK_EQUAL(sq_sync_or_run(scene->inner, sync_twice, scene), 0);
    } else {
        CHECK_EQUAL(sq_sync_or_run(scene->outer, must_see_both, scene), 0);
    }
}

TEST(functions_that_a_thread_calls_in_turn_see_all_queues_that_it_is_on) {
    scene_t scene = make_scene();
    CHECK_EQUAL(sq_sync(scene.outer, sync_twice, &scene), 0);
    end_scene(&scene, 3);
}

static void check_names_outer(int error) {
    CHECK_EQUAL(error, EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "runs a task of queue \"outer\" and waits for queue \"outer\"") != NULL);
}

/* Cancelled items. Each is cancelled, or released without having been submitted, by a task of `outer`. */
static void must_see_none(void *context) {
    scene_t *scene = context;
    CHECK(sq_current_queue() == NULL);
    CHECK(!sq_is_current(scene->outer) && !sq_is_current(scene->inner));
    check_names_outer(sq_sync(scene->outer, must_not_run, NULL));
    check_names_outer(sq_sync_or_run(scene->outer, must_not_run, NULL));
    scene->asked += 1;
}

static void cancel_an_item(scene_t *scene, bool is_submitted) {
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ must_not_run, scene, must_see_none });
    REQUIRE(item != NULL);
    if (is_submitted) {
        CHECK_EQUAL(sq_item_submit(item, scene->outer), 0);
    }
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK(sq_current_queue() == scene->outer && sq_is_current(scene->outer));
    sq_item_release(item);
}

static void cancel_items(void *context) {
    cancel_an_item(context, false);
    cancel_an_item(context, true);
    sq_item_release(sq_item_create("item", &(sq_task_t){ must_not_run, context, must_see_none }));
    CHECK(sq_current_queue() == ((scene_t *)context)->outer);
}

TEST(the_discard_function_of_a_cancelled_item_is_on_no_queue_of_its_cancellers_and_a_wait_for_one_is_a_deadlock) {
    check(cancel_items, 3);
    scene_t scene = make_scene();
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = scene.pool;
    options.width = SQ_WIDTH_POOL;
    sq_queue_release(scene.outer);
    scene.outer = sq_queue_create("outer", &options);
    REQUIRE(scene.outer != NULL);
    CHECK_EQUAL(sq_sync_barrier(scene.outer, cancel_items, &scene), 0);
    end_scene(&scene, 3);
}
