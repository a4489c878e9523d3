/* fork_back_test.c: functions other than tasks that fork: `decided` of a deferred task, and the discard functions of tasks and
 * watchers. In the child they return into the library, which then calls nothing that belongs to the parent. Tasks that fork:
 * fork_test.c, pool_fork_test.c. */
#include "caller.h"
#include "child.h"
#include "inject.h"
#include "sq_pool.h"
#include "pool_lock.h"
#include "include/sq_private.h"
#include "state/state_inline.h"

/* A queue of a manual pool, so that this thread runs everything, and comes back in the child as well. */
typedef struct scene {
    sq_pool_t *pool;
    sq_queue_t *queue;
    bool forks;  /* the next function does */
    int status;  /* of the child; -1: this is the child */
    size_t calls; /* of functions, in the parent and then in the child */
    size_t decided[3];
} scene_t;

static void scene_begin(scene_t *scene, size_t capacity) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    *scene = (scene_t){ .pool = sq_pool_create_manual("forking"), .forks = true, .status = -2 };
    REQUIRE(scene->pool != NULL);
    options.pool = scene->pool;
    options.capacity = capacity;
    scene->queue = sq_queue_create("forking", &options);
    REQUIRE(scene->queue != NULL);
}

/* `good` is what was seen in this process. */
static void scene_end(scene_t *scene, bool good) {
    if (scene->status == -1) {
        _exit(good ? 0 : 1);
    }
    CHECK(good);
    CHECK_EQUAL(scene->status, 0);
    sq_pool_run(scene->pool);
    sq_queue_release(scene->queue);
    sq_pool_run(scene->pool);
    sq_pool_release(scene->pool);
}

/* The lock of the pool, if there is one, is held at the fork: the child must do without. */
static void call(void *context) {
    scene_t *scene = context;
    scene->calls += 1;
    if (!scene->forks) {
        return;
    }
    scene->forks = false;
    if (scene->pool != NULL) {
        sq__mutex_lock(pool_lock_of(scene->pool));
    }
    if (!fork_and_return(&scene->status) && scene->pool != NULL) {
        sq__mutex_unlock(pool_lock_of(scene->pool));
    }
}

typedef struct deferred {
    sq_deferred_t task;
    scene_t *scene;
    int number;
} deferred_t;

static void run_pair(void *first, void *second, bool runs) {
    (void)second;
    (void)runs;
    call(first);
}

static void decide(sq_deferred_t *task, int error) {
    deferred_t *deferred = (deferred_t *)task;
    deferred->scene->decided[deferred->number] = 1 + (size_t)error;
    call(deferred->scene);
}

static void defer(scene_t *scene, deferred_t *deferred, int number) {
    *deferred = (deferred_t){ .task = { .call = run_pair, .first = scene, .decided = decide }, .scene = scene, .number = number };
    CHECK_EQUAL(sq_async_deferred(scene->queue, &deferred->task), EINPROGRESS);
}

TEST(a_decision_about_room_can_fork_and_its_child_can_return) {
    if (fork_left_out()) {
        return;
    }
    scene_t scene;
    deferred_t deferred[2];
    scene_begin(&scene, 1);
    CHECK_EQUAL(sq_async(scene.queue, call, &scene), 0);
    defer(&scene, &deferred[0], 0);
    defer(&scene, &deferred[1], 1);
    sq_pool_run(scene.pool);
    bool is_child = scene.status == -1;
    scene_end(&scene, scene.calls == (is_child ? 1 : 5) && scene.decided[0] == 1 && scene.decided[1] == !is_child);
}

enum { PLACES = 126 }; /* of a segment */

/* The first one has room, and no memory for its place: the room is the second one's, in the parent. */
TEST(a_refusal_for_want_of_memory_can_fork_and_its_child_can_return) {
    if (fork_left_out()) {
        return;
    }
    scene_t scene;
    deferred_t deferred[2];
    scene_begin(&scene, PLACES);
    CHECK_EQUAL(sq_suspend(scene.queue), 0);
    for (int i = 0; i < PLACES; i += 1) {
        CHECK_EQUAL(sq_async(scene.queue, do_nothing, NULL), 0);
    }
    defer(&scene, &deferred[0], 0);
    defer(&scene, &deferred[1], 1);
    CHECK_EQUAL(sq_resume(scene.queue), 0);
    fail_nth(FAIL_ALLOCATION, 1, false);
    sq_pool_run(scene.pool);
    CHECK_EQUAL(fail_nothing(), 1);
    bool is_child = scene.status == -1;
    scene_end(&scene, scene.decided[0] == 1 + ENOMEM && scene.decided[1] == !is_child && scene.calls == (is_child ? 1 : 3));
}

