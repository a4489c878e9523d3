/* ours.c: this library. */
#include "harness.h"

#include <serial_queue.h>
#include <stdlib.h>

typedef sq_queue_t *contender_queue_t;

#define CONTENDER_OURS
#ifndef VARIANT
#define VARIANT "ours"
#endif
#ifdef ON_POOL /* only what differs from a queue with default options */
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC, "as ours" };
#else
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, "" };
#define CONTENDER_HAS_TIMERS
#endif

static contender_queue_t create_with(const sq_queue_options_t *options) {
    sq_queue_t *queue = sq_queue_create("bench", options);
    if (!queue) bench_fail("sq_queue_create failed.");
    return queue;
}

#if defined(ON_POOL)
static contender_queue_t contender_create_shared(void);
static contender_queue_t contender_create(void) { return contender_create_shared(); }
#elif defined(ON_LOOP) /* a loop pool, which a thread runs forever */
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

#define CONTENDER_COPIES
typedef struct waited {
    const bench_task_t *task;
    sq_semaphore_t *done;
} waited_t;

static void run_and_signal(void *context) {
    waited_t *waited = (waited_t *)context;
    waited->task->function(waited->task->context);
    sq_semaphore_signal(waited->done);
}

static void contender_async_wait(contender_queue_t queue, const bench_task_t *task) {
    static sq_semaphore_t *done; /* one thread calls */
    if (!done) done = sq_semaphore_create("done", 0);
    waited_t waited = { task, done };
    if (sq_async(queue, run_and_signal, &waited) != 0 || sq_semaphore_wait(done, SQ_FOREVER) != 0) bench_fail("sq_async failed.");
}

#define CONTENDER_HAS_CAPACITY
typedef sq_queue_t *contender_bounded_t;

static contender_bounded_t contender_bounded_create(size_t capacity) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = capacity;
#ifdef ON_POOL
    options.pool = sq_pool_shared();
#endif
    return create_with(&options);
}

static void contender_bounded_async(contender_bounded_t queue, const bench_task_t *task) {
    if (sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ task->function, task->context, NULL }) != 0) bench_fail("sq_async_until failed.");
}

#ifdef CONTENDER_HAS_TIMERS
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
static void contender_timers_ended(void) { }
#endif

#include "scenarios.h"
