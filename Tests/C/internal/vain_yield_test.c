/* vain_yield_test.c: a runner yields, and callers come meanwhile: it was no gain if they fell asleep. */
#include "caller.h"
#include "thread/spin.h"

/* How many yields in a row this thread leaves out now. */
static unsigned yields_left_out(void) {
    unsigned count = 0;
    while (sq__spin_begin(SQ__SPIN_WORKER_YIELD, 1) == 0) {
        count += 1;
    }
    return count;
}

typedef struct scene {
    sq_queue_t *queue;
    way_t way;
    caller_t caller;
} scene_t;

/* A task. When it is over, the caller sleeps in line: by sync for its turn; else for the room of the task that waits. */
static void wait_for_a_caller(void *context) {
    scene_t *scene = context;
    if (scene->way == BY_ROOM) {
        CHECK_EQUAL(sq_async(scene->queue, do_nothing, NULL), 0);
    }
    caller_start(&scene->caller, scene->way, scene->queue, SQ_FOREVER, do_nothing, NULL);
    wait_until_asleep(&scene->caller.thread_id);
    sq__spin_end(SQ__SPIN_WORKER_YIELD, true);
}

TEST(a_look_was_no_gain_if_the_runner_then_wakes_a_caller_that_sleeps_in_line) {
    const way_t ways[] = { BY_SYNC, BY_ROOM };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i += 1) {
        sq_pool_t *pool = sq_pool_create_manual("pool");
        scene_t scene = { .way = ways[i] };
        scene.queue = sq_queue_create("queue", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool, .capacity = 1 });
        REQUIRE(scene.queue != NULL);
        CHECK_EQUAL(sq_async(scene.queue, wait_for_a_caller, &scene), 0);
        CHECK(sq_pool_run(pool) > 0); /* on this thread */
        CHECK_EQUAL(yields_left_out(), 3);
        for (int gain = 0; gain < 2; gain += 1) {
            sq__spin_end(SQ__SPIN_WORKER_YIELD, true);
        }
        CHECK_EQUAL(caller_end(&scene.caller), 0);
        (void)sq_pool_run(pool);
        sq_queue_release(scene.queue);
        sq_pool_release(pool);
    }
}
