/* growth_test.c: how many permits a pool gets when some of its workers are blocked and some are not. On pools whose permits
 * do not depend on this machine's processors, with ready entries of the test's own. What queues see of it: pool_grow_test.c. */
#include "harness.h"
#include "latch.h"
#include "pool/growth.h"
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

/* The worker can run all the time, and does not end. */
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

/* A pool with `permits` permits, all of them taken: `busy` workers are busy, the others blocked, until another entry has run. */
static void check_growth(size_t permits, size_t busy) {
    scene_t scene = { NULL, LATCH_INIT, LATCH_INIT, LATCH_INIT, false };
    const sq__pool_plan_t plan = { .call = call, .label = "checked", .permits = permits, .most = permits + 1 };
    REQUIRE(sq__pool_create(&scene.pool, &plan) == 0);
    work_t work[8];
    REQUIRE(permits < sizeof work / sizeof work[0]);
    for (size_t i = 0; i < permits; i += 1) {
        work[i] = (work_t){ { NULL }, i < busy ? be_busy : be_blocked, &scene };
        sq__pool_post(scene.pool, SQ__LEVEL_NORMAL, &work[i].entry);
    }
    latch_wait(&scene.entered, permits);
    work[permits] = (work_t){ { NULL }, end_scene, &scene };
    sq__pool_post(scene.pool, SQ__LEVEL_NORMAL, &work[permits].entry);
    latch_wait(&scene.left, permits + 1);
    sq__pool_release(scene.pool);
}

TEST(a_pool_gets_a_permit_for_each_blocked_member_while_other_members_run) {
    check_growth(2, 1);
    check_growth(3, 1);
    check_growth(3, 2);
}

TEST(a_pool_gets_permits_when_no_member_makes_progress) {
    check_growth(1, 0);
    check_growth(3, 0);
}

/* The rule alone, as a table. Pools of 4 base permits, which may grow to 64. */
TEST(how_many_permits_a_pool_is_to_have) {
    static const struct row {
        const char *what;
        unsigned permits, in_use, blocked, for_long, asleep;
        bool is_stuck, used_little, has_surplus;
        unsigned wanted;
    } rows[] = {
        { "all workers compute", 4, 4, 0, 0, 0, true, false, false, 4 },
        { "all are blocked", 4, 4, 4, 0, 4, true, false, false, 12 },
        { "all are blocked, and what waits came after the last check", 4, 4, 4, 4, 4, false, false, false, 4 },
        { "all are blocked, and a permit is free", 4, 3, 3, 3, 3, true, true, false, 4 },
        { "all are blocked, and few more permits are left", 30, 30, 30, 0, 30, true, false, false, 64 },
        { "all are blocked, and the pool may not grow", 64, 64, 64, 64, 64, true, true, false, 64 },
        { "one has just blocked", 4, 4, 1, 0, 1, true, false, false, 4 },
        { "one is blocked for long", 4, 4, 1, 1, 1, true, false, false, 5 },
        { "three are blocked for long", 4, 4, 3, 3, 3, true, false, false, 7 },
        { "one is blocked for long, and was replaced", 5, 5, 1, 1, 1, true, false, false, 5 },
        { "workers block briefly: three of four are asleep", 4, 4, 0, 0, 3, false, true, false, 12 },
        { "the same: two of four", 4, 4, 0, 0, 2, false, true, false, 4 },
        { "they wait for a lock whose owner runs", 4, 4, 0, 0, 3, true, false, false, 4 },
        { "no worker is inside an entry", 4, 4, 0, 0, 0, false, true, false, 4 },
        { "those that were blocked continue", 12, 12, 0, 0, 0, true, false, true, 4 },
        { "the same, but two are asleep", 12, 12, 0, 0, 2, true, false, true, 6 },
        { "the same, before that is found for long", 12, 12, 0, 0, 0, true, false, false, 12 },
        { "more asleep than there are permits", 5, 5, 0, 0, 3, true, false, true, 5 },
        { "some have left since they were counted", 4, 4, 5, 0, 5, true, false, false, 4 },
        { "the same, of those blocked for long", 12, 12, 12, 13, 12, true, true, true, 12 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i += 1) {
        const struct row *row = &rows[i];
        const sq__sample_t sample = { row->permits, 4, 64, row->in_use, row->blocked, row->for_long, row->asleep, row->is_stuck, row->used_little, row->has_surplus };
        unsigned wanted = sq__growth_permits(&sample);
        if (wanted != row->wanted) {
            printf("    %s: %u permits\n", row->what, wanted);
        }
        CHECK_EQUAL(wanted, row->wanted);
    }
}
