/* depth_test.c: what a queue says of its depth while it is busy. */
#include "harness.h"
#include "latch.h"

static sq_queue_stats_t stats_of(const sq_queue_t *queue) {
    sq_queue_stats_t stats;
    sq_queue_stats(queue, &stats);
    return stats;
}

typedef struct watched {
    sq_queue_t *queue;
    size_t tasks;
} watched_t;

/* Each thread has at most two tasks underway, an async and a sync. A reader that loses its processor between looking at the
 * tail and at the head must not take all that passed meanwhile for waiting; the header allows it to be off by a segment.
 * To see it fail: in sq__ring_depth, read the head first. */
static void *submit_two_by_two(void *argument) {
    watched_t *watched = argument;
    for (size_t i = 0; i < watched->tasks; i += 1) {
        CHECK_EQUAL(sq_async(watched->queue, do_nothing, NULL), 0);
        drain(watched->queue);
    }
    return NULL;
}

TEST(a_depth_read_from_outside_is_never_far_more_than_can_wait) {
    enum { THREADS = 3, MOST = 2 * THREADS + 126 };
    watched_t watched = { sq_queue_create("watched", NULL), scaled(30000) };
    REQUIRE(watched.queue != NULL);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(submit_two_by_two, &watched);
    }
    sq_queue_stats_t now;
    do {
        now = stats_of(watched.queue);
        CHECK_AT_MOST(now.depth, MOST);
        CHECK_AT_MOST(now.highest_depth, MOST);
        CHECK_AT_MOST(sq_queue_depth(watched.queue), MOST);
    } while (now.ran < 2 * THREADS * watched.tasks);
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    sq_queue_release(watched.queue);
}
