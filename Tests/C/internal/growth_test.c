/* growth_test.c: how many seats a pool gets when some of its members are blocked and some are not. On pools whose seats
 * do not depend on this machine's processors, with ready entries of the test's own. What queues see of it: pool_grow_test.c. */
#include "harness.h"
#include "latch.h"
#include "pool/pool.h"

#include <sched.h>
#include <stdatomic.h>

typedef struct work {
    sq__ready_t entry;
    void (*run)(struct work *work);
    struct scene *scene;
} work_t;

typedef struct scene {
    sq__pool_t *pool;
    latch_t entered, gate, left;
    atomic_bool is_over;
} scene_t;

static sq__ready_end_t call(sq__ready_t *entry, size_t batch, size_t *ran) {
    (void)batch;
    work_t *work = (work_t *)((char *)entry - offsetof(work_t, entry));
    *ran += 1;
    work->run(work);
    latch_bump(&work->scene->left);
    return SQ__READY_GONE;
}

static void be_blocked(work_t *work) {
    latch_bump(&work->scene->entered);
    latch_wait(&work->scene->gate, 1);
}

/* The member can run all the time, and does not end. */
static void be_busy(work_t *work) {
    latch_bump(&work->scene->entered);
    while (!work->scene->is_over) {
        sched_yield();
    }
}

static void end_scene(work_t *work) {
    work->scene->is_over = true;
    latch_bump(&work->scene->gate);
}

/* A pool with `seats` seats, all of them taken: `busy` members are busy, the others blocked, until another entry has run. */
static void check_growth(size_t seats, size_t busy) {
    scene_t scene = { NULL, LATCH_INIT, LATCH_INIT, LATCH_INIT, false };
    const sq__pool_plan_t plan = { .call = call, .label = "checked", .seats = seats, .most = seats + 1 };
    REQUIRE(sq__pool_create(&scene.pool, &plan) == 0);
    work_t work[8];
    REQUIRE(seats < sizeof work / sizeof work[0]);
    for (size_t i = 0; i < seats; i += 1) {
        work[i] = (work_t){ { NULL }, i < busy ? be_busy : be_blocked, &scene };
        sq__pool_post(scene.pool, SQ__BAND_NORMAL, &work[i].entry);
    }
    latch_wait(&scene.entered, seats);
    work[seats] = (work_t){ { NULL }, end_scene, &scene };
    sq__pool_post(scene.pool, SQ__BAND_NORMAL, &work[seats].entry);
    latch_wait(&scene.left, seats + 1);
    sq__pool_release(scene.pool);
}

/* To see it fail (it hangs): let grow (growth.c) add no seat as long as one member is not blocked. */
TEST(a_pool_gets_a_seat_for_each_blocked_member_while_other_members_run) {
    check_growth(2, 1);
    check_growth(3, 1);
    check_growth(3, 2);
}

/* To see it fail: let grow (growth.c) add no seat if all members are blocked. */
TEST(a_pool_gets_seats_when_no_member_makes_progress) {
    check_growth(1, 0);
    check_growth(3, 0);
}