TEST(a_refusal_by_a_shutdown_can_fork_and_its_child_can_return) {
    if (fork_left_out()) {
        return;
    }
    scene_t scene;
    deferred_t deferred[2];
    scene_begin(&scene, 1);
    CHECK_EQUAL(sq_async(scene.queue, do_nothing, NULL), 0);
    defer(&scene, &deferred[0], 0);
    defer(&scene, &deferred[1], 1);
    int error = sq_shutdown(scene.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
    bool is_child = scene.status == -1;
    scene_end(&scene, error == (is_child ? ESTALE : 0) && scene.decided[0] == 1 + ESHUTDOWN
                          && scene.decided[1] == (is_child ? 0 : 1 + ESHUTDOWN));
}

/* The child has no thread to wait for. */
TEST(a_shutdown_whose_function_forks_waits_for_nothing_in_the_child) {
    if (fork_left_out() || UNDER_ASAN) {
        return;
    }
    scene_t scene = { .forks = true, .status = -2, .queue = make_queue_of("forking", 1) };
    deferred_t deferred;
    CHECK_EQUAL(sq_suspend(scene.queue), 0);
    CHECK_EQUAL(sq_async(scene.queue, do_nothing, NULL), 0);
    defer(&scene, &deferred, 0);
    int error = sq_shutdown(scene.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW);
    if (scene.status == -1) {
        _exit(error == ESTALE ? 0 : 1);
    }
    CHECK_EQUAL(error, ETIMEDOUT);
    CHECK_EQUAL(scene.status, 0);
    CHECK_EQUAL(sq_resume(scene.queue), 0);
    CHECK_EQUAL(sq_shutdown(scene.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(scene.queue);
}

/* Each of two delayed tasks, whose queue ends before they are due; the clock's lock is held at the fork as well. */
static void call_with_clock(void *context) {
    scene_t *scene = context;
    sq__alarms_t *clock = sq__pool_clock(scene->pool);
    bool forks = scene->forks;
    if (forks) {
        sq__mutex_lock((sq__mutex_t *)clock); /* its first field */
    }
    call(scene);
    if (forks && scene->status != -1) {
        sq__mutex_unlock((sq__mutex_t *)clock);
    }
}

TEST(the_discard_of_a_delayed_task_can_fork_and_its_child_can_return) {
    if (fork_left_out()) {
        return;
    }
    scene_t scene;
    scene_begin(&scene, 0);
    for (int i = 0; i < 2; i += 1) {
        const sq_task_t task = { must_not_run, &scene, call_with_clock };
        CHECK_EQUAL(sq_async_task_after(scene.queue, 1000000000, &task), 0);
    }
    int error = sq_shutdown(scene.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
    bool is_child = scene.status == -1;
    scene_end(&scene, error == (is_child ? ESTALE : 0) && scene.calls == (is_child ? 1 : 2));
}

/* A firing that has released its timer: the parent discards it. */
typedef struct timed {
    sq_timer_t *timer; /* first: what a firing releases */
    scene_t scene;
} timed_t;

static void release_own_timer(void *context) { sq_timer_release(*(sq_timer_t **)context); }

static void release_and_fork(void *context) {
    release_own_timer(context);
    call(&((timed_t *)context)->scene);
}

static void discard_in_parent(void *context) { call(&((timed_t *)context)->scene); }

TEST(a_firing_can_release_its_timer_and_fork_and_its_child_can_return) {
    if (fork_left_out()) {
        return;
    }
    timed_t timed = { 0 };
    scene_begin(&timed.scene, 0);
    timed.timer = sq_timer_create(timed.scene.queue, &(sq_task_t){ release_and_fork, &timed, discard_in_parent });
    REQUIRE(timed.timer != NULL);
    CHECK_EQUAL(sq_timer_start(timed.timer, 1, 0, 0), 0);
    sq_pool_advance(timed.scene.pool, 1);
    bool is_child = timed.scene.status == -1;
    scene_end(&timed.scene, timed.scene.calls == (is_child ? 1 : 2));
}

/* Threads of a pool: in the child the only one ends, and the process with it. */

static pid_t parent;

static void run_in_parent(void *context) {
    if (getpid() != parent) {
        _exit(2);
    }
    latch_bump(context);
}

static void never_called(void *context, const sq_stall_t *stall) {
    (void)context;
    (void)stall;
}

typedef struct house {
    scene_t scene; /* its pool has a thread */
    sq_queue_t *other;
    hold_t hold;
    latch_t ran;
} house_t;

static void house_begin(house_t *house) {
    const sq_pool_options_t one = { .size = sizeof one, .threads = 1 };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    *house = (house_t){ .scene = { .forks = true, .status = -2 }, .ran = LATCH_INIT };
    parent = getpid();
    house->scene.pool = options.pool = sq_pool_create("forking", &one);
    REQUIRE(options.pool != NULL);
    house->scene.queue = sq_queue_create("forking", &options);
    house->other = sq_queue_create("other", &options);
    REQUIRE(house->scene.queue != NULL && house->other != NULL);
    hold_async(&house->hold, house->scene.queue);
    CHECK_EQUAL(sq_async(house->other, run_in_parent, &house->ran), 0);
}

static void house_end(house_t *house) {
    hold_end(&house->hold);
    latch_wait(&house->ran, 1);
    CHECK_EQUAL(house->scene.calls, 1);
    CHECK_EQUAL(house->scene.status, 0);
    sq_queue_release(house->other);
    sq_pool_release(house->scene.pool);
}

TEST(the_end_of_a_queue_of_a_pool_can_fork_and_its_child_runs_no_other_queue) {
    if (fork_left_out() || UNDER_ASAN) {
        return;
    }
    house_t house;
    const sq_watcher_t watcher = { never_called, &house.scene, call };
    house_begin(&house);
    CHECK_EQUAL(sq_queue_watch(house.scene.queue, 1000000000000u, &watcher), 0);
    sq_queue_release(house.scene.queue);
    house_end(&house);

    const sq_task_t delayed = { must_not_run, &house.scene, call };
    house_begin(&house);
    CHECK_EQUAL(sq_async_task_after(house.scene.queue, 1000000000000u, &delayed), 0);
    CHECK_EQUAL(sq_shutdown(house.scene.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    sq_queue_release(house.scene.queue);
    house_end(&house);
}

/* A timer ends in a child, whose thread then returns into the library and ends. Calls that the child makes on another thread must
 * work: its delayed tasks are called, by an alarm thread that still runs. */

static void exit_well(void *context) {
    (void)context;
    _exit(0);
}

static void *use_alarms(void *argument) {
    (void)argument;
    while (thread_state(getpid()) != 'Z') { /* the one that forked */
        sched_yield();
    }
    sq_queue_t *queue = make_queue_of("the child's", 0);
    CHECK_EQUAL(sq_async_after(queue, 200000000, exit_well, NULL), 0); /* longer than an unused alarm thread stays */
    sleep(20);
    _exit(1);
}

static void call_and_use_alarms(void *context) {
    scene_t *scene = context;
    call(scene);
    if (scene->status == -1) { /* a lease that the thread must not mistake for a lease of the parent */
        spawn(use_alarms, NULL);
    }
}

typedef enum timers_end { BY_RELEASE, BY_RELEASE_IN_FIRING, WITH_QUEUE, TIMERS_ENDS } timers_end_t;

static void discard_timed(void *context) { call_and_use_alarms(&((timed_t *)context)->scene); }

TEST(the_end_of_a_timer_can_fork_and_its_child_has_alarms_of_its_own) {
    if (fork_left_out() || UNDER_ASAN) {
        return;
    }
    for (timers_end_t how = BY_RELEASE; how < TIMERS_ENDS; how += 1) {
        timed_t timed = { .scene = { .forks = true, .status = -2, .queue = make_queue_of("forking", 0) } };
        const sq_task_t task = { release_own_timer, &timed, discard_timed };
        timed.timer = sq_timer_create(timed.scene.queue, &task);
        REQUIRE(timed.timer != NULL);
        if (how == BY_RELEASE) {
            sq_timer_release(timed.timer);
        } else if (how == WITH_QUEUE) { /* released, but there was no memory for its last work */
            CHECK_EQUAL(sq_suspend(timed.scene.queue), 0);
            for (int i = 0; i < PLACES; i += 1) {
                CHECK_EQUAL(sq_async(timed.scene.queue, do_nothing, NULL), 0);
            }
            fail_nth(FAIL_ALLOCATION, 1, true);
            sq_timer_release(timed.timer);
            CHECK_EQUAL(sq_shutdown(timed.scene.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
            CHECK(fail_nothing() > 0);
            CHECK_EQUAL(sq_resume(timed.scene.queue), 0);
        } else if (how == BY_RELEASE_IN_FIRING) {
            CHECK_EQUAL(sq_timer_start(timed.timer, 0, 0, 0), 0);
            while (stats_now(timed.scene.queue).ran == 0) {
                sched_yield();
            }
        }
        CHECK_EQUAL(sq_shutdown(timed.scene.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(timed.scene.calls, 1);
        CHECK_EQUAL(timed.scene.status, 0);
        sq_queue_release(timed.scene.queue);
    }
}
