/* famine.h: the scenes of the famine tests (sweep.h), in which memory or threads are missing: a thread that holds the queue, and the table
 * of scenes. */
#ifndef TEST_FAMINE_H
#define TEST_FAMINE_H

#include "caller.h"
#include "sweep.h"

/* Another thread holds the queue, and leaves it when the scene's thread sleeps in its wait, or was refused. */
typedef struct intruder {
    hold_t hold;
    atomic_int waiter;
    pthread_t leaver;
} intruder_t;

static inline void *leave_in_time(void *argument) {
    intruder_t *intruder = argument;
    wait_until_asleep(&intruder->waiter); /* the end of a refused call is a join: asleep as well */
    hold_end(&intruder->hold);
    return NULL;
}

static inline void intrude(intruder_t *intruder, sq_queue_t *queue, bool by_runner) {
    if (by_runner) {
        hold_async(&intruder->hold, queue);
    } else {
        hold_sync(&intruder->hold, queue);
    }
    intruder->waiter = 0;
    intruder->leaver = spawn(leave_in_time, intruder);
}

static inline void go_with(intruder_t *intruder) { intruder->waiter = gettid(); }

static inline void leave(intruder_t *intruder) { join(intruder->leaver); }
/* A scene is over when its call has worked twice: in the famine or after it, and once more. */
typedef struct scene {
    const char *name;
    void (*play)(trial_t *trial);
} scene_t;

#define SCENE(name) { #name, name }

/* Defines what sweep.h asks for. */
#define SCENES(...)                                                                               \
    static const scene_t scenes[] = { __VA_ARGS__ };                                              \
    void play(size_t scene, trial_t *trial) { scenes[scene].play(trial); }                        \
    const char *name_of(size_t scene) { return scenes[scene].name; }                              \
    enum { SCENE_COUNT = sizeof scenes / sizeof scenes[0] };

#endif
