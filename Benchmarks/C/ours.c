/* ours.c: this library. */
#include "harness.h"

#include <serial_queue.h>
#include <stdlib.h>

typedef sq_queue_t *contender_queue_t;

#ifndef VARIANT
#define VARIANT "ours"
#endif
#if __has_include(<sq_timer.h>)
#define TIMERS BENCH_TIMER
#else
#define TIMERS 0
#endif
#if __has_include(<sq_pool.h>)
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC | BENCH_SYNC | BENCH_MANY | TIMERS | BENCH_ASYNC_AND_WAIT, "" };
#else
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC | BENCH_SYNC | TIMERS, "the pool is not there yet" };
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

#define CONTENDER_HAS_ASYNC_AND_WAIT
static void contender_async_and_wait(contender_queue_t queue, const bench_task_t *task) {
    if (sq_async_and_wait(queue, SQ_FOREVER, task->function, task->context) != 0) bench_fail("sq_async_and_wait failed.");
}

#if __has_include(<sq_timer.h>)
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
#endif

#include "scenarios.h"
