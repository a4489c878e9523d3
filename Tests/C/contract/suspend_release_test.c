/* suspend_release_test.c: the last release of a suspended queue. */
#include "suspend.h"

#include "sq_trace.h"

/* Release while suspended: nothing could resume the queue. */
static void count_discard(void *context) { atomic_fetch_add((atomic_size_t *)context, 1); }

static void check_abandoned(bool with_a_task_running, int suspensions) {
    enum { TASKS = 200 };
    sq_queue_t *queue = make_queue_of("abandoned", 0);
    atomic_size_t discarded = 0;
    hold_t hold;
    if (with_a_task_running) {
        hold_async(&hold, queue);
    }
    for (int i = 0; i < suspensions; i += 1) {
        CHECK_EQUAL(sq_suspend(queue), 0);
    }
    for (int i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, &discarded, count_discard }), 0);
    }
    sq_queue_release(queue);
    if (with_a_task_running) {
        CHECK_EQUAL(discarded, 0);
        hold_end(&hold);
    }
    let_threads_end(1);
    CHECK_EQUAL(discarded, TASKS);
}

TEST(the_last_release_of_a_suspended_queue_discards_what_waits) {
    check_abandoned(false, 1);
    check_abandoned(false, 3);
}

TEST(the_last_release_of_a_suspended_queue_while_a_task_runs_discards_what_waits) {
    check_abandoned(true, 1);
    check_abandoned(true, 3);
}

TEST(the_last_release_of_a_suspended_queue_without_tasks_frees_it) {
    for (int i = 0; i < 1000; i += 1) {
        sq_queue_t *queue = make_queue_of("abandoned", i % 2 ? 5 : 0);
        CHECK_EQUAL(sq_suspend(queue), 0);
        sq_queue_release(queue);
    }
}

static void release_own(void *context) { sq_queue_release(context); }

static void suspend_and_release_own(void *context) {
    suspend_own(context);
    sq_queue_release(context);
}

TEST(a_task_can_suspend_its_own_queue_and_release_it) {
    for (int i = 0; i < 300; i += 1) {
        atomic_size_t discarded = 0;
        sq_queue_t *queue = make_queue_of("own", 0);
        hold_t hold;
        hold_async(&hold, queue);
        CHECK_EQUAL(sq_async(queue, i % 2 ? suspend_and_release_own : release_own, queue), 0);
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ count_discard, &discarded, count_discard }), 0);
        hold_end(&hold);
        let_threads_end(1);
        CHECK_EQUAL(discarded, 1);
    }
}

/* Submitters race with the last release of a suspended queue, which nothing will resume: each accepted task is run or discarded
 * once. */
typedef struct crossing {
    sq_queue_t *queue;
    latch_t go;
    atomic_size_t accepted, ran, discarded;
} crossing_t;

static void count_ran(void *context) { ((crossing_t *)context)->ran += 1; }
static void count_discarded(void *context) { ((crossing_t *)context)->discarded += 1; }

static void *submit_and_release(void *argument) {
    crossing_t *crossing = argument;
    latch_wait(&crossing->go, 1);
    for (int i = 0; i < 20; i += 1) {
        crossing->accepted += sq_async_task(crossing->queue, &(sq_task_t){ count_ran, crossing, count_discarded }) == 0;
    }
    sq_queue_release(crossing->queue);
    return NULL;
}

static void *suspend_and_release(void *argument) {
    crossing_t *crossing = argument;
    latch_wait(&crossing->go, 1);
    CHECK_EQUAL(sq_suspend(crossing->queue), 0);
    sq_queue_release(crossing->queue);
    return NULL;
}

TEST(the_last_release_races_with_submissions_and_a_suspension_and_each_task_has_one_outcome) {
    size_t all_ran = 0, all_discarded = 0;
    for (size_t round = 0; round < scaled(1000); round += 1) {
        crossing_t crossing = { .queue = make_queue_of("crossing", 0), .go = LATCH_INIT };
        pthread_t threads[3];
        sq_queue_retain(crossing.queue);
        sq_queue_retain(crossing.queue);
        threads[0] = spawn(submit_and_release, &crossing);
        threads[1] = spawn(suspend_and_release, &crossing);
        threads[2] = spawn(submit_and_release, &crossing);
        latch_bump(&crossing.go);
        for (int i = 0; i < 3; i += 1) {
            join(threads[i]);
        }
        let_threads_end(1);
        CHECK_EQUAL(crossing.accepted, 40);
        CHECK_EQUAL(crossing.ran + crossing.discarded, 40);
        all_ran += crossing.ran;
        all_discarded += crossing.discarded;
    }
    note("%zu ran, %zu were discarded", all_ran, all_discarded);
}

/* A task that runs meanwhile takes the queue up again at once, and the next one frees it. A trace has the event. */
static void *end_hold(void *hold) {
    hold_end(hold);
    return NULL;
}

TEST(a_task_that_a_resume_lets_run_may_release_the_last_reference) {
    CHECK_EQUAL(sq_trace_start("/dev/null"), 0);
    for (size_t i = 0; i < scaled(3000); i += 1) {
        sq_queue_t *queue = make_queue_of("resumed", 0);
        hold_t hold;
        hold_async(&hold, queue);
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_async(queue, release_own, queue), 0);
        pthread_t thread = spawn(end_hold, &hold);
        CHECK_EQUAL(sq_resume(queue), 0);
        join(thread);
        let_threads_end(16);
    }
    CHECK_EQUAL(sq_trace_stop(), 0);
}
