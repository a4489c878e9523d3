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

typedef struct long_call {
    pthread_t thread;
    atomic_bool is_over;
} long_call_t;

/* Runs for longer than a call with SQ_NOW spins for its turn. */
static void take_long(void *context) {
    long_call_t *call = context;
    call->thread = pthread_self();
    for (volatile int i = 0; i < 20000; i += 1) {
    }
    call->is_over = true;
}

static void say_so(void *flag) { *(atomic_bool *)flag = true; }

/* The runner lingers for a moment after its last task, and takes the call; then the call does not return before its function does. */
TEST(a_call_that_does_not_wait_for_its_turn_waits_for_its_end) {
    sq_queue_t *queue = make_queue_of("lingers", 0);
    size_t by_runner = 0, refused = 0, wrong = 0;
    for (size_t i = 0; i < scaled(5000); i += 1) {
        atomic_bool has_run = false;
        static long_call_t calls[8]; /* not on the stack: what runs late is to show, and not to destroy */
        long_call_t *call = &calls[i % 8];
        call->is_over = false;
        CHECK_EQUAL(sq_async(queue, say_so, &has_run), 0);
        while (!has_run) {
        }
        int error = sq_async_and_wait(queue, SQ_NOW, take_long, call);
        CHECK(error == 0 || error == EAGAIN);
        refused += error != 0;
        wrong += error == 0 && !call->is_over;
        if (error == 0) {
            by_runner += !pthread_equal(call->thread, pthread_self());
        }
    }
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(wrong, 0);
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.submitted, stats.ran + stats.discarded + stats.withdrawn);
    CHECK_EQUAL(stats.ran, 2 * scaled(5000) - refused); /* no function has run whose call was refused */
    note("%zu by the runner, %zu refused", by_runner, refused);
    sq_queue_release(queue);
}
