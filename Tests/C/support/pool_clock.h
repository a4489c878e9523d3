/* pool_clock.h: a pool on a clock that the test advances, and ready entries whose turns the test ends. */
#ifndef POOL_CLOCK_H
#define POOL_CLOCK_H

#include "harness.h"
#include "latch.h"

#include "alarm/alarm.h"
#include "platform/thread.h"
#include "pool/growth_alarm.h"
#include "pool/workers.h"
#include "pool/pool.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"

#include <sched.h>
#include <sys/resource.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct scene {
    sq__pool_t *pool;
    sq__alarms_t *clock, *shared; /* ours; the process's, which the pool had */
    uint64_t now;
    latch_t entered, gate, left;
    atomic_bool computes; /* the entry that does is to continue */
} scene_t;

static inline unsigned count(const scene_t *scene, bool idle) {
    sq__mutex_lock(&scene->pool->shards->lock);
    unsigned found = idle ? scene->pool->shards->idle_workers : scene->pool->shards->workers;
    sq__mutex_unlock(&scene->pool->shards->lock);
    return found;
}

/* Workers become idle or end some time after they are called. */
static inline void wait_until(const scene_t *scene, bool idle, unsigned workers) {
    while (count(scene, idle) != workers) {
        sched_yield();
    }
}

static inline void advance(scene_t *scene, uint64_t nanoseconds) {
    scene->now += nanoseconds;
    while (sq__alarms_advance(scene->clock, scene->now)) {
    }
}

static inline scene_t begin(size_t permits, size_t most, sq__ready_function_t call) {
    scene_t scene = { .entered = LATCH_INIT, .gate = LATCH_INIT, .left = LATCH_INIT };
    const sq__pool_plan_t plan = { .call = call, .label = "on a clock", .permits = permits, .most = most, .shard_permits = permits };
    REQUIRE(sq__pool_create(&scene.pool, &plan) == 0);
    scene.clock = sq__alarms_create();
    REQUIRE(scene.clock != NULL);
    scene.shared = scene.pool->alarms;
    scene.pool->alarms = scene.clock;
    return scene;
}

static inline void end(scene_t *scene) {
    sq__growth_end(scene->pool);
    scene->pool->alarms = scene->shared;
    sq__alarms_destroy(scene->clock);
    sq__pool_release(scene->pool);
}

enum { SHORT_CHECKS = 12, MANY_CHECKS = 40, SHORT = 2000000 }; /* checks: more than an entry needs to count as long; SHORT: nanoseconds between two */

typedef struct turn {
    sq__ready_t entry;
    scene_t *scene;
    latch_t entered, gate;
    bool computes; /* when it has come through its gate */
} turn_t;

static inline sq__ready_end_t stay(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    (void)batch;
    *ran += 1;
    latch_bump(&turn->entered);
    latch_wait(&turn->gate, 1);
    while (turn->computes && turn->scene->computes) {
    }
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

static inline void post(turn_t *turn, scene_t *scene, bool computes) {
    *turn = (turn_t){ { NULL }, scene, LATCH_INIT, LATCH_INIT, computes };
    sq__pool_post(scene->pool, SQ__LEVEL_NORMAL, &turn->entry);
}

/* Permits, and workers that are blocked in their job. */
static inline unsigned permits(const scene_t *scene, unsigned *blocked) {
    *blocked = 0;
    sq__mutex_lock(&scene->pool->shards->lock);
    for (sq__pool_worker_t *worker = scene->pool->shards->all; worker != NULL; worker = worker->next) {
        *blocked += worker->permit == SQ__PERMIT_TAKEN && sq__load_relaxed(&worker->is_working) && sq__thread_state(worker->thread_id) == SQ__THREAD_BLOCKED;
    }
    unsigned found = scene->pool->shards->permits;
    sq__mutex_unlock(&scene->pool->shards->lock);
    return found;
}

static inline void wait_until_blocked(const scene_t *scene, unsigned workers) {
    unsigned blocked = 0;
    while (permits(scene, &blocked) != workers || blocked != workers) {
        usleep(100);
    }
}

/* Returns when each worker in a call has used the processor for so many nanoseconds. A growth check takes 100,000 or more as use; with
 * LITTLE a worker has run, but too briefly for that. */
enum { LITTLE = 1, MUCH = 200000 };

static inline void let_use(const scene_t *scene, uint64_t nanoseconds) {
    uint64_t ids[4], before[4];
    size_t count = 0;
    sq__mutex_lock(&scene->pool->shards->lock);
    for (sq__pool_worker_t *worker = scene->pool->shards->all; worker != NULL; worker = worker->next) {
        if (worker->permit == SQ__PERMIT_TAKEN && sq__load_relaxed(&worker->is_working)) {
            ids[count] = worker->thread_id;
            before[count] = sq__thread_processor_time(worker->thread_id);
            count += 1;
        }
    }
    sq__mutex_unlock(&scene->pool->shards->lock);
    for (size_t i = 0; i < count; i += 1) {
        while (sq__thread_processor_time(ids[i]) < before[i] + nanoseconds) {
            sched_yield();
        }
    }
}

static inline uint64_t used_together(const scene_t *scene) {
    uint64_t used = 0;
    sq__mutex_lock(&scene->pool->shards->lock);
    for (sq__pool_worker_t *worker = scene->pool->shards->all; worker != NULL; worker = worker->next) {
        used += worker->thread_id != 0 ? sq__thread_processor_time(worker->thread_id) : 0;
    }
    sq__mutex_unlock(&scene->pool->shards->lock);
    return used;
}

/* Returns when all workers together have. None of them ends meanwhile. */
static inline void let_use_together(const scene_t *scene, uint64_t nanoseconds) {
    uint64_t end = used_together(scene) + nanoseconds;
    while (used_together(scene) < end) {
        sched_yield();
    }
}

#endif
