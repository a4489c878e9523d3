/* libdispatch.c: the toolchain's libdispatch, by its function-pointer calls.
 *
 * Used as its documentation says to: a serial queue without attributes, which runs on the default overcommit root
 * queue. The other ways to use it are here as well, and `../run.sh libdispatch` measures them all
 * (results/libdispatch.md); the one that makes a difference, ON_GLOBAL_QUEUE, is a contender of its own. */
#include "harness.h"

#include <dispatch/dispatch.h>
#include <stdlib.h>

typedef dispatch_queue_t contender_queue_t;

#define CONTENDER_LIBDISPATCH
#ifndef VARIANT
#define VARIANT "libdispatch"
#endif
static const bench_contender_t contender = { VARIANT, BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, "" };

static contender_queue_t contender_create(void) {
#if defined(ON_GLOBAL_QUEUE) /* not overcommit: shares the global queue's threads, one per processor */
    return dispatch_queue_create_with_target("bench", DISPATCH_QUEUE_SERIAL,
                                             dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0));
#elif defined(WITH_QOS)
    const dispatch_qos_class_t user_interactive = 0x21; /* QOS_CLASS_USER_INTERACTIVE; Linux has no name for it */
    return dispatch_queue_create("bench",
                                 dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_SERIAL, user_interactive, 0));
#else
    return dispatch_queue_create("bench", DISPATCH_QUEUE_SERIAL);
#endif
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }
static void contender_release(contender_queue_t queue) { dispatch_release(queue); }

static void contender_async(contender_queue_t queue, const bench_task_t *task) {
#if defined(BARRIER)
    dispatch_barrier_async_f(queue, task->context, task->function);
#else
    dispatch_async_f(queue, task->context, task->function);
#endif
}

static void contender_sync(contender_queue_t queue, const bench_task_t *task) {
#if defined(BARRIER)
    dispatch_barrier_sync_f(queue, task->context, task->function);
#else
    dispatch_sync_f(queue, task->context, task->function);
#endif
}

#define CONTENDER_COPIES
typedef struct waited {
    const bench_task_t *task;
    dispatch_semaphore_t done;
} waited_t;

static void run_and_signal(void *context) {
    waited_t *waited = (waited_t *)context;
    waited->task->function(waited->task->context);
    dispatch_semaphore_signal(waited->done);
}

static void contender_async_wait(contender_queue_t queue, const bench_task_t *task) {
    static dispatch_semaphore_t done; /* one thread calls */
    if (!done) done = dispatch_semaphore_create(0);
    waited_t waited = { task, done };
    dispatch_async_f(queue, &waited, run_and_signal);
    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
}

#define CONTENDER_HAS_CAPACITY /* by hand, as its users write it: a semaphore with a permit for each place */
typedef dispatch_queue_t contender_bounded_t;
static dispatch_semaphore_t room;
static void (*room_function)(void *);

static void run_and_make_room(void *context) {
    room_function(context);
    dispatch_semaphore_signal(room);
}

static contender_bounded_t contender_bounded_create(size_t capacity) {
    room = dispatch_semaphore_create((long)capacity);
    return contender_create();
}

static void contender_bounded_async(contender_bounded_t queue, const bench_task_t *task) {
    dispatch_semaphore_wait(room, DISPATCH_TIME_FOREVER);
    if (!__atomic_load_n(&room_function, __ATOMIC_RELAXED)) __atomic_store_n(&room_function, task->function, __ATOMIC_RELAXED); /* all tasks have one */
    dispatch_async_f(queue, task->context, run_and_make_room);
}

#define CONTENDER_HAS_TIMERS
typedef dispatch_source_t contender_timer_t;

static void contender_after(contender_queue_t queue, uint64_t nanoseconds, const bench_task_t *task) {
    dispatch_after_f(dispatch_time(DISPATCH_TIME_NOW, (int64_t)nanoseconds), queue, task->context, task->function);
}

static contender_timer_t contender_timer_start(contender_queue_t queue, uint64_t nanoseconds, const bench_task_t *task,
                                               const bench_task_t *gone) {
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    dispatch_set_context(timer, task->context); /* of all its functions */
    dispatch_source_set_event_handler_f(timer, task->function);
    dispatch_source_set_cancel_handler_f(timer, gone->function);
    dispatch_source_set_timer(timer, dispatch_time(DISPATCH_TIME_NOW, (int64_t)nanoseconds), DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(timer);
    return timer;
}

static void contender_timer_end(contender_timer_t timer) {
    dispatch_source_cancel(timer);
    dispatch_release(timer);
}

static void contender_timers_ended(void) { }

#include "scenarios.h"
