/* loop_search_test.c: the owner of a loop, and waits that need no loop, or that of another thread. The search for deadlocks goes through all
 * of them, and refuses none. */
#include "loop.h"

#include "concurrent.h"
#include "sq_group.h"
#include "sq_once.h"
#include "sq_semaphore.h"

typedef struct scene {
    sq_pool_t *loop;         /* of the test's thread */
    sq_queue_t *work, *other;
    sq_semaphore_t *semaphore;
    sq_once_t once;
    latch_t made;            /* what is waited for cannot end yet */
    atomic_int owner, waiter; /* their threads: 0 until they wait */
    atomic_int error;
} scene_t;

static void begin_scene(scene_t *scene) {
    *scene = (scene_t){ .loop = make_loop_pool(), .work = make_queue_of("work", 0), .semaphore = sq_semaphore_create("permit", 0),
                        .once = SQ_ONCE_INIT, .made = LATCH_INIT, .error = -1 };
    REQUIRE(scene->semaphore != NULL);
    WHATEVER(sq_pool_run_some(scene->loop, 1, SQ_NOW)); /* this thread owns it */
}

static void end_scene(scene_t *scene) {
    drain(scene->work);
    sq_queue_release(scene->work);
    sq_queue_release(scene->other);
    sq_semaphore_release(scene->semaphore);
    sq_pool_release(scene->loop);
}

/* What keeps a wait from its end, on a thread of its own, until the waiting thread sleeps. */
static void stay_until_asleep(void *context) {
    scene_t *scene = context;
    latch_bump(&scene->made);
    wait_until_asleep(&scene->waiter);
}

static void *signal_late(void *context) {
    scene_t *scene = context;
    stay_until_asleep(scene);
    CHECK_EQUAL(sq_semaphore_signal(scene->semaphore), 0);
    return NULL;
}

static void *stay_in_once(void *context) {
    scene_t *scene = context;
    CHECK_EQUAL(sq_once(&scene->once, stay_until_asleep, scene), 0);
    return NULL;
}

static void *stay_in_queue(void *context) {
    scene_t *scene = context;
    scene->other = make_queue_of("other", 0);
    CHECK_EQUAL(sq_sync(scene->other, stay_until_asleep, scene), 0);
    return NULL;
}

static void *run_loop_late(void *context) {
    scene_t *scene = context;
    sq_pool_t *loop = make_loop_pool();
    WHATEVER(sq_pool_run_some(loop, 1, SQ_NOW));
    scene->other = queue_on(loop, "other", 0);
    stay_until_asleep(scene);
    while (scene->error == -1) {
        WHATEVER(sq_pool_run_some(loop, 1, sq_deadline(1000000)));
    }
    sq_pool_release(loop);
    return NULL;
}

static int wait_for_permit(scene_t *scene) { return sq_semaphore_wait(scene->semaphore, SQ_FOREVER); }

static int wait_for_once(scene_t *scene) { return sq_once(&scene->once, do_nothing, NULL); }

static int wait_for_other(scene_t *scene) { return sq_sync(scene->other, do_nothing, NULL); }

static const struct way_out {
    void *(*end)(void *scene);
    int (*wait)(scene_t *scene);
} ways_out[] = {
    { signal_late, wait_for_permit }, { stay_in_once, wait_for_once }, { stay_in_queue, wait_for_other }, { run_loop_late, wait_for_other }
};
enum { WAYS_OUT = sizeof ways_out / sizeof *ways_out };

typedef struct task {
    scene_t *scene;
    int (*wait)(scene_t *scene);
} task_t;

static void wait_behind_owner(void *context) {
    const task_t *task = context;
    scene_t *scene = task->scene;
    wait_until_asleep(&scene->owner);
    scene->waiter = gettid();
    scene->error = task->wait(scene);
}

TEST(a_task_that_the_owner_of_a_loop_waits_for_may_wait_for_what_needs_no_loop_of_that_owner) {
    for (int i = 0; i < WAYS_OUT; i += 1) {
        scene_t scene;
        begin_scene(&scene);
        task_t task = { &scene, ways_out[i].wait };
        pthread_t ender = spawn(ways_out[i].end, &scene);
        latch_wait(&scene.made, 1);
        CHECK_EQUAL(sq_async(scene.work, wait_behind_owner, &task), 0);
        scene.owner = gettid();
        CHECK_EQUAL(sq_sync(scene.work, do_nothing, NULL), 0);
        join(ender);
        CHECK_EQUAL(scene.error, 0);
        end_scene(&scene);
    }
}

TEST(the_owner_of_a_loop_waits_for_what_has_no_tasks_on_loops) {
    for (int i = 0; i < WAYS_OUT; i += 1) {
        scene_t scene;
        begin_scene(&scene);
        pthread_t ender = spawn(ways_out[i].end, &scene);
        latch_wait(&scene.made, 1);
        scene.waiter = gettid();
        scene.error = ways_out[i].wait(&scene);
        CHECK_EQUAL(scene.error, 0);
        join(ender);
        end_scene(&scene);
    }
}

typedef struct waits {
    sq_queue_t *on_loop;
    sq_group_t *group;
    atomic_int for_loop, for_group; /* the threads that wait */
    size_t ran;
} waits_t;

static void sync_to_loop(void *context) {
    waits_t *waits = context;
    waits->for_loop = gettid();
    CHECK_EQUAL(sq_sync(waits->on_loop, add_one, &waits->ran), 0);
}

static void wait_for_members(void *context) {
    waits_t *waits = context;
    waits->for_group = gettid();
    CHECK_EQUAL(sq_group_wait(waits->group, SQ_FOREVER), 0);
}

/* What a submission and a barrier search for is in one list with the wait for the loop. */
TEST(a_member_and_a_barrier_come_while_a_task_waits_for_a_loop_that_nobody_runs) {
    scene_t scene;
    begin_scene(&scene);
    scene.other = make_queue_of("other", 0);
    sq_queue_t *concurrent = make_concurrent(2, SQ_WIDTH_POOL);
    waits_t waits = { .on_loop = queue_on(scene.loop, "on the loop", 0), .group = sq_group_create("members") };
    stay_t reader = STAY_INIT;
    REQUIRE(waits.group != NULL);
    CHECK_EQUAL(sq_async(scene.work, sync_to_loop, &waits), 0);
    wait_until_asleep(&waits.for_loop);
    CHECK_EQUAL(sq_group_enter(waits.group), 0);
    CHECK_EQUAL(sq_async(scene.other, wait_for_members, &waits), 0);
    wait_until_asleep(&waits.for_group);
    CHECK_EQUAL(sq_group_async(waits.group, concurrent, stay, &reader), 0);
    latch_wait(&reader.entered, 1);
    CHECK_EQUAL(sq_async_barrier(concurrent, do_nothing, NULL), 0); /* it waits for the member */
    latch_bump(&reader.leave);
    CHECK_EQUAL(sq_group_leave(waits.group), 0);
    CHECK_EQUAL(sq_sync_barrier(concurrent, do_nothing, NULL), 0);
    drain(scene.other);
    run_until(scene.loop, 1);
    drain(scene.work);
    CHECK_EQUAL(waits.ran, 1);
    sq_group_release(waits.group);
    sq_queue_release(waits.on_loop);
    sq_queue_release(concurrent);
    end_scene(&scene);
}
