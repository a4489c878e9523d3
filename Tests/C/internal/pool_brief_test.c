/* pool_brief_test.c: permits for jobs that block briefly, and none for those that compute, on a clock that the test moves. */
#include "pool_clock.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Short jobs: each is a piece of a turn that goes to the end of the list after it. */
static sq__ready_end_t do_a_piece(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    (void)batch;
    *ran += 1;
    latch_bump(&turn->entered);
    if (turn->computes) {
        pthread_mutex_lock(&one_at_a_time);
        uint64_t began = sq__thread_processor_time(sq__thread_id());
        while (sq__thread_processor_time(sq__thread_id()) < began + MUCH) {
        }
        pthread_mutex_unlock(&one_at_a_time);
    } else {
        usleep(500);
    }
    if (turn->scene->computes) {
        return SQ__READY_MORE;
    }
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

enum { PIECES = 12, PERMITS = 8 };

static void begin_pieces(scene_t *scene, turn_t turns[PIECES], bool compute) {
    *scene = begin(PERMITS, 2 * PIECES, do_a_piece);
    scene->computes = true;
    for (size_t i = 0; i < PIECES; i += 1) {
        post(&turns[i], scene, compute);
    }
    latch_wait(&turns[0].entered, 1);
    latch_wait(&turns[1].entered, 1);
}

static void end_pieces(scene_t *scene) {
    scene->computes = false;
    latch_wait(&scene->left, PIECES);
    wait_until(scene, true, count(scene, false));
    end(scene);
}

/* regression: 10,000 closures that slept for 5 ms ran two at a time. */
TEST(a_pool_whose_jobs_block_briefly_gets_more_permits) {
    turn_t turns[PIECES];
    unsigned blocked;
    scene_t scene;
    begin_pieces(&scene, turns, false);
    while (permits(&scene, &blocked) == PERMITS) {
        usleep(200);
        advance(&scene, SHORT);
    }
    end_pieces(&scene);
}

/* One computes, and the others wait for its lock: more workers would wait, too. */
TEST(a_pool_whose_jobs_wait_for_a_lock_gets_no_more_permits) {
    turn_t turns[PIECES];
    unsigned blocked;
    scene_t scene;
    begin_pieces(&scene, turns, true);
    for (size_t i = 0; i < 3 * MANY_CHECKS; i += 1) {
        let_use_together(&scene, SHORT);
        advance(&scene, SHORT);
        CHECK_EQUAL(permits(&scene, &blocked), PERMITS);
    }
    end_pieces(&scene);
}

/* One of two workers is blocked; the other one computes, and no entry waits for longer than until the next check. */
static sq__ready_end_t compute_until_told(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    (void)batch;
    *ran += 1;
    latch_bump(&turn->entered);
    while (turn->computes && latch_value(&turn->gate) == 0) {
    }
    latch_wait(&turn->gate, 1);
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

TEST(a_pool_gets_no_more_permits_while_no_job_waits_for_long) {
    turn_t blocks, turns[MANY_CHECKS + 2];
    unsigned blocked;
    scene_t scene = begin(2, 4, compute_until_told);
    post(&blocks, &scene, false);
    latch_wait(&blocks.entered, 1);
    post(&turns[0], &scene, true);
    latch_wait(&turns[0].entered, 1);
    for (size_t i = 1; i < MANY_CHECKS + 2; i += 1) {
        post(&turns[i], &scene, true); /* it waits */
        if (i > 1) {
            let_use_together(&scene, SHORT);
            advance(&scene, SHORT);
        }
        CHECK_EQUAL(permits(&scene, &blocked), 2);
        latch_bump(&turns[i - 1].gate);
        latch_wait(&turns[i].entered, 1);
    }
    latch_bump(&turns[MANY_CHECKS + 1].gate);
    latch_bump(&blocks.gate);
    latch_wait(&scene.left, MANY_CHECKS + 3);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}
