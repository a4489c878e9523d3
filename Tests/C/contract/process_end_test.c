/* process_end_test.c: a process that ends while queues have work, or in a task. Each runs in a child. */
#include "caller.h"
#include "child.h"

/* Returns from main, or calls exit, while runners run, wait, and have work left. */
static latch_t never_leave = LATCH_INIT;

static void stand_still(void *context) {
    latch_bump(context);
    latch_wait(&never_leave, 1);
}

static void do_a_little(void *context) {
    (void)context;
    for (volatile int i = 0; i < 1000; i += 1) {
    }
}

static sq_queue_t *left[4]; /* reachable to the end, for LeakSanitizer */

static int leave_while_workers_run(const char *way) {
    static latch_t entered = LATCH_INIT;
    for (int i = 0; i < 4; i += 1) {
        left[i] = make_queue_of("left", 0);
    }
    CHECK_EQUAL(sq_async(left[0], stand_still, &entered), 0); /* blocks its queue */
    for (int i = 1; i < 4; i += 1) { /* LeakSanitizer does not see what a thread has that is only just starting */
        CHECK_EQUAL(sq_async(left[i], do_nothing, NULL), 0);  /* waits for work */
        drain(left[i]);
    }
    for (int i = 0; i < 100000; i += 1) {                     /* works */
        CHECK_EQUAL(sq_async(left[2], do_a_little, NULL), 0);
    }
    CHECK_EQUAL(sq_suspend(left[3]), 0);                      /* is suspended, with work */
    CHECK_EQUAL(sq_async(left[3], must_not_run, NULL), 0);
    latch_wait(&entered, 1);
    if (strcmp(way, "exit") == 0) {
        exit(0);
    }
    return 0;
}

TEST(a_process_can_end_while_workers_run) {
    for (int i = 0; i < (UNDER_TSAN ? 2 : 10); i += 1) { /* ThreadSanitizer takes a second for each end */
        CHECK_EQUAL(run_child((const char *const[]){ "end", i % 2 ? "exit" : "return", NULL }), 0);
    }
}

/* A task that calls exit: it runs the exit handlers on the runner's thread, and some of them use queues. */
static sq_queue_t *at_exit_queue;

static void use_queues_at_exit(void) {
    size_t ran = 0;
    CHECK_EQUAL(sq_sync(at_exit_queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_run_and_wait(at_exit_queue, FAR, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(at_exit_queue, SQ_SHUTDOWN_DRAIN, FAR), 0);
    sq_queue_release(at_exit_queue);
    if (ran != 2) {
        _exit(1);
    }
}

static void call_exit(void *context) {
    (void)context;
    exit(0);
}

static int exit_in_a_task(void) {
    at_exit_queue = make_queue_of("at exit", 0);
    REQUIRE(atexit(use_queues_at_exit) == 0);
    left[0] = make_queue_of("exits", 0);
    CHECK_EQUAL(sq_async(left[0], call_exit, NULL), 0);
    pause();
    return 1;
}

TEST(a_task_can_end_the_process_and_exit_handlers_can_use_queues) {
    CHECK_EQUAL(run_child((const char *const[]){ "exit-in-a-task", NULL }), 0);
}

int child_main(int count, char **words) {
    REQUIRE(count >= 1);
    return strcmp(words[0], "exit-in-a-task") == 0 ? exit_in_a_task() : leave_while_workers_run(words[1]);
}
