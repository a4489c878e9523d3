/* fork_held_test.c: the locks that a fork does not take, because there are many of them. Another thread may hold one at the fork,
 * and then it stays locked in the child. No call of the child on an object of the parent takes them. Here the forking thread itself
 * holds them, so that they are always locked. Pools: pool_fork_test.c. ThreadSanitizer cannot follow a process with threads through
 * a fork. */
#include "caller.h"
#include "child.h"

#include "include/sq_private.h"
#include "platform/mutex.h"
#include "state/state_inline.h"
#include "pool/pool.h"

/* Both structures are their files' own, and begin with their mutex. */
static sq__mutex_t *lock_of_bound(const sq_queue_t *queue) { return (sq__mutex_t *)(uintptr_t)(queue->room + 1); }
static sq__mutex_t *lock_of_clock(const sq_pool_t *pool) { return (sq__mutex_t *)sq__pool_clock(pool); }

static int fork_holding(sq__mutex_t *mutex, int (*body)(void *), void *context) {
    sq__mutex_lock(mutex);
    int status = in_fork(body, context);
    sq__mutex_unlock(mutex);
    return status;
}

/* A task in the line of a full queue, between two others, and one that was never in it. */
typedef struct line {
    sq_queue_t *queue;
    sq_deferred_t tasks[3], other;
    latch_t decided, ran;
} line_t;

static void count_run(void *line, void *unused, bool runs) {
    (void)unused;
    CHECK(runs);
    latch_bump(&((line_t *)line)->ran);
}

static void count_decision(sq_deferred_t *task, int error) {
    CHECK_EQUAL(error, 0);
    latch_bump(&((line_t *)task->first)->decided);
}

static int withdraw_in_child(void *context) {
    line_t *line = context;
    int wrong = !CHECK(sq_async_withdraw(line->queue, &line->tasks[1]));
    wrong += !CHECK(!sq_async_withdraw(line->queue, &line->tasks[1])); /* it is not in there any more */
    wrong += !CHECK(!sq_async_withdraw(line->queue, &line->other));
    wrong += !CHECK(sq_async_withdraw(line->queue, &line->tasks[0]));
    wrong += !CHECK(sq_async_withdraw(line->queue, &line->tasks[2]));
    sq_queue_release(line->queue);
    return wrong + !CHECK_EQUAL(line->decided.value, 0);
}

TEST(a_deferred_task_can_be_withdrawn_in_the_child_of_a_fork) {
    if (fork_left_out()) {
        return;
    }
    static line_t line; /* the child's threads may get the stack of this one */
    line = (line_t){ .queue = make_queue_of("full", 1), .decided = LATCH_INIT, .ran = LATCH_INIT };
    CHECK_EQUAL(sq_suspend(line.queue), 0);
    CHECK_EQUAL(sq_async(line.queue, do_nothing, NULL), 0);
    for (size_t i = 0; i < 3; i += 1) {
        line.tasks[i] = (sq_deferred_t){ .call = count_run, .first = &line, .decided = count_decision };
        CHECK_EQUAL(sq_async_deferred(line.queue, &line.tasks[i]), EINPROGRESS);
    }
    CHECK_EQUAL(fork_holding(lock_of_bound(line.queue), withdraw_in_child, &line), 0);
    CHECK_EQUAL(sq_resume(line.queue), 0);
    latch_wait(&line.ran, 3); /* here nothing has changed */
    latch_wait(&line.decided, 3);
    sq_queue_release(line.queue);
}

/* One that was submitted, and one that waits for room. */
static int cancel_tasks_in_child(void *context) {
    line_t *line = context;
    int wrong = !CHECK(!sq_async_cancel(line->queue, &line->tasks[0])) + !CHECK(!sq_async_cancel(line->queue, &line->tasks[1]));
    return wrong + !CHECK_EQUAL(line->decided.value, 0);
}

TEST(a_cancel_in_the_child_of_a_fork_returns_although_the_lock_is_held_forever) {
    if (fork_left_out()) {
        return;
    }
    static line_t line; /* the child's threads may get the stack of this one */
    line = (line_t){ .queue = make_queue_of("full", 1), .decided = LATCH_INIT, .ran = LATCH_INIT };
    CHECK_EQUAL(sq_suspend(line.queue), 0);
    for (size_t i = 0; i < 2; i += 1) {
        line.tasks[i] = (sq_deferred_t){ .call = count_run, .first = &line, .decided = count_decision };
        CHECK_EQUAL(sq_async_cancellable(line.queue, &line.tasks[i]), i == 0 ? 0 : EINPROGRESS);
    }
    CHECK_EQUAL(fork_holding(lock_of_bound(line.queue), cancel_tasks_in_child, &line), 0);
    CHECK_EQUAL(sq_resume(line.queue), 0);
    latch_wait(&line.ran, 2); /* here nothing has changed */
    sq_queue_release(line.queue);
}

/* A timer of a manual pool, whose clock is its own. */
static int cancel_in_child(void *context) {
    sq_timer_t *timer = context;
    int wrong = !CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), ESTALE);
    wrong += !CHECK_EQUAL(sq_timer_start_at(timer, 0, 0, 0), ESTALE);
    wrong += !CHECK_EQUAL(sq_timer_suspend(timer), ESTALE);
    wrong += !CHECK_EQUAL(sq_timer_resume(timer), ESTALE);
    wrong += !CHECK_EQUAL(sq_timer_cancel_then(timer, &(sq_task_t){ add_one, NULL, NULL }), ESTALE);
    for (int i = 0; i < 2; i += 1) {
        wrong += !CHECK_EQUAL(sq_timer_cancel(timer), 0);
        wrong += !CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    }
    sq_timer_release(timer);
    return wrong;
}

TEST(a_timer_of_a_manual_pool_can_be_cancelled_in_the_child_of_a_fork) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    sq_pool_t *pool = options.pool = sq_pool_create_manual("manual");
    REQUIRE(pool != NULL);
    sq_queue_t *queue = sq_queue_create("timed", &options);
    REQUIRE(queue != NULL);
    size_t fired = 0;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ add_one, &fired, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 100, 0, 0), 0);
    CHECK_EQUAL(fork_holding(lock_of_clock(pool), cancel_in_child, timer), 0);
    sq_pool_advance(pool, 100); /* here nothing has changed */
    CHECK_EQUAL(fired, 1);
    sq_timer_release(timer);
    sq_pool_run(pool);
    sq_queue_release(queue);
    sq_pool_release(pool);
}
