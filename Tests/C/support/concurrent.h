/* concurrent.h: what the tests of concurrent queues share. Everything is static: a program has what it uses. */
#ifndef CONCURRENT_H
#define CONCURRENT_H

#include "caller.h"

static inline sq_queue_t *make_concurrent_on(sq_pool_t *pool, size_t width) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.width = width;
    sq_queue_t *queue = sq_queue_create("concurrent", &options);
    REQUIRE(queue != NULL);
    return queue;
}

/* On a pool of its own, which ends with it. */
static inline sq_queue_t *make_concurrent(size_t threads, size_t width) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = threads;
    sq_pool_t *pool = sq_pool_create("pool", &options);
    REQUIRE(pool != NULL);
    sq_queue_t *queue = make_concurrent_on(pool, width);
    sq_pool_release(pool);
    return queue;
}

/* A task that says that it runs, and stays until it may leave. */
typedef struct stay {
    latch_t entered, leave;
} stay_t;

#define STAY_INIT { LATCH_INIT, LATCH_INIT }

static inline void stay(void *context) {
    stay_t *stay = context;
    latch_bump(&stay->entered);
    latch_wait(&stay->leave, 1);
}

/* A sync call, as a reader or as a barrier, by a thread of its own. */
typedef struct visitor {
    sq_queue_t *queue;
    bool is_barrier;
    sq_time_t deadline;
    sq_function_t function;
    void *context;
    int error;
    pthread_t thread;
    atomic_int thread_id;
    char report[1024]; /* of a deadlock */
} visitor_t;

static void *visit(void *argument) {
    visitor_t *visitor = argument;
    visitor->thread_id = gettid();
    visitor->error = (visitor->is_barrier ? sq_sync_barrier_until : sq_sync_until)(visitor->queue, visitor->deadline,
                                                                                    visitor->function, visitor->context);
    snprintf(visitor->report, sizeof visitor->report, "%s", sq_deadlock_report());
    return NULL;
}

static inline void visitor_start(visitor_t *visitor, sq_queue_t *queue, bool is_barrier, sq_function_t function, void *context) {
    sq_time_t deadline = visitor->deadline != 0 ? visitor->deadline : SQ_FOREVER;
    *visitor = (visitor_t){ queue, is_barrier, deadline, function, context, -1, 0, 0, "" };
    visitor->thread = spawn(visit, visitor);
}

static inline int visitor_end(visitor_t *visitor) {
    join(visitor->thread);
    return visitor->error;
}

static inline void bump(void *latch) { latch_bump(latch); }

#endif
