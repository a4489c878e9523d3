/* pool_fork_test.c: forks of a process with pools and timers, from outside and from their tasks. fork_test.c has the queues. */
#include "caller.h"
#include "child.h"
#include "latch.h"

static bool left_out(void) {
    if (UNDER_TSAN) {
        note("left out: ThreadSanitizer does not support threads after a fork");
    }
    return UNDER_TSAN;
}

/* In the child the parent's pools run nothing, and can be let go of. */
typedef struct house {
    sq_pool_t *pool;
    sq_queue_t *queue;
} house_t;

static int use_parents(void *context) {
    house_t *house = context;
    int wrong = !CHECK_EQUAL(sq_pool_run(house->pool), 0);
    wrong += !CHECK_EQUAL(sq_pool_advance(house->pool, 1000), 0);
    wrong += !CHECK_EQUAL(sq_async(house->queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_async_after(house->queue, 0, must_not_run, NULL), ESTALE);
    sq_queue_release(house->queue);
    sq_pool_release(house->pool);
    return wrong;
}

static void check_parents(sq_pool_t *pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    REQUIRE(pool != NULL);
    options.pool = pool;
    house_t house = { pool, sq_queue_create("the parent's", &options) };
    REQUIRE(house.queue != NULL);
    CHECK_EQUAL(in_fork(use_parents, &house), 0);
    sq_queue_release(house.queue);
    sq_pool_release(pool);
}

TEST(a_pool_of_the_parent_runs_nothing_in_the_child_and_can_be_let_go_of) {
    if (!left_out()) {
        check_parents(sq_pool_create("threads", NULL));
        check_parents(sq_pool_create_manual("manual"));
    }
}

/* A task of a pool that forks: the child waits in it, for a queue of its own; or it returns, and its only thread, which has
 * nobody to run tasks for, ends, and the process with it. */
typedef struct forker {
    bool returns;
    pid_t child;
    int status;
} forker_t;

static int wait_in_child(void) {
    sq_queue_t *queue = make_queue_of("the child's", 0);
    hold_t hold;
    hold_sync(&hold, queue);
    int error = sq_sync_until(queue, sq_deadline(2000000), must_not_run, NULL);
    bool good = CHECK_EQUAL(error, ETIMEDOUT);
    hold_end(&hold);
    sq_queue_release(queue);
    return good ? 0 : 1;
}

static void fork_here(void *context) {
    forker_t *forker = context;
    fflush(stdout);
    forker->child = fork();
    REQUIRE(forker->child >= 0);
    if (forker->child == 0) {
        watchdog_watch("the child of a fork in a task of a pool");
        if (!forker->returns) {
            _exit(wait_in_child());
        }
        return;
    }
    while (waitpid(forker->child, &forker->status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
}

TEST(a_task_of_a_pool_can_fork_and_its_child_can_wait_or_return) {
    if (left_out() || UNDER_ASAN) {
        return;
    }
    for (int returns = 0; returns < 2; returns += 1) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.pool = sq_pool_create("forking", NULL);
        REQUIRE(options.pool != NULL);
        sq_queue_t *queue = sq_queue_create("forking", &options);
        REQUIRE(queue != NULL);
        forker_t forker = { .returns = returns, .status = -1 };
        CHECK_EQUAL(sq_async(queue, fork_here, &forker), 0);
        drain(queue);
        CHECK_EQUAL(forker.status, 0);
        sq_queue_release(queue);
        sq_pool_release(options.pool);
    }
}

TEST(a_firing_can_fork_and_its_child_can_return) {
    if (left_out() || UNDER_ASAN) {
        return;
    }
    sq_queue_t *queue = make_queue_of("forking", 0);
    forker_t forker = { .returns = true, .status = -1 };
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ fork_here, &forker, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    while (stats_now(queue).ran == 0) {
        sched_yield();
    }
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    CHECK_EQUAL(forker.status, 0);
    sq_timer_release(timer);
    sq_queue_release(queue);
}
