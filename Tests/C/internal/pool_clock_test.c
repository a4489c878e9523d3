/* pool_clock_test.c: a pool whose growth is checked on a clock that the test advances, with ready entries of the test's own: when
 * it gets no more permits, which workers and permits go, and that as many have a permit as are counted. How far and how soon it grows:
 * pool_grow_test.c, growth_test.c, pool_growth_time_test.c; which workers count as blocked: pool_blocked_test.c. */
#include "pool_clock.h"

static const uint64_t second = 1000000000;

typedef struct work {
    sq__ready_t entry;
    scene_t *scene;
} work_t;

/* Waits at the gate without its permit, as a task does in a sync. */
static sq__ready_end_t wait_without_permit(sq__ready_t *entry, size_t batch, size_t *ran) {
    scene_t *scene = ((work_t *)entry)->scene;
    (void)batch;
    *ran += 1;
    sq__pool_lend_permit(sq__self()->pool_worker);
    latch_bump(&scene->entered);
    latch_wait(&scene->gate, 1);
    sq__pool_take_permit(sq__self()->pool_worker);
    latch_bump(&scene->left);
    return SQ__READY_GONE;
}

/* Has `workers` workers work at one time. Returns when they are idle again. `all`: how many workers there are then. */
static void work_at_once(scene_t *scene, size_t workers, unsigned all) {
    work_t work[4];
    REQUIRE(workers <= sizeof work / sizeof work[0]);
    scene->entered = scene->gate = scene->left = (latch_t)LATCH_INIT;
    for (size_t i = 0; i < workers; i += 1) {
        work[i] = (work_t){ { NULL }, scene };
        sq__pool_post(scene->pool, SQ__LEVEL_NORMAL, &work[i].entry);
        latch_wait(&scene->entered, i + 1);
    }
    latch_bump(&scene->gate);
    latch_wait(&scene->left, workers);
    wait_until(scene, true, all);
}

/* Advances the clock by a second, in which a growth check takes place. Then `left` workers are left, and all are idle. */
static void check_growth(scene_t *scene, unsigned left) {
    advance(scene, second);
    sq__mutex_lock(&scene->pool->shards->lock);
    unsigned staying = scene->pool->shards->workers - scene->pool->shards->leaving;
    sq__mutex_unlock(&scene->pool->shards->lock);
    CHECK_EQUAL(staying, left);
    wait_until(scene, false, left);
    CHECK_EQUAL(count(scene, true), left);
}

TEST(of_the_members_beyond_those_at_rest_those_go_that_were_idle_for_a_second) {
    scene_t scene = begin(1, 1, wait_without_permit);
    work_at_once(&scene, 3, 3);
    check_growth(&scene, 3); /* all had work */
    work_at_once(&scene, 2, 3);
    check_growth(&scene, 2); /* one had none */
    check_growth(&scene, 1); /* the other one had none, either; the last one stays */
    check_growth(&scene, 1);
    work_at_once(&scene, 2, 2);
    work_at_once(&scene, 2, 2);
    check_growth(&scene, 2);
    work_at_once(&scene, 1, 2);
    check_growth(&scene, 1);
    end(&scene);
}

/* Workers with a permit */

static sq__ready_end_t leave_at_once(sq__ready_t *entry, size_t batch, size_t *ran) {
    (void)batch;
    *ran += 1;
    latch_bump(&((work_t *)entry)->scene->left);
    return SQ__READY_GONE;
}

/* One that was called has its permit from then on, though its thread has not woken up yet: a growth check must not count it as blocked. */
TEST(as_many_members_have_a_permit_as_are_counted) {
    enum { PERMITS = 2 };
    scene_t scene = begin(PERMITS, PERMITS, leave_at_once);
    for (size_t round = 1; round <= 2000; round += 1) {
        work_t work[PERMITS];
        for (size_t i = 0; i < PERMITS; i += 1) {
            work[i] = (work_t){ { NULL }, &scene };
            sq__pool_post(scene.pool, SQ__LEVEL_NORMAL, &work[i].entry);
        }
        unsigned in_use = 0;
        sq__mutex_lock(&scene.pool->shards->lock);
        for (sq__pool_worker_t *worker = scene.pool->shards->all; worker != NULL; worker = worker->next) {
            in_use += worker->permit == SQ__PERMIT_TAKEN;
        }
        CHECK_EQUAL(in_use, scene.pool->shards->in_use);
        sq__mutex_unlock(&scene.pool->shards->lock);
        latch_wait(&scene.left, PERMITS * round);
    }
    end(&scene);
}

