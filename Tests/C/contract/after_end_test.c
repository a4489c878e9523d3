/* after_end_test.c: sq_sync_or_run on a queue that is shut down. */
#include "caller.h"
#include "inject.h"
#include "sq_loop.h"
#include "sq_pool.h"
#include "sq_trace.h"
#include "trace.h"

static sq_queue_t *ended_queue(const char *label) {
    sq_queue_t *queue = make_queue_of(label, 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    return queue;
}

typedef struct visit {
    sq_queue_t *queue, *other;
    size_t ran, inside, together;
    latch_t entered, leave;
    atomic_int thread_id;
    int error;
} visit_t;

static void look_around(void *context) {
    visit_t *visit = context;
    CHECK(sq_current_queue() == visit->queue);
    CHECK(sq_is_current(visit->queue));
    CHECK_EQUAL(sq_sync(visit->queue, must_not_run, NULL), EDEADLK);
    visit->ran += 1;
    if (visit->ran == 1) {
        CHECK_EQUAL(sq_sync_or_run(visit->queue, look_around, visit), 0); /* on the queue already: at once */
    }
}

TEST(after_the_end_it_still_runs_with_the_queue_as_the_current_one) {
    visit_t visit = { .queue = ended_queue("ended") };
    CHECK_EQUAL(sq_sync_or_run(visit.queue, look_around, &visit), 0);
    CHECK_EQUAL(visit.ran, 2);
    CHECK(sq_current_queue() == NULL);
    CHECK_EQUAL(sq_sync(visit.queue, must_not_run, NULL), ESHUTDOWN);
    sq_queue_release(visit.queue);
}

static void be_inside(void *context) {
    visit_t *visit = context;
    visit->together += visit->inside++ != 0; /* not atomic: ThreadSanitizer would see two at a time */
    visit->ran += 1;
    sched_yield();
    visit->inside -= 1;
}

static void *come_often(void *argument) {
    visit_t *visit = argument;
    for (int i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_sync_or_run(visit->queue, be_inside, visit), 0);
    }
    return NULL;
}

TEST(after_the_end_its_functions_exclude_each_other) {
    enum { THREADS = 4 };
    visit_t visit = { .queue = ended_queue("exclusive") };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(come_often, &visit);
    }
    for (int i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(visit.together, 0);
    CHECK_EQUAL(visit.ran, THREADS * 1000);
    sq_queue_release(visit.queue);
}

static void *come_late(void *argument) {
    visit_t *visit = argument;
    latch_bump(&visit->entered);
    visit->error = sq_sync_or_run(visit->queue, add_one, &visit->ran);
    return NULL;
}

