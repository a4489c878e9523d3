/* explore_nested_test.c: tasks of an explored test that run the test's pool. */
#include "explore_scene.h"

static unsigned begun, ended; /* calls of sq_pool_run in tasks, over all schedules */

static void run_pool(void *pool) {
    begun += 1;
    sq_pool_run(pool);
    ended += 1;
}

/* A scene that is freed by the last of the three that use it: the test and two tasks. */
typedef struct shared_scene {
    scene_t scene;
    unsigned users; /* one thread of a run at a time */
} shared_scene_t;

static void leave_scene(shared_scene_t *shared) {
    shared->users -= 1;
    if (shared->users == 0) {
        end_scene(&shared->scene);
        free(shared);
    }
}

static void wait_and_run(void *context) {
    shared_scene_t *shared = context;
    CHECK_EQUAL(sq_semaphore_wait(shared->scene.semaphore, SQ_FOREVER), 0);
    run_pool(shared->scene.pool);
    leave_scene(shared);
}

static void signal_and_run(void *context) {
    shared_scene_t *shared = context;
    signal_permit(&shared->scene);
    run_pool(shared->scene.pool);
    CHECK_EQUAL(sq_async(shared->scene.a, run_pool, shared->scene.pool), 0);
    leave_scene(shared);
}

static void nothing(void *unused) { (void)unused; }

/* It returns before its tasks have ended, under most schedules. */
static void two_tasks_that_run_the_pool(sq_pool_t *pool, void *unused) {
    shared_scene_t *shared = malloc(sizeof *shared);
    (void)unused;
    REQUIRE(shared != NULL);
    *shared = (shared_scene_t){ .scene = scene_on(pool), .users = 3 };
    CHECK_EQUAL(sq_async(shared->scene.a, wait_and_run, shared), 0);
    CHECK_EQUAL(sq_async(shared->scene.b, signal_and_run, shared), 0);
    CHECK_EQUAL(sq_sync(shared->scene.b, nothing, NULL), 0);
    leave_scene(shared);
}

static void check_that_all_return(sq_explore_strategy_t strategy) {
    begun = ended = 0;
    sq_explored_t explored = explore("nested", two_tasks_that_run_the_pool, NULL, options_of(strategy, 2000));
    CHECK(!explored.has_failed);
    CHECK_EQUAL(ended, begun);
    CHECK_EQUAL(begun % 3, 0);
    CHECK(begun >= 3 * explored.schedules);
    sq_explored_clear(&explored);
}

TEST(a_task_that_runs_the_pool_returns_before_its_run_ends) {
    check_that_all_return(SQ_EXPLORE_RANDOM);
    check_that_all_return(SQ_EXPLORE_PCT);
    check_that_all_return(SQ_EXPLORE_DEPTH_FIRST);
}

static unsigned refused; /* waits, over all schedules */

static void wait_for_signal(void *context) { refused += sq_semaphore_wait(((scene_t *)context)->semaphore, SQ_FOREVER) != 0; }

/* One schedule in 64 has a task that waits for this one. */
static void run_and_signal(void *context) {
    scene_t *scene = context;
    if (sq_pool_choose(scene->pool, 64) == 63) {
        CHECK_EQUAL(sq_async(scene->b, wait_for_signal, scene), 0);
    }
    sq_pool_run(scene->pool);
    signal_permit(scene);
    sq_pool_run(scene->pool);
}

static void task_that_wakes_another(sq_pool_t *pool, void *unused) {
    scene_t scene = scene_on(pool);
    (void)unused;
    CHECK_EQUAL(sq_async(scene.a, run_and_signal, &scene), 0);
    sq_pool_run(pool);
    end_scene(&scene);
}

TEST(a_task_that_runs_the_pool_may_wake_another_task) {
    refused = 0;
    check_passed(explore("wakes", task_that_wakes_another, NULL, options_of(SQ_EXPLORE_RANDOM, 1000)), false);
    check_passed(explore("wakes", task_that_wakes_another, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000)), true);
    CHECK_EQUAL(refused, 0);
}
