/* once_nested_test.c: a thread inside the functions of two onces, one in the other, that waits for a queue whose task waits for a once. */
#include "caller.h"
#include "sq_once.h"

/* A task of `queue`, or the inner function, that waits. */
typedef struct waiter {
    latch_t entered, go;
    atomic_int thread_id;
    int error;
} waiter_t;

#define WAITER { LATCH_INIT, LATCH_INIT, 0, -1 }

typedef struct nested {
    sq_once_t outer, inner;
    sq_once_t *awaited; /* by the task */
    sq_queue_t *queue;
    waiter_t function, task;
} nested_t;

static void enter(waiter_t *waiter) {
    latch_bump(&waiter->entered);
    latch_wait(&waiter->go, 1);
    waiter->thread_id = gettid();
}

static void sync_onto_queue(void *context) {
    nested_t *nested = context;
    enter(&nested->function);
    nested->function.error = sq_sync(nested->queue, do_nothing, NULL);
}

static void run_inner(void *context) { CHECK_EQUAL(sq_once(&((nested_t *)context)->inner, sync_onto_queue, context), 0); }

static void *run_outer(void *context) {
    CHECK_EQUAL(sq_once(&((nested_t *)context)->outer, run_inner, context), 0);
    return NULL;
}

static void wait_for_once(void *context) {
    nested_t *nested = context;
    enter(&nested->task);
    nested->task.error = sq_once(nested->awaited, must_not_run, NULL);
}

/* Both are where they begin to wait. */
static pthread_t nested_begin(nested_t *nested, sq_once_t *awaited) {
    *nested = (nested_t){ .outer = SQ_ONCE_INIT, .inner = SQ_ONCE_INIT, .awaited = awaited != NULL ? awaited : &nested->outer,
                          .queue = make_queue_of("nested", 0), .function = WAITER, .task = WAITER };
    pthread_t thread = spawn(run_outer, nested);
    latch_wait(&nested->function.entered, 1);
    CHECK_EQUAL(sq_async(nested->queue, wait_for_once, nested), 0);
    latch_wait(&nested->task.entered, 1);
    return thread;
}

static void let_wait(waiter_t *waiter) {
    latch_bump(&waiter->go);
    wait_until_asleep(&waiter->thread_id);
}

static void nested_end(nested_t *nested, pthread_t thread) {
    join(thread);
    drain(nested->queue);
    sq_queue_release(nested->queue);
}

TEST(a_cycle_that_the_thread_inside_the_outer_once_closes_is_refused) {
    nested_t nested;
    pthread_t thread = nested_begin(&nested, NULL);
    let_wait(&nested.task);
    latch_bump(&nested.function.go);
    nested_end(&nested, thread);
    CHECK_EQUAL(nested.function.error, EDEADLK);
    CHECK_EQUAL(nested.task.error, 0);
}

TEST(a_wait_for_another_once_is_no_cycle) {
    nested_t nested, busy;
    pthread_t holder = nested_begin(&busy, NULL); /* inside busy.outer until it may go */
    pthread_t thread = nested_begin(&nested, &busy.outer);
    let_wait(&nested.function);
    let_wait(&nested.task);
    CHECK_EQUAL(nested.task.error, -1);
    latch_bump(&busy.function.go);
    latch_bump(&busy.task.go);
    nested_end(&nested, thread);
    CHECK_EQUAL(nested.function.error, 0);
    CHECK_EQUAL(nested.task.error, 0);
    nested_end(&busy, holder); /* which was a cycle: one of its two waits was refused */
}
