/* pool_blocked_test.c: which workers of a pool count as blocked, so that the pool gets more permits, on a clock that the test
 * moves. */
#include "pool_clock.h"

static void wait_until_able(const scene_t *scene) {
    unsigned blocked = 1;
    while (blocked > 0) {
        usleep(100);
        permits(scene, &blocked);
    }
}

static void check_that_a_long_job_gets_no_company(void) {
    turn_t computes, waits;
    unsigned blocked;
    scene_t scene = begin(1, 4, stay);
    scene.computes = true;
    post(&computes, &scene, true);
    latch_bump(&computes.gate);
    latch_wait(&computes.entered, 1);
    wait_until_able(&scene);
    post(&waits, &scene, false);
    for (size_t i = 0; i < MANY_CHECKS; i += 1) {
        let_use(&scene, MUCH);
        advance(&scene, SHORT);
        CHECK_EQUAL(permits(&scene, &blocked), 1);
    }
    scene.computes = false;
    latch_bump(&waits.gate);
    latch_wait(&scene.left, 2);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

TEST(a_pool_gets_no_more_permits_while_a_long_job_computes) { check_that_a_long_job_gets_no_company(); }

/* regression: without file descriptors, or without /proc, workers that computed counted as blocked. */
TEST(a_pool_gets_no_more_permits_while_a_long_job_computes_and_no_file_can_be_opened) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max }) == 0);
    CHECK_EQUAL(sq__thread_state(sq__thread_id()), SQ__THREAD_UNKNOWN);
    check_that_a_long_job_gets_no_company();
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* The pool still grows there, only later. */
TEST(a_pool_whose_member_is_blocked_grows_although_no_file_can_be_opened) {
    turn_t blocks, waits;
    unsigned blocked;
    scene_t scene = begin(1, 4, stay);
    post(&blocks, &scene, false);
    latch_wait(&blocks.entered, 1);
    wait_until_blocked(&scene, 1);
    post(&waits, &scene, false);
    latch_bump(&waits.gate);
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max }) == 0);
    for (size_t i = 0; i < MANY_CHECKS; i += 1) {
        advance(&scene, SHORT);
    }
    latch_wait(&waits.entered, 1);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    latch_bump(&blocks.gate);
    latch_wait(&scene.left, 2);
    CHECK(permits(&scene, &blocked) > 1);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* A worker that is woken now and then, as by a lock that others take and release all the time, is in doubt for long while another worker
 * runs. */
static sq__ready_end_t stay_and_wake(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    (void)batch;
    *ran += 1;
    latch_bump(&turn->entered);
    while (turn->scene->computes) {
        if (!turn->computes) {
            usleep(50);
        }
    }
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

TEST(a_pool_gets_more_permits_for_a_member_that_is_woken_now_and_then_only_after_many_checks) {
    turn_t computes, wakes, waits;
    unsigned blocked;
    scene_t scene = begin(2, 4, stay_and_wake);
    scene.computes = true;
    post(&computes, &scene, true);
    post(&wakes, &scene, false);
    latch_wait(&computes.entered, 1);
    latch_wait(&wakes.entered, 1);
    post(&waits, &scene, false);
    for (size_t i = 0; i < SHORT_CHECKS; i += 1) {
        let_use_together(&scene, SHORT);
        let_use(&scene, LITTLE);
        advance(&scene, SHORT);
        CHECK_EQUAL(permits(&scene, &blocked), 2);
    }
    for (size_t i = 0; i < 100000 && permits(&scene, &blocked) == 2; i += 1) { /* it must be found asleep */
        usleep(100);
        advance(&scene, SHORT);
    }
    CHECK(permits(&scene, &blocked) > 2);
    scene.computes = false;
    latch_wait(&scene.left, 3);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* One was blocked, so that there are more; then all compute. */
TEST(permits_above_those_at_rest_are_taken_back_while_jobs_wait_when_no_member_is_blocked) {
    turn_t turns[4];
    unsigned blocked;
    scene_t scene = begin(1, 2, stay);
    scene.computes = true;
    for (size_t i = 0; i < 4; i += 1) {
        post(&turns[i], &scene, i < 2);
    }
    latch_wait(&turns[0].entered, 1);
    while (permits(&scene, &blocked) < 2) {
        wait_until_blocked(&scene, 1);
        advance(&scene, SHORT);
    }
    latch_wait(&turns[1].entered, 1);
    latch_bump(&turns[0].gate);
    latch_bump(&turns[1].gate);
    wait_until_able(&scene);
    for (size_t i = 0; i < SHORT_CHECKS; i += 1) {
        let_use(&scene, MUCH);
        advance(&scene, SHORT);
    }
    CHECK_EQUAL(permits(&scene, &blocked), 1);
    latch_bump(&turns[2].gate);
    latch_bump(&turns[3].gate);
    scene.computes = false;
    latch_wait(&scene.left, 4);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}
