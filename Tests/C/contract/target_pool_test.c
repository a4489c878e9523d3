/* target_pool_test.c: a queue with a target shares the threads of the target's pool. */
#include "harness.h"
#include "latch.h"
#include "target.h"

#include <time.h>

enum { TASKS = 64 };

typedef struct shares {
    sq_queue_t *urgent;
    latch_t go;
    size_t ran, before;
} shares_t;

static void look(void *context) {
    shares_t *shares = context;
    shares->before = shares->ran;
}

static void begin(void *context) {
    shares_t *shares = context;
    latch_wait(&shares->go, 1);
    CHECK_EQUAL(sq_async(shares->urgent, look, shares), 0);
}

static void take_a_millisecond(void *context) {
    nanosleep(&(struct timespec){ .tv_nsec = 1200000 }, NULL);
    ((shares_t *)context)->ran += 1;
}

TEST(a_queue_with_a_target_leaves_the_thread_to_an_urgent_queue_after_about_a_millisecond) {
    sq_pool_options_t one = SQ_POOL_OPTIONS_INIT;
    one.threads = 1;
    sq_queue_options_t urgent = SQ_QUEUE_OPTIONS_INIT;
    urgent.pool = sq_pool_create("pool", &one);
    urgent.priority = SQ_PRIORITY_HIGH;
    shares_t shares = { .urgent = sq_queue_create("urgent", &urgent), .go = LATCH_INIT, .before = TASKS };
    sq_queue_t *target = make_target(urgent.pool, 1), *child = make("child", target);
    CHECK_EQUAL(sq_async(child, begin, &shares), 0);
    for (int i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(sq_async(child, take_a_millisecond, &shares), 0);
    }
    latch_bump(&shares.go);
    drain(child);
    drain(shares.urgent);
    CHECK_EQUAL(shares.ran, TASKS);
    CHECK_AT_MOST(shares.before, 16);
    sq_queue_release(target);
    sq_queue_release(child);
    sq_queue_release(shares.urgent);
    sq_pool_release(urgent.pool);
}
