/* pool_shrink_test.c: which members of a pool go when they are no longer needed, on a clock that the test moves; and that as many
 * have a seat as are counted. With jobs of the test's own. How a pool grows: pool_grow_test.c, pool_look_test.c. */
#include "harness.h"
#include "latch.h"
#include "thread/crew.h"
#include "thread/self.h"

#include <sched.h>
#include <stdatomic.h>

static const uint64_t second = 1000000000;

typedef struct scene {
    sq__pool_t *pool;
    sq__alarms_t *clock, *shared; /* ours; the process's, which the pool had */
    uint64_t now;
    latch_t entered, gate, left;
} scene_t;

typedef struct work {
    sq__job_t job;
    scene_t *scene;
} work_t;

/* Waits at the gate without its seat, as a task does in a sync. */
static sq__job_end_t wait_without_seat(sq__job_t *job, size_t batch, size_t *ran) {
    scene_t *scene = ((work_t *)job)->scene;
    (void)batch;
    *ran += 1;
    sq__pool_lend_seat(sq__self()->member);
    latch_bump(&scene->entered);
    latch_wait(&scene->gate, 1);
    sq__pool_take_seat(sq__self()->member);
    latch_bump(&scene->left);
    return SQ__JOB_GONE;
}

static unsigned count(const scene_t *scene, bool idle) {
    sq__mutex_lock(&scene->pool->lock);
    unsigned found = idle ? scene->pool->idle_members : scene->pool->members;
    sq__mutex_unlock(&scene->pool->lock);
    return found;
}

/* Members do what they are told to some time after. */
static void wait_until(const scene_t *scene, bool idle, unsigned members) {
    while (count(scene, idle) != members) {
        sched_yield();
    }
}

/* So many members work at one time, and are idle again. `all`: how many there are then. */
static void work_at_once(scene_t *scene, size_t members, unsigned all) {
    work_t work[4];
    REQUIRE(members <= sizeof work / sizeof work[0]);
    scene->entered = scene->gate = scene->left = (latch_t)LATCH_INIT;
    for (size_t i = 0; i < members; i += 1) {
        work[i] = (work_t){ { NULL }, scene };
        sq__pool_post(scene->pool, &work[i].job);
        latch_wait(&scene->entered, i + 1);
    }
    latch_bump(&scene->gate);
    latch_wait(&scene->left, members);
    wait_until(scene, true, all);
}

/* The look of this second takes place; so many members are left then, idle all. */
static void look(scene_t *scene, unsigned left) {
    scene->now += second;
    while (sq__alarms_advance(scene->clock, scene->now)) {
    }
    sq__mutex_lock(&scene->pool->lock);
    unsigned staying = scene->pool->members - scene->pool->leaving;
    sq__mutex_unlock(&scene->pool->lock);
    CHECK_EQUAL(staying, left);
    wait_until(scene, false, left);
    CHECK_EQUAL(count(scene, true), left);
}

static scene_t begin(size_t seats, sq__job_function_t call) {
    scene_t scene = { .entered = LATCH_INIT, .gate = LATCH_INIT, .left = LATCH_INIT };
    const sq__pool_plan_t plan = { .call = call, .label = "shrinking", .seats = seats, .most = seats };
    REQUIRE(sq__pool_create(&scene.pool, &plan) == 0);
    scene.clock = sq__alarms_create();
    REQUIRE(scene.clock != NULL);
    scene.shared = scene.pool->alarms;
    scene.pool->alarms = scene.clock;
    return scene;
}

static void end(scene_t *scene) {
    sq__mutex_lock(&scene->pool->lock);
    if (sq__alarm_cancel(scene->clock, &scene->pool->alarm)) {
        scene->pool->is_overseen = false;
    }
    scene->pool->alarms = scene->shared;
    sq__mutex_unlock(&scene->pool->lock);
    sq__alarms_destroy(scene->clock);
    sq__pool_release(scene->pool);
}

/* To see it fail: in shrink (oversee.c) or take_idle, make_idle, sq__crew_pick_idle (crew.c) leave out any count. */
TEST(of_the_members_beyond_those_at_rest_those_go_that_were_idle_for_a_second) {
    scene_t scene = begin(1, wait_without_seat);
    work_at_once(&scene, 3, 3);
    look(&scene, 3); /* all had work */
    work_at_once(&scene, 2, 3);
    look(&scene, 2); /* one had none */
    look(&scene, 1); /* the other one had none, either; the last one stays */
    look(&scene, 1);
    work_at_once(&scene, 2, 2);
    work_at_once(&scene, 2, 2);
    look(&scene, 2);
    work_at_once(&scene, 1, 2);
    look(&scene, 1);
    end(&scene);
}

/* Members with a seat */

static sq__job_end_t leave_at_once(sq__job_t *job, size_t batch, size_t *ran) {
    (void)batch;
    *ran += 1;
    latch_bump(&((work_t *)job)->scene->left);
    return SQ__JOB_GONE;
}

/* One that was called has its seat from then on, though its thread has not woken up yet: a look must not take it for blocked. To
 * see it fail: in sq__crew_call_and_unlock, do not note that it is seated. */
TEST(as_many_members_have_a_seat_as_are_counted) {
    enum { SEATS = 2 };
    scene_t scene = begin(SEATS, leave_at_once);
    for (size_t round = 1; round <= 2000; round += 1) {
        work_t work[SEATS];
        for (size_t i = 0; i < SEATS; i += 1) {
            work[i] = (work_t){ { NULL }, &scene };
            sq__pool_post(scene.pool, &work[i].job);
        }
        unsigned seated = 0;
        sq__mutex_lock(&scene.pool->lock);
        for (sq__member_t *member = scene.pool->all; member != NULL; member = member->next) {
            seated += member->is_seated;
        }
        CHECK_EQUAL(seated, scene.pool->seated);
        sq__mutex_unlock(&scene.pool->lock);
        latch_wait(&scene.left, SEATS * round);
    }
    end(&scene);
}
