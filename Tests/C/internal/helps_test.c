/* helps_test.c: a sync caller of a higher class of service runs the tasks ahead of it on its own thread (options.helps). */
#include "helps.h"

/* One task runs on the pool, two wait behind it, then comes a sync. Which thread runs the two? */
static void check_who_runs(sq_service_t service, bool helps) {
    scene_t scene;
    pthread_t caller;
    scene_create(&scene, service, helps);
    hold_async(&scene.hold, scene.queue);
    submit(&scene, 2);
    REQUIRE(pthread_create(&caller, NULL, sync_onto, &scene) == 0);
    wait_for_depth(scene.queue, 3);
    bool is_helped = helps && service != SQ_SERVICE_INTERACTIVE;
    if (is_helped) {
        wait_until_listed(scene.pool);
    }
    hold_end(&scene.hold);
    REQUIRE(pthread_join(caller, NULL) == 0);
    CHECK_EQUAL(scene.error, 0);
    CHECK_EQUAL(scene.ran, 3);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(pthread_equal(scene.runners[i], caller) != 0, is_helped || i == 2);
        CHECK(scene.was_current[i]);
    }
    scene_destroy(&scene);
}

TEST(a_caller_of_a_higher_class_runs_what_is_ahead_of_it) {
    check_who_runs(SQ_SERVICE_BACKGROUND, true);
    check_who_runs(SQ_SERVICE_UTILITY, true);
}

TEST(without_helps_the_pool_runs_it) { check_who_runs(SQ_SERVICE_BACKGROUND, false); }

TEST(a_caller_of_a_lower_class_does_not_help) { check_who_runs(SQ_SERVICE_INTERACTIVE, true); }

/* The entry is still in the list. */
TEST(without_helps_the_pool_runs_a_queue_that_no_thread_has_begun) {
    scene_t scene;
    pthread_t caller;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, false);
    sq_queue_t *other = queue_on(scene.pool, "other", 0);
    hold_async(&scene.hold, other);
    submit(&scene, 2);
    REQUIRE(pthread_create(&caller, NULL, sync_onto, &scene) == 0);
    wait_for_depth(scene.queue, 3);
    hold_end(&scene.hold);
    REQUIRE(pthread_join(caller, NULL) == 0);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(pthread_equal(scene.runners[i], caller) != 0, i == 2);
    }
    sq_queue_release(other);
    scene_destroy(&scene);
}

/* The pool's only thread is busy with another queue: the entry is still in the list. */
TEST(a_queue_that_no_thread_has_begun_is_helped_at_once) {
    scene_t scene;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, true);
    sq_queue_t *other = queue_on(scene.pool, "other", 0), *before[3];
    size_t ran_before = 0;
    hold_async(&scene.hold, other);
    for (size_t i = 0; i < 3; i += 1) { /* in front of it in the list, and of no concern to the caller */
        before[i] = queue_on(scene.pool, "before", 0);
        CHECK_EQUAL(sq_async(before[i], add_one, &ran_before), 0);
    }
    submit(&scene, 5);
    CHECK_EQUAL(sq_sync(scene.queue, note_runner, &scene), 0); /* would hang until the hold ends */
    CHECK_EQUAL(scene.ran, 6);
    for (size_t i = 0; i < 6; i += 1) {
        CHECK(pthread_equal(scene.runners[i], pthread_self()));
    }
    CHECK_EQUAL(ran_before, 0);
    hold_end(&scene.hold);
    for (size_t i = 0; i < 3; i += 1) {
        drain(before[i]);
        sq_queue_release(before[i]);
    }
    CHECK_EQUAL(ran_before, 3);
    sq_queue_release(other);
    scene_destroy(&scene);
}

static void shut_down(void *context) {
    scene_t *scene = context;
    note_runner(scene);
    CHECK_EQUAL(sq_shutdown(scene->queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), EDEADLK); /* it has begun */
}

