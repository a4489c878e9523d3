/* shutdown_race_test.c: the end of a queue, and what comes at the same time: last releases, other shutdowns, deadlines,
 * submissions. */
#include "caller.h"
#include "outcome.h"

#include <sched.h>

/* The last release sees the queue suspended and at work, and meanwhile the work ends it: one of the two frees it. */
TEST(the_last_release_meets_the_end_of_a_suspended_shutdown) {
    random_stream_t random = random_start(40);
    for (size_t i = 0; i < scaled(15000); i += 1) {
        sq_queue_t *queue = make_queue_of("met", 0);
        hold_t hold;
        hold_async(&hold, queue);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
        CHECK_EQUAL(sq_suspend(queue), 0);
        hold_end(&hold);
        for (uint64_t pauses = random_below(&random, 3000); pauses > 0; pauses -= 1) {
            __asm__ __volatile__("");
        }
        sq_queue_release(queue);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
}

/* Shutdown, several times at once, from several threads. */
TEST(a_shutdown_by_several_threads_at_once_returns_0_to_each) {
    enum { THREADS = 4 };
    for (size_t round = 0; round < scaled(500); round += 1) {
        sq_queue_t *queue = make_queue_of("several", 0);
        outcome_t outcome = { 0 };
        submit(queue, &outcome, 5);
        caller_t callers[THREADS];
        for (size_t i = 0; i < THREADS; i += 1) {
            caller_start(&callers[i], BY_SHUTDOWN, queue, i % 2 ? SQ_FOREVER : FAR, NULL, NULL);
        }
        for (size_t i = 0; i < THREADS; i += 1) {
            CHECK_EQUAL(caller_end(&callers[i]), 0);
        }
        CHECK_EQUAL(outcome.ran, 5);
        sq_queue_release(queue);
        if (round % 16 == 15) {
            let_threads_end(16);
        }
    }
}

/* A deadline that passes as the queue ends: the caller's record, on its stack, leaves the list before the caller returns. */
TEST(a_deadline_in_the_moment_of_the_end_gives_one_answer) {
    random_stream_t random = random_start(41);
    size_t in_time = 0, rounds = scaled(3000);
    for (size_t i = 0; i < rounds; i += 1) {
        sq_queue_t *queue = make_queue_of("moment", 0);
        outcome_t outcome = { 0 };
        submit(queue, &outcome, 1 + random_below(&random, 20));
        caller_t caller;
        caller_start(&caller, BY_SHUTDOWN, queue, sq_deadline(random_below(&random, 300000)), NULL, NULL);
        int error = caller_end(&caller);
        CHECK(error == 0 || error == ETIMEDOUT);
        in_time += error == 0;
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(queue);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
    note("%zu of %zu in time", in_time, rounds);
}

/* Shutdown against submissions of every kind. */
typedef struct closing {
    sq_queue_t *queue;
    latch_t go;
    atomic_size_t number, accepted, refused;
    outcome_t outcome;
} closing_t;

static void *submit_until_closed(void *argument) {
    closing_t *closing = argument;
    size_t me = atomic_fetch_add(&closing->number, 1);
    const sq_task_t task = counted_task(&closing->outcome);
    latch_wait(&closing->go, 1);
    for (size_t i = me;; i += 1) {
        int error = i % 4 == 0   ? sq_sync(closing->queue, count_ran, &closing->outcome)
                    : i % 4 == 1 ? sq_async_until(closing->queue, SQ_FOREVER, &task)
                    : i % 4 == 2 ? sq_run_and_wait(closing->queue, SQ_FOREVER, count_ran, &closing->outcome)
                                 : sq_async_task(closing->queue, &task);
        CHECK(error == 0 || error == ESHUTDOWN || error == EAGAIN);
        closing->accepted += error == 0;
        if (error == ESHUTDOWN) {
            closing->refused += 1;
            return NULL;
        }
    }
}

TEST(a_shutdown_races_with_every_submission_and_each_accepted_one_has_one_outcome) {
    enum { THREADS = 3 };
    size_t all = 0, discarded = 0;
    random_stream_t random = random_start(42);
    for (size_t round = 0; round < scaled(1000); round += 1) {
        closing_t closing = { .queue = make_queue_of("closing", round % 2 ? 4 : 0), .go = LATCH_INIT };
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i += 1) {
            threads[i] = spawn(submit_until_closed, &closing);
        }
        latch_bump(&closing.go);
        for (size_t wanted = random_below(&random, 50); closing.accepted < wanted;) {
            sched_yield();
        }
        CHECK_EQUAL(sq_shutdown(closing.queue, round % 4 < 2 ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
        for (size_t i = 0; i < THREADS; i += 1) {
            join(threads[i]);
        }
        CHECK_EQUAL(closing.outcome.ran + closing.outcome.discarded, closing.accepted);
        CHECK_EQUAL(closing.refused, THREADS);
        sq_queue_stats_t stats = stats_now(closing.queue);
        CHECK_EQUAL(stats.ran, closing.outcome.ran);
        CHECK_AT_MOST(stats.withdrawn, round % 4 < 2 ? 0 : THREADS); /* threads that waited */
        CHECK_EQUAL(stats.depth, 0);
        all += closing.accepted;
        discarded += closing.outcome.discarded;
        sq_queue_release(closing.queue);
        if (round % 16 == 15) {
            let_threads_end(16);
        }
    }
    note("%zu accepted, %zu of them discarded", all, discarded);
}
