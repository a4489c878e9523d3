/* libdispatch.c: the toolchain's libdispatch, by its function-pointer calls.
 *
 * Used as its documentation says to: a serial queue without options, which runs on the default overcommit root queue.
 * What else was tried is in ../README.md; none of it was faster. */
#include "harness.h"

#include <dispatch/dispatch.h>
#include <stdlib.h>

typedef dispatch_queue_t contender_queue_t;

static const bench_contender_t contender = { "libdispatch", BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, "" };

static contender_queue_t contender_create(void) { return dispatch_queue_create("bench", DISPATCH_QUEUE_SERIAL); }
static contender_queue_t contender_create_shared(void) { return contender_create(); }
static void contender_release(contender_queue_t queue) { dispatch_release(queue); }

static void contender_async(contender_queue_t queue, const bench_task_t *task) {
    dispatch_async_f(queue, task->context, task->function);
}

static void contender_sync(contender_queue_t queue, const bench_task_t *task) {
    dispatch_sync_f(queue, task->context, task->function);
}

#include "scenarios.h"
