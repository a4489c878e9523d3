/* depth_test.c: the depth that a queue reports while it is busy. */
#include "harness.h"
#include "latch.h"

#include <stdatomic.h>

/* A few tasks, each of which submits the next: the queue is never free, so that the head and the tail of its ring move on
 * through segment after segment, and never more than ABREAST wait. */
enum { ABREAST = 6, READERS = 3, ERROR = 126 /* what sq_stats.h allows besides what comes and goes */ };

typedef struct stream {
    sq_queue_t *queue;
    size_t left;     /* the queue's */
    sq_time_t until; /* on a slow machine it ends before */
    atomic_bool over;
} stream_t;

static void submit_next(void *context) {
    stream_t *stream = context;
    if (stream->left == 0) {
        stream->over = true;
        return;
    }
    stream->left -= 1;
    if (stream->left % 1024 == 0 && sq_deadline(0) > stream->until) {
        stream->left = 0;
    }
    CHECK_EQUAL(sq_async(stream->queue, submit_next, stream), 0);
}

static void *read_depths(void *argument) {
    stream_t *stream = argument;
    while (!stream->over) {
        sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
        sq_queue_stats(stream->queue, &stats);
        CHECK_AT_MOST(stats.depth, ABREAST + ERROR);
        CHECK_AT_MOST(stats.highest_depth, ABREAST + ERROR);
        CHECK_AT_MOST(sq_queue_depth(stream->queue), ABREAST + ERROR);
    }
    return NULL;
}

/* A reader that loses its processor between looking at the tail and at the head must not count as waiting what was consumed
 * meanwhile. There are more readers than processors, so it happens all the time. */
TEST(a_depth_read_from_outside_is_never_far_more_than_can_wait) {
    stream_t stream = { sq_queue_create("stream", NULL), scaled(30000000), sq_deadline(10 * 1000000000ull), false };
    REQUIRE(stream.queue != NULL);
    hold_t hold;
    hold_async(&hold, stream.queue);
    for (size_t i = 0; i < ABREAST; i += 1) {
        CHECK_EQUAL(sq_async(stream.queue, submit_next, &stream), 0);
    }
    pthread_t readers[READERS];
    for (size_t i = 0; i < READERS; i += 1) {
        readers[i] = spawn(read_depths, &stream);
    }
    hold_end(&hold);
    for (size_t i = 0; i < READERS; i += 1) {
        join(readers[i]);
    }
    drain(stream.queue);
    sq_queue_release(stream.queue);
}
