/* shards_test.c: pools whose permits are in several shards (pool/shards.h), with ready entries of the test's own. What all their threads can see is
 * explored: Tests/Explore/scenarios/shards.c. How such a pool grows: growth_test.c, whose pools of three permits have two shards. */
#include "harness.h"
#include "latch.h"
#include "pool/pool.h"
#include "pool/pool_internal.h"
#include "thread/self.h"

#include <sched.h>
#include <stdatomic.h>

typedef struct scene scene_t;

typedef struct work {
    sq__ready_t entry;
    sq__ready_end_t (*run)(struct work *work);
    scene_t *scene;
    unsigned number;
} work_t;

struct scene {
    sq__pool_t *pool;
    latch_t came, gate, left;
    work_t work[16];
    atomic_uint next, order[16];
    atomic_bool is_over;
};

static sq__ready_end_t call(sq__ready_t *entry, size_t batch, size_t *ran) {
    (void)batch;
    work_t *work = (work_t *)((char *)entry - offsetof(work_t, entry));
    *ran += 1;
    return work->run(work);
}

static void begin(scene_t *scene, size_t permits, size_t shard_permits) {
    *scene = (scene_t){ .came = LATCH_INIT, .gate = LATCH_INIT, .left = LATCH_INIT };
    const sq__pool_plan_t plan = { .call = call, .label = "in shards", .permits = permits, .most = permits, .shard_permits = shard_permits };
    REQUIRE(sq__pool_create(&scene->pool, &plan) == 0);
    CHECK_EQUAL(scene->pool->count, permits / shard_permits);
}

static void post(scene_t *scene, unsigned number, sq__level_t level, sq__ready_end_t (*run)(work_t *work)) {
    scene->work[number] = (work_t){ { NULL }, run, scene, number };
    sq__pool_post(scene->pool, level, &scene->work[number].entry);
}

static const sq__shard_t *own_shard(void) { return sq__self()->pool_worker->shard; }

static sq__ready_end_t leave(work_t *work) {
    latch_bump(&work->scene->left);
    return SQ__READY_GONE;
}

static sq__ready_end_t block(work_t *work) {
    latch_bump(&work->scene->came);
    latch_wait(&work->scene->gate, 1);
    return leave(work);
}

TEST(what_one_thread_posts_runs_on_the_permits_of_all_shards) {
    scene_t scene;
    begin(&scene, 8, 2);
    for (unsigned i = 0; i < 16; i += 1) {
        post(&scene, i, SQ__LEVEL_NORMAL, block);
    }
    latch_wait(&scene.came, 8);
    latch_bump(&scene.gate);
    latch_wait(&scene.left, 16);
    sq__pool_release(scene.pool);
}

/* The scene's first entry is on another pool, and posts the others to the pool of `others`. */
static scene_t *others;

static sq__ready_end_t post_to_others(work_t *work) {
    for (unsigned i = 4; i < 8; i += 1) {
        post(others, i, SQ__LEVEL_NORMAL, leave);
    }
    return leave(work);
}

TEST(what_a_task_of_another_pool_posts_waits_in_all_shards) {
    scene_t scene, other;
    begin(&scene, 4, 2);
    begin(&other, 1, 1);
    others = &scene;
    for (unsigned i = 0; i < 4; i += 1) {
        post(&scene, i, SQ__LEVEL_NORMAL, block);
    }
    latch_wait(&scene.came, 4);
    post(&other, 0, SQ__LEVEL_NORMAL, post_to_others);
    latch_wait(&other.left, 1);
    for (unsigned i = 0; i < 2; i += 1) {
        CHECK(sq__load_relaxed(&scene.pool->shards[i].waiting) > 0);
    }
    latch_bump(&scene.gate);
    latch_wait(&scene.left, 8);
    sq__pool_release(scene.pool);
    sq__pool_release(other.pool);
}

static sq__ready_end_t post_and_block(work_t *work) {
    const sq__shard_t *shard = own_shard();
    for (unsigned i = 1; i < 8; i += 1) {
        post(work->scene, i, SQ__LEVEL_NORMAL, block);
    }
    CHECK(own_shard() == shard);
    return block(work);
}

TEST(what_a_task_posts_to_its_own_part_runs_in_the_others) {
    for (size_t round = 0; round < scaled(100); round += 1) {
        scene_t scene;
        begin(&scene, 8, 2);
        post(&scene, 0, SQ__LEVEL_NORMAL, post_and_block);
        latch_wait(&scene.came, 8);
        latch_bump(&scene.gate);
        latch_wait(&scene.left, 8);
        sq__pool_release(scene.pool);
    }
}

static sq__ready_end_t write_down(work_t *work) {
    work->scene->order[work->scene->next++] = work->number;
    return leave(work);
}

/* Number 0 and number 1 are in shards of one permit each, and post to them; 1 blocks then. */
static sq__ready_end_t post_band(work_t *work) {
    scene_t *scene = work->scene;
    latch_bump(&scene->came);
    latch_wait(&scene->came, 2);
    for (unsigned i = 0; i < 3; i += 1) {
        post(scene, 2 + 3 * work->number + i, work->number == 0 ? SQ__LEVEL_LOW : SQ__LEVEL_HIGH, write_down);
    }
    latch_bump(&scene->came);
    latch_wait(&scene->came, 4);
    return work->number == 0 ? leave(work) : block(work);
}

TEST(a_member_takes_a_higher_band_of_another_part_before_its_own) {
    scene_t scene;
    begin(&scene, 2, 1);
    post(&scene, 0, SQ__LEVEL_NORMAL, post_band);
    post(&scene, 1, SQ__LEVEL_NORMAL, post_band);
    latch_wait(&scene.left, 7);
    for (unsigned i = 0; i < 6; i += 1) {
        CHECK_EQUAL(scene.order[i], i < 3 ? 5 + i : 2 + i - 3);
    }
    latch_bump(&scene.gate);
    latch_wait(&scene.left, 8);
    sq__pool_release(scene.pool);
}

/* Always has more to do. In the first shard, one of them posts two that block, and behind them one that wants to run. */
static sq__ready_end_t go_on(work_t *work) {
    scene_t *scene = work->scene;
    if (work->number == 0 && own_shard()->index == 0 && scene->next++ == 0) {
        post(scene, 8, SQ__LEVEL_HIGH, block);
        post(scene, 9, SQ__LEVEL_HIGH, block);
        post(scene, 10, SQ__LEVEL_NORMAL, leave);
    }
    return scene->is_over ? leave(work) : SQ__READY_MORE;
}

/* Workers that always find something in their own shard. */
TEST(an_entry_behind_blocked_members_is_taken_by_busy_ones) {
    scene_t scene;
    begin(&scene, 4, 2);
    for (unsigned i = 0; i < 8; i += 1) {
        post(&scene, i, SQ__LEVEL_NORMAL, go_on);
    }
    latch_wait(&scene.left, 1);
    scene.is_over = true;
    latch_bump(&scene.gate);
    latch_wait(&scene.left, 11);
    sq__pool_release(scene.pool);
}

TEST(a_pool_with_shards_ends_whenever_it_is_released) {
    for (size_t round = 0; round < scaled(300); round += 1) {
        scene_t scene;
        begin(&scene, 6, 2);
        for (unsigned i = 0; i < 12; i += 1) {
            post(&scene, i, SQ__LEVEL_NORMAL, leave);
        }
        latch_wait(&scene.left, 12);
        sq__pool_release(scene.pool);
    }
}