TEST(a_helper_that_is_refused_leaves_the_rest_to_the_pool) {
    scene_t scene;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, true);
    sq_queue_t *other = queue_on(scene.pool, "other", 0);
    hold_async(&scene.hold, other);
    CHECK_EQUAL(sq_async(scene.queue, shut_down, &scene), 0);
    submit(&scene, 3);
    CHECK_EQUAL(sq_sync(scene.queue, must_not_run, NULL), ESHUTDOWN);
    CHECK(pthread_equal(scene.runners[0], pthread_self()));
    hold_end(&scene.hold);
    CHECK_EQUAL(sq_shutdown(scene.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(scene.ran, 1);
    CHECK_EQUAL(scene.discarded, 3);
    sq_queue_release(other);
    scene_destroy(&scene);
}

TEST(a_helper_whose_deadline_passes_leaves_the_rest_to_the_pool) {
    scene_t scene;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, true);
    hold_async(&scene.hold, scene.queue);
    submit(&scene, 2);
    CHECK_EQUAL(sq_sync_until(scene.queue, sq_deadline(20000000), must_not_run, NULL), ETIMEDOUT);
    hold_end(&scene.hold);
    drain(scene.queue);
    CHECK_EQUAL(scene.ran, 2);
    scene_destroy(&scene);
}

/* A task that the caller runs for the queue is no task of the caller's own: what it syncs onto is not current. */
typedef struct nested {
    scene_t *scene;
    sq_queue_t *outer;
    int error;
    bool outer_is_current;
} nested_t;

static void sync_back(void *context) {
    nested_t *nested = context;
    nested->outer_is_current = sq_is_current(nested->outer);
    nested->error = sq_sync(nested->outer, must_not_run, NULL);
}

static void sync_inwards(void *context) {
    nested_t *nested = context;
    CHECK_EQUAL(sq_sync(nested->scene->queue, note_runner, nested->scene), 0);
}

TEST(a_task_that_a_helper_runs_sees_only_its_own_queue_and_its_deadlock_is_named) {
    scene_t scene;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, true);
    sq_queue_t *outer = sq_queue_create("outer", NULL), *other = queue_on(scene.pool, "other", 0);
    nested_t nested = { .scene = &scene, .outer = outer };
    hold_async(&scene.hold, other);
    CHECK_EQUAL(sq_async(scene.queue, sync_back, &nested), 0);
    CHECK_EQUAL(sq_sync(outer, sync_inwards, &nested), 0);
    CHECK_EQUAL(nested.error, EDEADLK);
    CHECK_EQUAL(nested.outer_is_current, false);
    CHECK_EQUAL(scene.ran, 1);
    hold_end(&scene.hold);
    sq_queue_release(outer);
    sq_queue_release(other);
    scene_destroy(&scene);
}

/* A call that waits ahead of the helper. It is no task of the helper's own either. */
typedef struct ahead_call {
    nested_t nested;
    pthread_t ran_on;
    bool its_queue_is_current;
    int error;
    latch_t leave;
    atomic_int thread_id;
} ahead_call_t;

static void note_call(void *context) {
    ahead_call_t *call = context;
    call->ran_on = pthread_self();
    call->its_queue_is_current = sq_is_current(call->nested.scene->queue);
    sync_back(&call->nested);
}

static void *call_and_wait(void *context) {
    ahead_call_t *call = context;
    call->error = sq_run_and_wait(call->nested.scene->queue, SQ_FOREVER, note_call, call);
    return NULL;
}

TEST(a_call_ahead_of_a_helper_runs_on_the_helpers_thread_and_sees_only_its_own_queue) {
    scene_t scene;
    pthread_t caller;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, true);
    sq_queue_t *outer = sq_queue_create("outer", NULL), *other = queue_on(scene.pool, "other", 0);
    ahead_call_t call = { .nested = { .scene = &scene, .outer = outer }, .error = -1 };
    hold_async(&scene.hold, other); /* the pool's only thread */
    REQUIRE(pthread_create(&caller, NULL, call_and_wait, &call) == 0);
    wait_for_depth(scene.queue, 1);
    CHECK_EQUAL(sq_sync(outer, sync_inwards, &call.nested), 0);
    REQUIRE(pthread_join(caller, NULL) == 0);
    CHECK_EQUAL(call.error, 0);
    CHECK(pthread_equal(call.ran_on, pthread_self()));
    CHECK(call.its_queue_is_current);
    CHECK_EQUAL(call.nested.outer_is_current, false);
    CHECK_EQUAL(call.nested.error, EDEADLK);
    CHECK_EQUAL(scene.ran, 1);
    hold_end(&scene.hold);
    sq_queue_release(outer);
    sq_queue_release(other);
    scene_destroy(&scene);
}

