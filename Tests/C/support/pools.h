/* pools.h: pools, and queues on them, that a test cannot do without. */
#ifndef POOLS_H
#define POOLS_H

#include "harness.h"
#include "sq_pool.h"
#include "sq_queue.h"

static inline sq_pool_t *make_pool(size_t threads) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = threads;
    sq_pool_t *pool = sq_pool_create("test pool", &options);
    REQUIRE(pool != NULL);
    return pool;
}

static inline sq_pool_t *make_manual_pool(void) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    REQUIRE(pool != NULL);
    return pool;
}

static inline sq_queue_t *queue_on(sq_pool_t *pool, const char *label, size_t capacity) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.capacity = capacity;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

#endif
