/* late_job_test.c: jobs that come after the shutdown of their queue, and awaits of its end. */
#include "manual.h"
#include "queue/after_end.h"
#include "queue/end.h"
#include "sq_shutdown.h"
#include "sq_suspend.h"
#include "pool/pool.h"

static latch_t wrote = LATCH_INIT; /* for the threads that wait for an entry without a queue */

static void write_job(void *entry, void *queue, bool runs) {
    CHECK(runs);
    CHECK(sq_current_queue() == queue);
    CHECK(sq_is_current(queue));
    write_entry(entry);
    latch_bump(&wrote);
}

static void submit_late(sq_queue_t *queue, int number) {
    CHECK_EQUAL(sq_async_job(queue, write_job, &numbers[number], queue), ESHUTDOWN);
    CHECK_EQUAL(sq__async_after_end(queue, write_job, &numbers[number], queue), 0);
}

static void wait_for_last(sq_queue_t *queue) { CHECK_EQUAL(sq_sync_or_run(queue, do_nothing, NULL), 0); }

TEST(late_jobs_wait_for_the_end_and_keep_their_order) {
    begin();
    sq_queue_t *queue = make_queue_of("ending", 0);
    hold_t hold;
    hold_async(&hold, queue);
    submit(queue, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    for (int number = 2; number <= 10; number += 1) {
        submit_late(queue, number);
    }
    CHECK_EQUAL(journal.count, 0);
    hold_end(&hold);
    wait_for_last(queue);
    CHECK_JOURNAL(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    sq_queue_release(queue);
}

typedef struct visits {
    sq_queue_t *queue;
    size_t ran, inside, together;
} visits_t;

static void visit(void *context) {
    visits_t *visits = context;
    visits->together += visits->inside++ != 0; /* not atomic: ThreadSanitizer would see two at a time */
    visits->ran += 1;
    sched_yield();
    visits->inside -= 1;
}

static void visit_in_job(void *context, void *unused, bool runs) {
    (void)unused;
    CHECK(runs);
    visit(context);
}

static void *visit_often(void *context) {
    visits_t *visits = context;
    for (int i = 0; i < 300; i += 1) {
        CHECK_EQUAL(sq__async_after_end(visits->queue, visit_in_job, visits, NULL), 0);
        CHECK_EQUAL(sq_sync_or_run(visits->queue, visit, visits), 0);
    }
    return NULL;
}

static void check_exclusion(sq_queue_t *queue) {
    enum { THREADS = 4 };
    visits_t visits = { .queue = queue };
    pthread_t threads[THREADS];
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    for (int i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(visit_often, &visits);
    }
    for (int i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    wait_for_last(queue);
    CHECK_EQUAL(visits.together, 0);
    CHECK_EQUAL(visits.ran, THREADS * 600);
    sq_queue_release(queue);
}

TEST(late_jobs_and_functions_exclude_each_other) { check_exclusion(make_queue_of("own thread", 0)); }

TEST(late_jobs_and_functions_exclude_each_other_on_a_pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = make_pool(4);
    options.priority = SQ_PRIORITY_HIGH;
    check_exclusion(sq_queue_create("pooled", &options));
    options.width = 3;
    check_exclusion(sq_queue_create("concurrent", &options));
    sq_pool_release(options.pool);
}

TEST(on_a_manual_pool_late_jobs_run_when_the_pool_is_run_and_before_a_later_function) {
    begin();
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create("manual", &options);
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    submit_late(queue, 2);
    CHECK_EQUAL(sq_pool_run(pool), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK_JOURNAL(1, 2);
    submit_late(queue, 3);
    CHECK_EQUAL(sq_sync_or_run(queue, write_entry, &numbers[4]), 0);
    CHECK_JOURNAL(1, 2, 3, 4);
    CHECK_EQUAL(sq_pool_run(pool), 0);
    end(pool, queue, NULL);
}

/* The harness checks that memory and threads are gone. */
TEST(a_late_job_keeps_its_queue_and_its_thread_ends_with_it) {
    begin();
    sq_queue_t *queue = make_queue_of("released", 0);
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    submit_late(queue, 1);
    sq_queue_release(queue);
    wrote = (latch_t)LATCH_INIT;
    hold_end(&hold);
    latch_wait(&wrote, 1);
    queue = make_queue_of("kept", 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    submit_late(queue, 2);
    latch_wait(&wrote, 2);
    let_threads_end(1); /* the one that runs this test */
    CHECK_JOURNAL(1, 2);
    sq_queue_release(queue);
}

enum { LARGE_STACK = 64 << 20 }; /* more than threads have here by default */

static void measure_stack(void *size, void *unused, bool runs) {
    pthread_attr_t attributes;
    (void)unused;
    CHECK(runs);
    CHECK_EQUAL(pthread_getattr_np(pthread_self(), &attributes), 0);
    CHECK_EQUAL(pthread_attr_getstacksize(&attributes, size), 0);
    CHECK_EQUAL(pthread_attr_destroy(&attributes), 0);
}

TEST(a_late_job_has_the_stack_of_its_queue) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.stack_size = LARGE_STACK;
    sq_queue_t *queue = sq_queue_create("large", &options);
    size_t size = 0;
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq__async_after_end(queue, measure_stack, &size, NULL), 0);
    wait_for_last(queue);
    CHECK(size >= LARGE_STACK);
    sq_queue_release(queue);
}

static void call_late_at_once(void *queue) {
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), EDEADLK);
    CHECK_EQUAL(sq__sync_after_end(queue, SQ_NOW, must_not_run, NULL, NULL), EDEADLK);
}

TEST(a_late_call_that_does_not_wait_reports_that_the_end_needs_its_caller) {
    sq_queue_t *queue = make_queue_of("shut down by its task", 0);
    CHECK_EQUAL(sq_sync(queue, call_late_at_once, queue), 0);
    sq_queue_release(queue);
}

static sq_queue_t *make_queue_on(sq_queue_t *target) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = target;
    sq_queue_t *queue = sq_queue_create("on target", &options);
    REQUIRE(queue != NULL);
    return queue;
}