/* A storm: helpers, plain callers, timeouts and submitters on two queues of one background pool. */
enum { CALLERS = 4, ROUNDS = 3000 };

typedef struct storm {
    scene_t *scenes[2];
    size_t counted[2];
    size_t calls[CALLERS][2];
} storm_t;

typedef struct storming {
    storm_t *storm;
    size_t number;
} storming_t;

static void *call_around(void *context) {
    storming_t *me = context;
    for (size_t i = 0; i < ROUNDS; i += 1) {
        size_t which = (i + me->number) % 2;
        sq_queue_t *queue = me->storm->scenes[which]->queue;
        CHECK_EQUAL(sq_async(queue, add_one, &me->storm->counted[which]), 0);
        int error = i % 3 == 0 ? sq_sync_until(queue, sq_deadline(i % 7 * 1000), add_one, &me->storm->counted[which])
                               : sq_sync(queue, add_one, &me->storm->counted[which]);
        CHECK(error == 0 || error == ETIMEDOUT);
        me->storm->calls[me->number][which] += error == 0 ? 2 : 1;
    }
    return NULL;
}

TEST(a_storm_of_helpers_loses_nothing) {
    scene_t scenes[2];
    storm_t storm = { .scenes = { &scenes[0], &scenes[1] } };
    storming_t callers[CALLERS];
    pthread_t threads[CALLERS];
    scene_create(&scenes[0], SQ_SERVICE_BACKGROUND, true);
    scenes[1] = (scene_t){ .pool = sq_pool_retain(scenes[0].pool) };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = scenes[1].pool;
    options.helps = true;
    options.priority = SQ_PRIORITY_HIGH;
    scenes[1].queue = sq_queue_create("second", &options);
    for (size_t i = 0; i < CALLERS; i += 1) {
        callers[i] = (storming_t){ &storm, i };
        REQUIRE(pthread_create(&threads[i], NULL, call_around, &callers[i]) == 0);
    }
    for (size_t i = 0; i < CALLERS; i += 1) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    for (size_t which = 0; which < 2; which += 1) {
        size_t expected = 0;
        drain(scenes[which].queue);
        for (size_t i = 0; i < CALLERS; i += 1) {
            expected += storm.calls[i][which];
        }
        CHECK_EQUAL(storm.counted[which], expected);
        scene_destroy(&scenes[which]);
    }
}

/* Its function is for the pool's threads, however long the caller sleeps. */
static void *call_onto(void *context) {
    ahead_call_t *call = context;
    call->thread_id = gettid();
    call->error = sq_run_and_wait(call->nested.scene->queue, FAR, note_runner, call->nested.scene);
    latch_wait(&call->leave, 1); /* asleep in any case, so that the test can wait for that */
    return NULL;
}

TEST(a_call_does_not_help_and_runs_on_the_pool) {
    scene_t scene;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, true);
    sq_queue_t *other = queue_on(scene.pool, "other", 0);
    ahead_call_t call = { .nested.scene = &scene, .leave = LATCH_INIT, .error = -1 };
    hold_async(&scene.hold, other);
    pthread_t caller = spawn(call_onto, &call);
    wait_until_asleep(&call.thread_id);
    CHECK_EQUAL(scene.ran, 0);
    hold_end(&scene.hold);
    latch_bump(&call.leave);
    REQUIRE(pthread_join(caller, NULL) == 0);
    CHECK_EQUAL(call.error, 0);
    CHECK_EQUAL(scene.ran, 1);
    CHECK(!pthread_equal(scene.runners[0], caller));
    sq_queue_release(other);
    scene_destroy(&scene);
}
