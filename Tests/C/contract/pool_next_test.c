/* pool_next_test.c: a queue that a task on a pool submits to. It runs next on the task's thread, or on another one if the task does not end. */
#include "caller.h"
#include "sq_pool.h"
#include "pools.h"

#include <stdatomic.h>

enum { BLOCKS = 300, HOPS = 20000, VISITS = 200 };

typedef struct pair {
    sq_queue_t *queues[2];
    latch_t ran;
    atomic_bool ends;
    size_t hops, most; /* by the tasks, of which one runs at a time */
} pair_t;

static sq_pool_t *begin_pair(pair_t *pair, size_t threads) {
    sq_pool_t *pool = make_pool(threads);
    *pair = (pair_t){ .queues = { queue_on(pool, "to", 0), queue_on(pool, "fro", 0) }, .ran = LATCH_INIT };
    return pool;
}

static void end_pair(pair_t *pair, sq_pool_t *pool) {
    sq_queue_release(pair->queues[0]);
    sq_queue_release(pair->queues[1]);
    sq_pool_release(pool);
}

static void ran(void *context) {
    pair_t *pair = context;
    latch_bump(&pair->ran);
}

static void submit_and_block(void *context) {
    pair_t *pair = context;
    size_t before = latch_value(&pair->ran);
    CHECK_EQUAL(sq_async(pair->queues[1], ran, pair), 0);
    latch_wait(&pair->ran, before + 1);
}

TEST(what_a_task_submits_to_runs_while_the_task_blocks) {
    for (size_t threads = 2; threads <= 5; threads += 1) {
        pair_t pair;
        sq_pool_t *pool = begin_pair(&pair, threads);
        for (size_t i = 0; i < BLOCKS; i += 1) {
            CHECK_EQUAL(sq_async(pair.queues[0], submit_and_block, &pair), 0);
            if (i % 2 == 0) {
                drain(pair.queues[0]);
            }
        }
        drain(pair.queues[0]);
        CHECK_EQUAL(latch_value(&pair.ran), BLOCKS);
        end_pair(&pair, pool);
    }
}

static void fro(void *context);

static void hop(pair_t *pair, sq_queue_t *queue, sq_function_t function) {
    pair->hops += 1;
    if (atomic_load(&pair->ends) || pair->hops == pair->most) {
        latch_bump(&pair->ran);
    } else {
        CHECK_EQUAL(sq_async(queue, function, pair), 0);
    }
}

static void to(void *context) { hop(context, ((pair_t *)context)->queues[1], fro); }
static void fro(void *context) { hop(context, ((pair_t *)context)->queues[0], to); }

/* The count is no atomic: ThreadSanitizer sees whether each task sees the writes of the one that has submitted it. */
TEST(queues_that_submit_to_each_other_run_each_task_once) {
    for (size_t threads = 1; threads <= 5; threads += 1) {
        pair_t pair;
        sq_pool_t *pool = begin_pair(&pair, threads);
        pair.most = HOPS;
        CHECK_EQUAL(sq_async(pair.queues[0], to, &pair), 0);
        latch_wait(&pair.ran, 1);
        CHECK_EQUAL(pair.hops, HOPS);
        end_pair(&pair, pool);
    }
}

/* While anything waits in the list, no entry goes through the slot, and the searcher is called. */
TEST(queues_that_submit_to_each_other_without_end_starve_no_other) {
    for (size_t threads = 1; threads <= 3; threads += 1) {
        pair_t pair;
        sq_pool_t *pool = begin_pair(&pair, threads);
        sq_queue_t *other = queue_on(pool, "other", 0);
        CHECK_EQUAL(sq_async(pair.queues[0], to, &pair), 0);
        for (size_t i = 0; i < VISITS; i += 1) {
            CHECK_EQUAL(sq_run_and_wait(other, SQ_FOREVER, do_nothing, NULL), 0);
        }
        atomic_store(&pair.ends, true);
        latch_wait(&pair.ran, 1);
        sq_queue_release(other);
        end_pair(&pair, pool);
    }
}

static void submit_and_wait(void *context) {
    pair_t *pair = context;
    CHECK_EQUAL(sq_async(pair->queues[1], ran, pair), 0);
    CHECK_EQUAL(sq_run_and_wait(pair->queues[1], SQ_FOREVER, do_nothing, NULL), 0);
}

TEST(a_task_can_wait_for_a_queue_that_it_has_just_submitted_to) {
    for (size_t threads = 1; threads <= 3; threads += 1) {
        pair_t pair;
        sq_pool_t *pool = begin_pair(&pair, threads);
        for (size_t i = 0; i < BLOCKS; i += 1) {
            CHECK_EQUAL(sq_async(pair.queues[0], submit_and_wait, &pair), 0);
        }
        drain(pair.queues[0]);
        CHECK_EQUAL(latch_value(&pair.ran), BLOCKS);
        end_pair(&pair, pool);
    }
}
