/* helps_callers_test.c: callers that help (options.helps) while other threads have the queue, are of other classes, or help other queues of the
 * same pool. helps_test.c has a caller alone. */
#include "helps.h"
#include "pool/pool_internal.h"

/* Another thread's sync is in progress when the caller comes, and then hands the queue to the pool. */
TEST(a_caller_that_waits_for_another_ones_sync_runs_what_is_ahead_of_it) {
    scene_t scene;
    pthread_t caller;
    scene_create(&scene, SQ_SERVICE_BACKGROUND, true);
    hold_sync(&scene.hold, scene.queue);
    submit(&scene, 2);
    REQUIRE(pthread_create(&caller, NULL, sync_onto, &scene) == 0);
    wait_for_depth(scene.queue, 3);
    wait_until_listed(scene.pool);
    hold_end(&scene.hold);
    REQUIRE(pthread_join(caller, NULL) == 0);
    CHECK_EQUAL(scene.ran, 3);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK(pthread_equal(scene.runners[i], caller));
    }
    CHECK(!sq__pool_has_listed(scene.pool));
    scene_destroy(&scene);
}

static void sync_in_task(void *context) {
    scene_t *scene = context;
    scene->error = sq_sync(scene->queue, note_runner, scene);
    scene->runners[7] = pthread_self();
}

/* The class of a caller is that of the pool on which it runs. */
TEST(a_task_of_a_higher_class_helps_a_queue_of_the_default_class_and_one_of_a_lower_class_does_not) {
    for (int is_higher = 0; is_higher < 2; is_higher += 1) {
        scene_t scene, of_caller;
        scene_create(&scene, is_higher ? SQ_SERVICE_DEFAULT : SQ_SERVICE_UTILITY, true);
        scene_create(&of_caller, is_higher ? SQ_SERVICE_INTERACTIVE : SQ_SERVICE_BACKGROUND, false);
        sq_queue_t *other = queue_on(scene.pool, "other", 0);
        hold_async(&scene.hold, other);
        submit(&scene, 2);
        CHECK_EQUAL(sq_async(of_caller.queue, sync_in_task, &scene), 0);
        if (!is_higher) {
            wait_for_depth(scene.queue, 3);
            hold_end(&scene.hold);
        }
        drain(of_caller.queue);
        CHECK(scene.error == 0 && scene.ran == 3);
        CHECK_EQUAL(pthread_equal(scene.runners[0], scene.runners[7]) != 0, is_higher);
        CHECK(pthread_equal(scene.runners[2], scene.runners[7]));
        if (is_higher) {
            hold_end(&scene.hold);
        }
        sq_queue_release(other);
        scene_destroy(&of_caller);
        scene_destroy(&scene);
    }
}

static void *sync_onto_until(void *context) {
    scene_t *scene = context;
    scene->error = sq_sync_until(scene->queue, sq_deadline(20000000), note_runner, scene);
    return NULL;
}

/* Two callers of two queues of one pool are listed at one time. */
TEST(each_of_two_callers_gets_the_queue_that_it_waits_for) {
    for (int leaves = 0; leaves < 2; leaves += 1) { /* the first one reaches its deadline */
        scene_t scenes[2];
        pthread_t callers[2];
        scene_create(&scenes[0], SQ_SERVICE_BACKGROUND, true);
        scene_create(&scenes[1], SQ_SERVICE_BACKGROUND, true);
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.pool = scenes[0].pool;
        options.helps = true;
        sq_queue_release(scenes[1].queue);
        scenes[1].queue = sq_queue_create("second", &options);
        REQUIRE(scenes[1].queue != NULL);
        for (size_t i = 0; i < 2; i += 1) {
            hold_sync(&scenes[i].hold, scenes[i].queue);
            submit(&scenes[i], 2);
            REQUIRE(pthread_create(&callers[i], NULL, leaves && i == 0 ? sync_onto_until : sync_onto, &scenes[i]) == 0);
            while (leaves == 0 && sq__load_relaxed(&scenes[0].pool->listed) != i + 1) {
                sched_yield();
            }
        }
        if (leaves) {
            REQUIRE(pthread_join(callers[0], NULL) == 0);
            CHECK_EQUAL(scenes[0].error, ETIMEDOUT);
        }
        for (size_t i = 0; i < 2; i += 1) {
            hold_end(&scenes[i].hold);
            if (!leaves || i > 0) {
                REQUIRE(pthread_join(callers[i], NULL) == 0);
                CHECK_EQUAL(scenes[i].error, 0);
                CHECK_EQUAL(scenes[i].ran, 3);
                CHECK(pthread_equal(scenes[i].runners[0], callers[i]) && pthread_equal(scenes[i].runners[1], callers[i]));
            }
        }
        drain(scenes[0].queue);
        CHECK(!sq__pool_has_listed(scenes[0].pool));
        CHECK(scenes[0].pool->callers == NULL);
        scene_destroy(&scenes[0]);
        scene_destroy(&scenes[1]);
    }
}
