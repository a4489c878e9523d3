/* explore_scene.h: two queues and a semaphore, and which outcomes of a small program are possible. */
#ifndef EXPLORE_SCENE_H
#define EXPLORE_SCENE_H

#include "explore.h"

#include "sq_semaphore.h"

/* How often each outcome was seen, over all schedules. */
static size_t outcomes[8];

/* All schedules of the program pass, and see just the outcomes that are named. */
static inline void check_outcomes_of(const char *name, program_t program, const char *expected) {
    char found[9] = "", *end = found;
    memset(outcomes, 0, sizeof outcomes);
    check_passed(explore(name, program, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 100000)), true);
    for (int i = 0; i < 8; i += 1) {
        if (outcomes[i] > 0) {
            *end++ = (char)('0' + i);
        }
    }
    CHECK_STRING(found, expected);
}

typedef struct scene {
    sq_pool_t *pool;
    sq_queue_t *a, *b;
    sq_semaphore_t *semaphore;
    int value, copy, first;
} scene_t;

static inline scene_t scene_on(sq_pool_t *pool) {
    scene_t scene = { .pool = pool, .a = queue_on(pool, "a", 0), .b = queue_on(pool, "b", 0),
                      .semaphore = sq_semaphore_create("permits", 0) };
    REQUIRE(scene.semaphore != NULL);
    return scene;
}

static inline void end_scene(const scene_t *scene) {
    sq_queue_release(scene->a);
    sq_queue_release(scene->b);
    sq_semaphore_release(scene->semaphore);
}

static inline void signal_permit(void *context) { CHECK_EQUAL(sq_semaphore_signal(((scene_t *)context)->semaphore), 0); }

#endif
