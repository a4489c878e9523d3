/* deadlock_test.c: a sync that would wait for itself is refused with a report, and never hangs. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include <stdlib.h>

typedef struct loop {
    sq_queue_t *a, *b, *c;
    size_t called; /* by the sync that must be refused */
    int error;
    char report[4096];
} loop_t;

static void copy_report(loop_t *loop) {
    snprintf(loop->report, sizeof loop->report, "%s", sq_deadlock_report());
}

static void sync_a(void *context) {
    loop_t *loop = context;
    loop->error = sq_sync(loop->a, add_one, &loop->called);
    copy_report(loop);
}

static void sync_a_through_b(void *context) {
    loop_t *loop = context;
    CHECK_EQUAL(sq_sync(loop->b, sync_a, loop), 0);
}

static void sync_a_through_c_and_b(void *context) {
    loop_t *loop = context;
    CHECK_EQUAL(sq_sync(loop->c, sync_a_through_b, loop), 0);
}

static loop_t make_loop(void) {
    loop_t loop = { .a = sq_queue_create("com.example.alpha", NULL),
                    .b = sq_queue_create("com.example.beta", NULL),
                    .c = sq_queue_create("com.example.gamma", NULL),
                    .error = -1 };
    REQUIRE(loop.a != NULL && loop.b != NULL && loop.c != NULL);
    return loop;
}

/* Besides the outcome: each of the queues works on. */
static void check_refused(loop_t *loop, sq_function_t from) {
    for (size_t round = 0; round < 2; round += 1) {
        loop->error = -1;
        if (round == 0) {
            CHECK_EQUAL(sq_sync(loop->a, from, loop), 0);
        } else {
            CHECK_EQUAL(sq_async(loop->a, from, loop), 0);
            drain(loop->a);
        }
        CHECK_EQUAL(loop->error, EDEADLK);
        CHECK_EQUAL(loop->called, 0);
        drain(loop->a);
        drain(loop->b);
        drain(loop->c);
    }
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(loop->a, &stats);
    CHECK_EQUAL(stats.rejected, 2);
    CHECK_EQUAL(stats.submitted, stats.ran);
}

static void release_loop(loop_t *loop) {
    sq_queue_release(loop->a);
    sq_queue_release(loop->b);
    sq_queue_release(loop->c);
}

TEST(a_sync_onto_the_own_queue_is_refused) {
    loop_t loop = make_loop();
    check_refused(&loop, sync_a);
    CHECK(strstr(loop.report, "\"com.example.alpha\"") != NULL);
    CHECK(strstr(loop.report, "beta") == NULL);
    CHECK(strstr(loop.report, "Thread \"alpha\" (") != NULL); /* the queue's own, named for its label */
    release_loop(&loop);
}

/* Does the report name the queues in the order of the cycle? */
static bool names_in_order(const char *report, const char *const names[], size_t count) {
    for (size_t i = 0; i < count; i += 1) {
        report = strstr(report, names[i]);
        if (report == NULL) {
            return false;
        }
        report += strlen(names[i]);
    }
    return true;
}

TEST(a_sync_that_comes_back_through_another_queue_is_refused) {
    loop_t loop = make_loop();
    check_refused(&loop, sync_a_through_b);
    const char *const cycle[] = { "alpha", "beta", "alpha" };
    if (!CHECK(names_in_order(loop.report, cycle, 3))) {
        }
    release_loop(&loop);
}

TEST(a_sync_that_comes_back_through_two_queues_is_refused) {
    loop_t loop = make_loop();
    check_refused(&loop, sync_a_through_c_and_b);
    const char *const cycle[] = { "alpha", "gamma", "beta", "alpha" };
    if (!CHECK(names_in_order(loop.report, cycle, 4))) {
        }
    release_loop(&loop);
}

TEST(tasks_that_wait_when_it_is_refused_still_run) {
    loop_t loop = make_loop();
    hold_t hold;
    size_t ran = 0;
    hold_async(&hold, loop.a);
    CHECK_EQUAL(sq_async(loop.a, sync_a_through_b, &loop), 0);
    for (size_t i = 0; i < 300; i += 1) {
        CHECK_EQUAL(sq_async(loop.a, add_one, &ran), 0);
    }
    hold_end(&hold);
    drain(loop.a);
    CHECK_EQUAL(loop.error, EDEADLK);
    CHECK_EQUAL(ran, 300);
    release_loop(&loop);
}

/* The same two queues the other way round, on two threads at once, one after the other: no cycle, so no refusal. */
TEST(a_sync_onto_a_busy_queue_of_another_thread_is_not_refused) {
    loop_t loop = make_loop();
    size_t ran = 0;
    hold_t hold;
    hold_sync(&hold, loop.b);
    CHECK_EQUAL(sq_sync(loop.a, add_one, &ran), 0);
    hold_end(&hold);
    CHECK_EQUAL(sq_sync(loop.b, add_one, &ran), 0);
    CHECK_EQUAL(ran, 2);
    CHECK_STRING(sq_deadlock_report(), "");
    release_loop(&loop);
}

static void *read_report(void *argument) {
    copy_report(argument);
    return NULL;
}

