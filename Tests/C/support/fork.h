/* fork.h: new queues in the child of a fork, which must work. */
#ifndef FORK_H
#define FORK_H

#include "caller.h"
#include "child.h"
#include "inject.h"

/* New queues in the child: everything once, threads and waits included. */
typedef struct cross {
    sq_queue_t *mine, *yours;
    latch_t *holding;
    int error;
} cross_t;

static inline void cross_over(void *context) {
    cross_t *cross = context;
    latch_bump(cross->holding);
    latch_wait(cross->holding, 2);
    cross->error = sq_sync(cross->yours, do_nothing, NULL);
}

static inline void *hold_and_cross(void *argument) {
    cross_t *cross = argument;
    CHECK_EQUAL(sq_sync(cross->mine, cross_over, cross), 0);
    return NULL;
}

static inline int use_new_queues(void *context) {
    (void)context;
    int wrong = 0;
    size_t ran = 0;
    sq_queue_t *a = make_queue_of("a", 0), *b = make_queue_of("b", 3);
    hold_t hold;
    hold_async(&hold, a);
    for (int i = 0; i < 300; i += 1) {
        wrong += !CHECK_EQUAL(sq_async(a, add_one, &ran), 0);
    }
    wrong += !CHECK_EQUAL(sq_sync_until(a, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    hold_end(&hold);
    wrong += !CHECK_EQUAL(sq_run_and_wait(a, SQ_FOREVER, add_one, &ran), 0);
    for (int i = 0; i < 50; i += 1) {
        wrong += !CHECK_EQUAL(sq_async_until(b, SQ_FOREVER, &(sq_task_t){ do_nothing, NULL, NULL }), 0);
    }
    latch_t holding = LATCH_INIT;
    cross_t crosses[2] = { { a, b, &holding, -1 }, { b, a, &holding, -1 } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i += 1) {
        threads[i] = spawn(hold_and_cross, &crosses[i]);
    }
    for (int i = 0; i < 2; i += 1) {
        join(threads[i]);
    }
    wrong += !CHECK_EQUAL((crosses[0].error == EDEADLK) + (crosses[1].error == EDEADLK), 1);
    wrong += !CHECK_EQUAL((crosses[0].error == 0) + (crosses[1].error == 0), 1);
    wrong += !CHECK_EQUAL(sq_suspend(a), 0);
    wrong += !CHECK_EQUAL(sq_resume(a), 0);
    wrong += !CHECK_EQUAL(sq_shutdown(a, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(sq_shutdown(b, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(ran, 301);
    sq_queue_release(a);
    sq_queue_release(b);
    return wrong;
}

#endif
