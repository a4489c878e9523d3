/* helps.h: a queue on a pool of one thread, of a class of service, and callers that may help it. Everything is static: a program has what it uses. */
#ifndef HELPS_H
#define HELPS_H

#include "caller.h"
#include "pool/caller_runs.h"
#include "pools.h"
#include "sq_current.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

typedef struct scene {
    sq_pool_t *pool; /* one thread, of the background class */
    sq_queue_t *queue;
    hold_t hold;
    pthread_t runners[8];
    bool was_current[8];
    size_t ran, discarded;
    int error;
} scene_t;

static inline void scene_create(scene_t *scene, sq_service_t service, bool helps) {
    sq_pool_options_t of_pool = SQ_POOL_OPTIONS_INIT;
    of_pool.threads = 1;
    of_pool.service = service;
    *scene = (scene_t){ .pool = sq_pool_create("of a class", &of_pool), .hold = HOLD_INIT };
    REQUIRE(scene->pool != NULL);
    sq_queue_options_t of_queue = SQ_QUEUE_OPTIONS_INIT;
    of_queue.pool = scene->pool;
    of_queue.helps = helps;
    scene->queue = sq_queue_create("helped", &of_queue);
    REQUIRE(scene->queue != NULL);
}

static inline void scene_destroy(scene_t *scene) {
    sq_queue_release(scene->queue);
    sq_pool_release(scene->pool);
}

static inline void note_runner(void *context) {
    scene_t *scene = context;
    scene->was_current[scene->ran] = sq_is_current(scene->queue);
    scene->runners[scene->ran++] = pthread_self();
}

static inline void note_discard(void *context) { ((scene_t *)context)->discarded += 1; }

static inline void submit(scene_t *scene, size_t tasks) {
    for (size_t i = 0; i < tasks; i += 1) {
        CHECK_EQUAL(sq_async_task(scene->queue, &(sq_task_t){ note_runner, scene, note_discard }), 0);
    }
}

static inline void *sync_onto(void *context) {
    scene_t *scene = context;
    scene->error = sq_sync(scene->queue, note_runner, scene);
    return NULL;
}

static inline void wait_until_listed(const sq_pool_t *pool) {
    while (!sq__pool_has_listed(pool)) {
        sched_yield();
    }
}

#endif