TEST(the_report_is_the_threads_own_and_empty_before_its_first) {
    loop_t loop = make_loop();
    CHECK_STRING(sq_deadlock_report(), "");
    CHECK_EQUAL(sq_sync(loop.a, sync_a, &loop), 0);
    CHECK(strlen(sq_deadlock_report()) > 0); /* it was refused on this thread */
    strcpy(loop.report, "untouched");
    join(spawn(read_report, &loop));
    CHECK_STRING(loop.report, "");
    CHECK(strlen(sq_deadlock_report()) > 0);
    release_loop(&loop);
}

TEST(the_report_is_of_the_last_refusal) {
    loop_t first = make_loop(), second = make_loop();
    sq_queue_release(second.a);
    second.a = sq_queue_create("com.example.omega", NULL);
    REQUIRE(second.a != NULL);
    CHECK_EQUAL(sq_sync(first.a, sync_a, &first), 0);
    CHECK_EQUAL(sq_sync(second.a, sync_a, &second), 0);
    CHECK(strstr(sq_deadlock_report(), "omega") != NULL);
    CHECK(strstr(sq_deadlock_report(), "alpha") == NULL);
    release_loop(&first);
    release_loop(&second);
}

TEST(a_report_of_labels_too_long_for_it_is_cut_and_ends) {
    enum { LENGTH = 50000 };
    char *label = malloc(LENGTH + 1);
    REQUIRE(label != NULL);
    memset(label, 'q', LENGTH);
    label[LENGTH] = '\0';
    loop_t loop = make_loop();
    sq_queue_release(loop.a);
    sq_queue_release(loop.b);
    loop.a = sq_queue_create(label, NULL);
    loop.b = sq_queue_create(label, NULL);
    REQUIRE(loop.a != NULL && loop.b != NULL);
    CHECK_EQUAL(sq_sync(loop.a, sync_a_through_c_and_b, &loop), 0);
    CHECK_EQUAL(loop.error, EDEADLK);
    CHECK(strlen(loop.report) > 100);
    CHECK(strstr(loop.report, "qqqqqqqq") != NULL);
    release_loop(&loop);
    free(label);
}

TEST(a_report_has_no_control_characters_of_a_label) {
    loop_t loop = { .a = sq_queue_create("red \033[31m and \x7f\n", NULL), .error = -1 };
    REQUIRE(loop.a != NULL);
    CHECK_EQUAL(sq_sync(loop.a, sync_a, &loop), 0);
    CHECK_EQUAL(loop.error, EDEADLK);
    CHECK(strstr(loop.report, "queue \"red ?[31m and ??\"") != NULL);
    CHECK(strpbrk(loop.report, "\033\x7f\n") == NULL);
    sq_queue_release(loop.a);
}

TEST(a_queue_without_a_label_has_a_report_too) {
    loop_t loop = make_loop();
    sq_queue_release(loop.a);
    loop.a = sq_queue_create(NULL, NULL);
    REQUIRE(loop.a != NULL);
    CHECK_EQUAL(sq_sync(loop.a, sync_a_through_b, &loop), 0);
    CHECK(strstr(loop.report, "\"\"") != NULL);
    CHECK(strstr(loop.report, "beta") != NULL);
    release_loop(&loop);
}

static void run_inline(void *context) {
    loop_t *loop = context;
    size_t before = loop->called;
    CHECK_EQUAL(sq_sync_or_run(loop->a, add_one, &loop->called), 0);
    CHECK_EQUAL(loop->called, before + 1); /* inside this task, before the call returns */
}

static void run_inline_through_b(void *context) {
    loop_t *loop = context;
    CHECK_EQUAL(sq_sync(loop->b, run_inline, loop), 0);
}

TEST(sync_or_run_runs_inline_where_sync_is_refused) {
    loop_t loop = make_loop();
    CHECK_EQUAL(sq_sync(loop.a, run_inline, &loop), 0);
    CHECK_EQUAL(sq_sync(loop.a, run_inline_through_b, &loop), 0);
    CHECK_EQUAL(sq_async(loop.a, run_inline, &loop), 0);
    CHECK_EQUAL(sq_async(loop.a, run_inline_through_b, &loop), 0);
    drain(loop.a);
    CHECK_EQUAL(loop.called, 4);
    CHECK_STRING(sq_deadlock_report(), "");
    release_loop(&loop);
}

/* Inline is not another turn: tasks that wait do not get between. */
TEST(sync_or_run_inline_overtakes_what_waits) {
    loop_t loop = make_loop();
    hold_t hold;
    size_t ran = 0;
    hold_async(&hold, loop.a);
    CHECK_EQUAL(sq_async(loop.a, run_inline, &loop), 0);
    CHECK_EQUAL(sq_async(loop.a, add_one, &ran), 0);
    hold_end(&hold);
    drain(loop.a);
    CHECK_EQUAL(loop.called, 1);
    CHECK_EQUAL(ran, 1);
    release_loop(&loop);
}

static void *sync_or_run_from_outside(void *argument) {
    loop_t *loop = argument;
    CHECK_EQUAL(sq_sync_or_run(loop->a, add_one, &loop->called), 0);
    return NULL;
}

TEST(sync_or_run_from_outside_waits_for_its_turn) {
    loop_t loop = make_loop();
    hold_t hold;
    hold_async(&hold, loop.a);
    pthread_t waiter = spawn(sync_or_run_from_outside, &loop);
    wait_for_depth(loop.a, 1);
    CHECK_EQUAL(loop.called, 0);
    hold_end(&hold);
    join(waiter);
    CHECK_EQUAL(loop.called, 1);
    release_loop(&loop);
}