/* No more permits than are needed */

TEST(a_pool_gets_no_more_permits_than_it_may_have) {
    enum { MOST = 4, JOBS = 7 };
    turn_t turns[JOBS];
    unsigned blocked;
    scene_t scene = begin(3, MOST, stay);
    for (size_t i = 0; i < JOBS; i += 1) {
        post(&turns[i], &scene, false);
    }
    for (size_t i = 0; i < SHORT_CHECKS && permits(&scene, &blocked) < MOST; i += 1) {
        wait_until_blocked(&scene, permits(&scene, &blocked));
        advance(&scene, SHORT);
    }
    for (size_t i = 0; i < SHORT_CHECKS; i += 1) {
        CHECK_EQUAL(permits(&scene, &blocked), MOST);
        wait_until_blocked(&scene, MOST);
        advance(&scene, SHORT);
    }
    for (size_t i = 0; i < JOBS; i += 1) {
        latch_bump(&turns[i].gate);
    }
    latch_wait(&scene.left, JOBS);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* What a pool goes back to */

/* Three jobs were blocked, and the pool got two more permits; then one job alone stays. */
TEST(a_pool_goes_back_to_its_permits_at_rest_and_then_sets_no_alarm) {
    turn_t turns[3];
    unsigned blocked;
    scene_t scene = begin(1, 3, stay);
    for (size_t i = 0; i < 3; i += 1) {
        post(&turns[i], &scene, false);
    }
    for (size_t i = 0; i < SHORT_CHECKS && permits(&scene, &blocked) < 3; i += 1) {
        wait_until_blocked(&scene, 1);
        advance(&scene, SHORT);
    }
    wait_until_blocked(&scene, 3);
    for (size_t i = 0; i < 2; i += 1) {
        latch_bump(&turns[i].gate);
    }
    wait_until(&scene, true, 2);
    for (size_t i = 0; i < 3; i += 1) {
        advance(&scene, second);
    }
    wait_until(&scene, false, 1);
    advance(&scene, second); /* from here on there are as many workers as at rest, and one permit more */
    CHECK_EQUAL(permits(&scene, &blocked), 2); /* one that is taken, and those at rest */
    latch_bump(&turns[2].gate);
    wait_until(&scene, true, 1);
    CHECK(sq__load_relaxed(&scene.pool->checks));
    for (size_t i = 0; i < 3; i += 1) {
        advance(&scene, second);
    }
    CHECK_EQUAL(permits(&scene, &blocked), 1);
    CHECK(!sq__load_relaxed(&scene.pool->checks));
    end(&scene);
}

static sq__ready_end_t stay_after_lending(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    if (turn->computes) {
        sq__pool_lend_permit(sq__self()->pool_worker);
        latch_bump(&turn->scene->entered);
        latch_wait(&turn->scene->gate, 1);
        sq__pool_take_permit(sq__self()->pool_worker);
    }
    return stay(entry, batch, ran);
}

/* A second worker has come for the permit that the first one has lent. */
TEST(a_check_that_takes_permits_back_never_adds_one) {
    scene_t scene = begin(1, 1, stay_after_lending);
    turn_t lender, other;
    unsigned blocked;
    post(&lender, &scene, true);
    latch_wait(&scene.entered, 1);
    post(&other, &scene, false);
    latch_wait(&other.entered, 1);
    advance(&scene, second);
    CHECK_EQUAL(permits(&scene, &blocked), 1);
    scene.computes = false;
    latch_bump(&scene.gate);
    latch_bump(&lender.gate);
    latch_bump(&other.gate);
    latch_wait(&scene.left, 2);
    wait_until(&scene, true, 2);
    end(&scene);
}
