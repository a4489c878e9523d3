/* either_test.c: async_and_wait: in its turn a function runs on the caller or on the queue's thread, and never on a thread whose
 * own function is over. */
#include "caller.h"
#include "inject.h"

#include <string.h>

typedef struct ask {
    sq_queue_t *queue;
    sq_time_t deadline;
    pthread_t ran_on, caller;
    size_t ran;
    int error;
} ask_t;

static void answer(void *context) {
    ask_t *ask = context;
    ask->ran_on = pthread_self();
    ask->ran += 1;
    CHECK(sq_is_current(ask->queue));
}

static void *do_ask(void *argument) {
    ask_t *ask = argument;
    ask->caller = pthread_self();
    ask->error = sq_async_and_wait(ask->queue, ask->deadline, answer, ask);
    return NULL;
}

TEST(on_a_free_queue_the_caller_runs_its_function_without_memory) {
    sq_queue_t *queue = make_queue_of("free", 0);
    ask_t ask = { .queue = queue, .deadline = SQ_NOW };
    uint64_t started = threads_started();
    fail_nth(FAIL_ALLOCATION, 1, true);
    do_ask(&ask);
    CHECK_EQUAL(fail_nothing(), 0);
    CHECK_EQUAL(ask.error, 0);
    CHECK(pthread_equal(ask.ran_on, ask.caller));
    CHECK_EQUAL(threads_started(), started);
    check_outcomes(queue, 1, 0, 0, 0);
    sq_queue_release(queue);
}

static void note_thread(void *context) { *(pthread_t *)context = pthread_self(); }

/* To see it fail: in sq__baton_next let an EITHER be a task for every holder, or for none. */
TEST(behind_a_task_the_queues_thread_runs_it_and_behind_a_sync_the_caller) {
    sq_queue_t *queue = make_queue_of("held", 0);
    pthread_t runner;
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, note_thread, &runner), 0);
    for (int by_sync = 0; by_sync < 2; by_sync += 1) {
        hold_t hold;
        (by_sync ? hold_sync : hold_async)(&hold, queue);
        ask_t ask = { .queue = queue, .deadline = SQ_FOREVER };
        pthread_t thread = spawn(do_ask, &ask);
        wait_for_depth(queue, 1);
        hold_end(&hold);
        join(thread);
        CHECK_EQUAL(ask.error, 0);
        CHECK_EQUAL(ask.ran, 1);
        CHECK(pthread_equal(ask.ran_on, by_sync ? ask.caller : runner));
    }
    drain(queue);
    check_outcomes(queue, 6, 0, 0, 0);
    sq_queue_release(queue);
}

TEST(its_deadline_and_a_discarding_shutdown_withdraw_it) {
    sq_queue_t *queue = make_queue_of("withdrawn", 0);
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_async_and_wait(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_async_and_wait(queue, 1, must_not_run, NULL), ETIMEDOUT);
    while (stats_now(queue).withdrawn == 0) {
        CHECK_EQUAL(sq_async_and_wait(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    }
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    ask_t ask = { .queue = queue, .deadline = SQ_FOREVER };
    pthread_t thread = spawn(do_ask, &ask);
    wait_for_depth(queue, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    join(thread);
    CHECK_EQUAL(ask.error, ESHUTDOWN);
    CHECK_EQUAL(ask.ran, 0);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_async_and_wait(queue, SQ_FOREVER, must_not_run, NULL), ESHUTDOWN);
    sq_queue_release(queue);
}

static void ask_own_queue(void *context) {
    CHECK_EQUAL(sq_async_and_wait(context, SQ_FOREVER, must_not_run, NULL), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "async_and_wait") != NULL);
}

TEST(onto_its_own_queue_it_is_refused) {
    sq_queue_t *queue = make_queue_of("own", 0);
    CHECK_EQUAL(sq_async_and_wait(queue, SQ_FOREVER, ask_own_queue, queue), 0);
    sq_queue_release(queue);
}