TEST(between_shutdown_and_end_it_waits_for_the_end) {
    visit_t visit = { .queue = make_queue_of("ending", 0), .entered = LATCH_INIT };
    size_t before = 0;
    hold_t hold;
    hold_async(&hold, visit.queue);
    CHECK_EQUAL(sq_async(visit.queue, add_one, &before), 0);
    CHECK_EQUAL(sq_shutdown(visit.queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    pthread_t late = spawn(come_late, &visit);
    latch_wait(&visit.entered, 1);
    while (stats_now(visit.queue).rejected == 0) {
        sched_yield(); /* the queue has refused it by now, and it is about to wait for the end */
    }
    CHECK_EQUAL(visit.ran, 0);
    hold_end(&hold);
    join(late);
    CHECK_EQUAL(visit.error, 0);
    CHECK_EQUAL(visit.ran, 1);
    CHECK_EQUAL(before, 1);
    sq_queue_release(visit.queue);
}

static void cross(void *context) {
    visit_t *visit = context;
    latch_bump(&visit->entered);
    latch_wait(&visit->leave, 2);
    visit->error = sq_sync_or_run(visit->other, do_nothing, NULL);
}

static void *cross_over(void *argument) {
    CHECK_EQUAL(sq_sync_or_run(((visit_t *)argument)->queue, cross, argument), 0);
    return NULL;
}

TEST(after_the_end_a_cycle_is_refused_and_named) {
    sq_queue_t *a = ended_queue("ended A"), *b = ended_queue("ended B");
    visit_t visits[2] = { { .queue = a, .other = b, .entered = LATCH_INIT, .leave = LATCH_INIT },
                          { .queue = b, .other = a, .entered = LATCH_INIT, .leave = LATCH_INIT } };
    pthread_t threads[2] = { spawn(cross_over, &visits[0]), spawn(cross_over, &visits[1]) };
    for (int i = 0; i < 2; i += 1) {
        latch_wait(&visits[i].entered, 1);
    }
    for (int i = 0; i < 2; i += 1) {
        latch_bump(&visits[i].leave);
        latch_bump(&visits[i].leave);
    }
    join(threads[0]);
    join(threads[1]);
    CHECK_EQUAL((visits[0].error == EDEADLK) + (visits[1].error == EDEADLK), 1);
    CHECK_EQUAL((visits[0].error == 0) + (visits[1].error == 0), 1);
    sq_queue_release(a);
    sq_queue_release(b);
}

static void sync_onto_other(void *context) {
    visit_t *visit = context;
    visit->thread_id = gettid();
    latch_bump(&visit->entered);
    latch_wait(&visit->leave, 1);
    CHECK_EQUAL(sq_sync(visit->other, add_one, &visit->ran), 0);
}

static void wait_for_the_end_of_the_first(void *context) {
    visit_t *visit = context;
    CHECK_EQUAL(sq_shutdown(visit->queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    latch_bump(&visit->leave);
    wait_for_depth(visit->other, 1); /* the task of the first queue waits for this one, */
    wait_until_asleep(&visit->thread_id); /* and its wait is known: the one that closes the cycle is refused */
    visit->error = sq_sync_or_run(visit->queue, must_not_run, NULL);
}

TEST(a_wait_for_the_end_that_would_close_a_cycle_is_refused) {
    visit_t visit = { .queue = make_queue_of("ending", 0), .other = make_queue_of("other", 0), .entered = LATCH_INIT, .leave = LATCH_INIT };
    CHECK_EQUAL(sq_async(visit.queue, sync_onto_other, &visit), 0);
    latch_wait(&visit.entered, 1);
    CHECK_EQUAL(sq_run_and_wait(visit.other, FAR, wait_for_the_end_of_the_first, &visit), 0);
    CHECK_EQUAL(visit.error, EDEADLK);
    CHECK_EQUAL(sq_shutdown(visit.queue, SQ_SHUTDOWN_DRAIN, FAR), 0);
    CHECK_EQUAL(visit.ran, 1);
    sq_queue_release(visit.queue);
    sq_queue_release(visit.other);
}

static void shut_down_and_run(void *context) {
    visit_t *visit = context;
    CHECK_EQUAL(sq_shutdown(visit->other, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(visit->other), 0);
    CHECK_EQUAL(sq_sync_or_run(visit->other, add_one, &visit->ran), 0); /* ran what was ahead, and ended the queue */
}

TEST(on_a_manual_pool_it_runs_what_keeps_the_queue_from_its_end) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_manual("manual");
    visit_t visit = { .queue = make_queue_of("elsewhere", 0), .other = sq_queue_create("manual", &options) };
    size_t before = 0;
    CHECK_EQUAL(sq_suspend(visit.other), 0);
    CHECK_EQUAL(sq_async(visit.other, add_one, &before), 0);
    CHECK_EQUAL(sq_sync(visit.queue, shut_down_and_run, &visit), 0);
    CHECK_EQUAL(before, 1);
    CHECK_EQUAL(visit.ran, 1);
    sq_queue_release(visit.queue);
    sq_queue_release(visit.other);
    sq_pool_release(options.pool);
}

static void release_inside(void *context) {
    visit_t *visit = context;
    sq_queue_release(visit->queue);
    CHECK(sq_is_current(visit->queue));
    CHECK_EQUAL(sq_sync_or_run(visit->queue, add_one, &visit->ran), 0);
}

TEST(after_the_end_the_last_reference_can_be_released_inside) {
    long blocks = live_blocks();
    visit_t visit = { .queue = ended_queue("released") };
    CHECK_EQUAL(sq_sync_or_run(visit.queue, release_inside, &visit), 0);
    CHECK_EQUAL(visit.ran, 1);
    let_threads_end(1); /* the one that runs this test */
    CHECK_AT_MOST(live_blocks(), blocks + 2); /* the thread's own token */
}

TEST(without_memory_it_is_ENOMEM_and_can_be_made_again) {
    sq_queue_t *queue = ended_queue("famine");
    size_t ran = 0;
    uint64_t failed = 1;
    for (uint64_t nth = 1; failed > 0; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, true);
        int error = sq_sync_or_run(queue, add_one, &ran);
        failed = fail_nothing();
        CHECK_EQUAL(error, failed > 0 ? ENOMEM : 0);
    }
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

static void *call_late(void *context) {
    visit_t *visit = context;
    visit->error = sq_sync_or_run(visit->queue, add_one, &visit->ran);
    return NULL;
}

TEST(after_the_end_of_a_queue_on_a_loop_it_runs_on_the_calling_thread_and_needs_no_owner) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_loop("loop");
    REQUIRE(options.pool != NULL);
    CHECK_EQUAL(sq_pool_own(options.pool), 0);
    visit_t visit = { .queue = sq_queue_create("on a loop", &options), .error = -1 };
    CHECK_EQUAL(sq_shutdown(visit.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    join(spawn(call_late, &visit)); /* this thread, the owner, does not run the loop */
    CHECK_EQUAL(visit.error, 0);
    CHECK_EQUAL(visit.ran, 1);
    sq_queue_release(visit.queue);
    sq_pool_release(options.pool);
}

/* 200 queues at a time have all pairs of the few locks that queues share. */
TEST(after_the_end_it_runs_while_a_trace_is_recorded) {
    enum { QUEUES = 200 };
    static sq_queue_t *queues[QUEUES];
    size_t ran = 0;
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = ended_queue("traced");
        CHECK_EQUAL(sq_sync_or_run(queues[i], add_one, &ran), 0);
    }
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK_EQUAL(ran, QUEUES);
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
    unlink(path);
}
