/* ours.c: this library. */
#include "harness.h"

#include <serial_queue.h>
#include <stdlib.h>

typedef sq_queue_t *contender_queue_t;

#define CONTENDER_OURS
#ifndef VARIANT
#define VARIANT "ours"
#endif
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, "" };

static contender_queue_t create_with(const sq_queue_options_t *options) {
    sq_queue_t *queue = sq_queue_create("bench", options);
    if (!queue) bench_fail("sq_queue_create failed.");
    return queue;
}

#ifdef ON_LOOP /* a loop pool, which a thread runs forever */
#include <pthread.h>

static void *loop_main(void *pool) {
    sq_pool_run_forever((sq_pool_t *)pool);
    return NULL;
}

static contender_queue_t contender_create(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    pthread_t thread;
    options.pool = sq_pool_create_loop("bench");
    if (!options.pool || pthread_create(&thread, NULL, loop_main, options.pool) != 0) bench_fail("A loop could not be made.");
    return create_with(&options);
}
#else
static contender_queue_t contender_create(void) { return create_with(NULL); }
#endif

static contender_queue_t contender_create_shared(void) {
    static sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    if (!options.pool) options.pool = sq_pool_shared();
    return create_with(&options);
}

static void contender_release(contender_queue_t queue) { sq_queue_release(queue); }

static void contender_async(contender_queue_t queue, const bench_task_t *task) {
    if (sq_async(queue, task->function, task->context) != 0) bench_fail("sq_async failed.");
}

static void contender_sync(contender_queue_t queue, const bench_task_t *task) {
    if (sq_sync(queue, task->function, task->context) != 0) bench_fail("sq_sync failed.");
}

#define CONTENDER_HAS_TIMERS
typedef sq_timer_t *contender_timer_t;

static void contender_after(contender_queue_t queue, uint64_t nanoseconds, const bench_task_t *task) {
    if (sq_async_after(queue, nanoseconds, task->function, task->context) != 0) bench_fail("sq_async_after failed.");
}

static contender_timer_t contender_timer_start(contender_queue_t queue, uint64_t nanoseconds, const bench_task_t *task,
                                               const bench_task_t *gone) {
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ task->function, task->context, gone->function });
    if (!timer || sq_timer_start(timer, nanoseconds, 0, 0) != 0) bench_fail("A timer could not be started.");
    return timer;
}

static void contender_timer_end(contender_timer_t timer) { sq_timer_release(timer); }

#include "scenarios.h"
