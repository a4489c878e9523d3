/* target.h: queues on a target. */
#ifndef TARGET_H
#define TARGET_H

#include "harness.h"

#include "sq_pool.h"
#include "sq_queue.h"

static inline sq_queue_t *make(const char *label, sq_queue_t *target) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = target;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

/* A queue for others. */
static inline sq_queue_t *make_target(sq_pool_t *pool, size_t width) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.width = width;
    sq_queue_t *queue = sq_queue_create("target", &options);
    REQUIRE(queue != NULL);
    return queue;
}

/* One that is concurrent, on a pool of its own, whose threads end with it. */
static inline sq_queue_t *make_wide(size_t width) {
    sq_pool_t *pool = sq_pool_create("pool", NULL);
    sq_queue_t *queue = make_target(pool, width);
    sq_pool_release(pool);
    return queue;
}

/* A manual pool, a target on it, and two queues. */
typedef struct scene {
    sq_pool_t *pool;
    sq_queue_t *target, *a, *b;
} scene_t;

static inline scene_t make_scene(void) {
    scene_t scene = { .pool = sq_pool_create_manual("manual") };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = scene.pool;
    scene.target = sq_queue_create("target", &options);
    scene.a = make("a", scene.target);
    scene.b = make("b", scene.target);
    return scene;
}

static inline void release_scene(scene_t *scene) {
    sq_queue_release(scene->target);
    sq_queue_release(scene->a);
    sq_queue_release(scene->b);
    sq_pool_run(scene->pool);
    sq_pool_release(scene->pool);
}

#endif
