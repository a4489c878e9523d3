/* ours.c: this library. */
#include "harness.h"

#include <serial_queue.h>
#include <stdlib.h>

typedef sq_queue_t *contender_queue_t;

#ifndef VARIANT
#define VARIANT "ours"
#endif
#if __has_include(<sq_pool.h>)
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, "" };
#else
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC | BENCH_SYNC, "the pool is not there yet" };
#endif

static contender_queue_t create_with(const sq_queue_options_t *options) {
    sq_queue_t *queue = sq_queue_create("bench", options);
    if (!queue) bench_fail("sq_queue_create failed.");
    return queue;
}

static contender_queue_t contender_create(void) { return create_with(NULL); }

static contender_queue_t contender_create_shared(void) {
#if __has_include(<sq_pool.h>)
    static sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    if (!options.pool) options.pool = sq_pool_shared();
    return create_with(&options);
#else
    return contender_create();
#endif
}

static void contender_release(contender_queue_t queue) { sq_queue_release(queue); }

static void contender_async(contender_queue_t queue, const bench_task_t *task) {
    if (sq_async(queue, task->function, task->context) != 0) bench_fail("sq_async failed.");
}

static void contender_sync(contender_queue_t queue, const bench_task_t *task) {
    if (sq_sync(queue, task->function, task->context) != 0) bench_fail("sq_sync failed.");
}

#include "scenarios.h"
