/* helps_fork_test.c: forks in a task that a caller behind it runs (options.helps). ThreadSanitizer cannot follow a process with threads through a
 * fork: nothing is tested there. */
#include "child.h"
#include "helps.h"
#include "pool/pool_internal.h"

typedef struct forker {
    scene_t scene;
    pthread_t runner;
    int status;
} forker_t;

/* A fork does not take the pool's locks: another thread may hold one, and then it stays locked in the child. Here the forking thread holds them, so
 * that they are always locked. */
static void fork_with_locks(void *context) {
    forker_t *forker = context;
    sq__pool_t *pool = forker->scene.pool;
    forker->runner = pthread_self();
    sq__mutex_lock(&pool->shards->lock);
    sq__mutex_lock(&pool->lists_lock);
    if (fork_and_return(&forker->status)) {
        return;
    }
    sq__mutex_unlock(&pool->lists_lock);
    sq__mutex_unlock(&pool->shards->lock);
}

/* The pool's only thread is blocked, so the caller runs what is ahead of it. */
TEST(a_task_that_a_caller_runs_can_fork_and_the_child_takes_no_lock_of_the_pool) {
    if (fork_left_out()) {
        return;
    }
    for (size_t behind = 0; behind < 3; behind += 1) {
        forker_t forker = { .status = -2 };
        scene_t *scene = &forker.scene;
        scene_create(scene, SQ_SERVICE_BACKGROUND, true);
        sq_queue_t *other = queue_on(scene->pool, "other", 0);
        hold_async(&scene->hold, other);
        CHECK_EQUAL(sq_async(scene->queue, fork_with_locks, &forker), 0);
        submit(scene, behind);
        int error = sq_sync(scene->queue, note_runner, scene);
        if (forker.status == -1) { /* the child */
            _exit(CHECK_EQUAL(error, ESTALE) && CHECK_EQUAL(scene->ran, 0) ? 0 : 1);
        }
        CHECK_EQUAL(error, 0);
        CHECK_EQUAL(forker.status, 0);
        CHECK(pthread_equal(forker.runner, pthread_self()));
        CHECK_EQUAL(scene->ran, behind + 1);
        hold_end(&scene->hold);
        drain(other);
        sq_queue_release(other);
        scene_destroy(scene);
    }
}