static void write_on_target(void *entry, void *target, bool runs) {
    CHECK(runs);
    CHECK(sq_is_current(target));
    write_entry(entry);
}

TEST(a_late_job_of_a_queue_with_a_target_runs_in_a_task_of_the_target) {
    begin();
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *target = sq_queue_create("target", &options), *queue = make_queue_on(target);
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq__async_after_end(queue, write_on_target, &numbers[2], target), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK(sq_pool_run(pool) > 0);
    CHECK_JOURNAL(1, 2);
    end(pool, queue, target);
}

/* A queue of its own for each failure: what one call has made, the next one finds. Returns whether something failed. */
static bool submit_late_in_famine(failure_t what, uint64_t nth, sq_queue_t *target) {
    begin();
    sq_queue_t *queue = make_queue_on(target);
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    fail_nth(what, nth, false);
    int error = sq__async_after_end(queue, write_job, &numbers[1], queue);
    uint64_t failed = fail_nothing();
    CHECK(error == 0 || (error == ENOMEM && failed == 1));
    if (error) {
        CHECK_EQUAL(sq__async_after_end(queue, write_job, &numbers[1], queue), 0);
    }
    CHECK_EQUAL(sq_resume(queue), 0);
    wait_for_last(queue);
    CHECK_JOURNAL(0, 1);
    sq_queue_release(queue);
    return failed > 0;
}

TEST(without_memory_or_a_thread_a_late_job_is_refused_or_runs) {
    sq_queue_t *targets[] = { NULL, make_queue_of("target", 0) };
    for (size_t i = 0; i < 2; i += 1) {
        for (failure_t what = FAIL_ALLOCATION; what <= FAIL_THREAD; what += 1) {
            for (uint64_t nth = 1; submit_late_in_famine(what, nth, targets[i]); nth += 1) {
            }
        }
    }
    sq_queue_release(targets[1]);
}

typedef struct awaited {
    sq_await_t await;
    sq_queue_t *queue; /* released by `ended`; or NULL */
    int number;
} awaited_t;

static void note_end(sq_await_t *await) {
    awaited_t *awaited = await->context;
    sq_queue_t *queue = awaited->queue;
    write_entry(&numbers[awaited->number]);
    latch_bump(&wrote);
    sq_queue_release(queue);
}

static sq_await_t *prepare(awaited_t *awaited, int number, sq_queue_t *queue) {
    *awaited = (awaited_t){ .queue = queue, .number = number };
    awaited->await = (sq_await_t){ .ended = note_end, .context = awaited };
    return &awaited->await;
}

TEST(awaits_of_the_end_are_called_once_in_order_unless_withdrawn) {
    begin();
    awaited_t awaited[4];
    sq_queue_t *queue = make_queue_of("awaited", 0);
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    for (int i = 0; i < 4; i += 1) {
        CHECK_EQUAL(sq__end_await(queue, prepare(&awaited[i], i, i == 3 ? queue : NULL)), EINPROGRESS);
    }
    CHECK(sq__end_withdraw(queue, &awaited[1].await));
    CHECK(!sq__end_withdraw(queue, &awaited[1].await));
    sq_queue_retain(queue);
    wrote = (latch_t)LATCH_INIT;
    hold_end(&hold);
    latch_wait(&wrote, 3);
    CHECK_JOURNAL(0, 2, 3);
    CHECK(!sq__end_withdraw(queue, &awaited[0].await));
    CHECK_EQUAL(sq__end_await(queue, prepare(&awaited[0], 0, NULL)), 0);
    CHECK_JOURNAL(0, 2, 3);
    sq_queue_release(queue);
}

TEST(the_last_reference_can_be_released_when_the_end_is_reported) {
    begin();
    awaited_t awaited;
    sq_queue_t *queue = make_queue_of("reported", 0);
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq__end_await(queue, prepare(&awaited, 1, queue)), EINPROGRESS);
    wrote = (latch_t)LATCH_INIT;
    hold_end(&hold);
    latch_wait(&wrote, 1);
    CHECK_JOURNAL(1);
}

TEST(without_memory_an_await_of_the_end_is_ENOMEM) {
    begin();
    awaited_t awaited;
    sq_queue_t *queue = make_queue_of("famine", 0);
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq__end_await(queue, prepare(&awaited, 1, NULL)), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(journal.count, 0);
    sq_queue_release(queue);
}
