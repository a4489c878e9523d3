/* item_scene.h: an item, two queues, and the calls of an item's scenario. Queue 0 is the one that the scenarios shut down and release. */
#ifndef ITEM_SCENE_H
#define ITEM_SCENE_H

#include "scenario.h"

typedef struct item_scene {
    sq_item_t *item;
    sq_queue_t *queues[2];
    bool syncs;           /* in its run: onto queue 0 */
    bool retains;         /* in its run: itself */
    bool releases;        /* in its run: itself */
    bool syncs_discarded; /* in its discard function, on its canceller's thread: onto queue 1 */
    bool gives_item, gives_queue; /* a thread of the scenario releases it */
} item_scene_t;

extern item_scene_t scene;

/* Fails unless the error is 0 or one of these. */
void scene_allow(int error, int also, int or_also);
void scene_do_nothing(void *unused);

int scene_submit(unsigned queue);
void scene_cancel(void);
void scene_wait(sq_time_t deadline, int also);
void scene_await(bool withdraws);
void scene_notify(int number); /* of one thread, in the order of their numbers */
void scene_shut_down(sq_shutdown_mode_t mode);

/* If is_wide, queue 0 is a concurrent one. Makes all, calls `first`, runs the threads, and checks what is left. The list of threads ends with NULL. */
void scene_run(void (*const threads[])(void *), void (*first)(void), size_t capacity, bool is_wide);

#endif
