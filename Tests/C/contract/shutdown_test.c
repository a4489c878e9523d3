/* shutdown_test.c: the end of a queue: every accepted task has one outcome, and every wait for the end returns. Concurrent calls:
 * shutdown_race_test.c. */
#include "shutdown.h"

TEST(a_drain_runs_what_was_accepted_and_refuses_the_rest) {
    enum { TASKS = 300 };
    for (size_t capacity = 0; capacity <= TASKS; capacity += TASKS) {
        sq_queue_t *queue = make_queue_of("drained", capacity);
        outcome_t outcome = { 0 };
        hold_t hold;
        hold_async(&hold, queue);
        submit(queue, &outcome, TASKS);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
        check_refuses(queue);
        CHECK_EQUAL(outcome.ran, 0);
        hold_end(&hold);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(outcome.ran, TASKS);
        check_refuses(queue);
        check_outcomes(queue, TASKS + 1, 0, 0, 2 * REFUSALS);
        sq_queue_release(queue);
    }
}

TEST(a_discard_discards_what_has_not_started_in_order_and_lets_the_running_task_end) {
    enum { TASKS = 300 };
    sq_queue_t *queue = make_queue_of("discarded", 0);
    journal_t journal = { 0 };
    static entry_t entries[TASKS];
    hold_t hold;
    hold_async(&hold, queue);
    for (int i = 0; i < TASKS; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, &entries[i], write_entry }), 0);
    }
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), 0); /* no discard function: nothing to be called */
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(journal.count, 0);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(journal.count, TASKS);
    for (int i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    check_outcomes(queue, 1, TASKS + 1, 0, 0);
    sq_queue_release(queue);
}

static void check_waiters_of(void (*hold_by)(hold_t *, sq_queue_t *), sq_shutdown_mode_t mode) {
    sq_queue_t *queue = make_queue_of("waiters", 0);
    size_t ran = 0;
    caller_t callers[3];
    hold_t hold;
    hold_by(&hold, queue);
    for (int i = 0; i < 3; i += 1) {
        const way_t ways[] = { BY_SYNC, BY_CALL, BY_SYNC_UNTIL };
        caller_start(&callers[i], ways[i], queue, FAR, add_one, &ran);
        wait_for_depth(queue, (size_t)i + 1);
        wait_until_asleep(&callers[i].thread_id);
    }
    uint64_t late = 0;
    while (CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT)
           && stats_now(queue).withdrawn == 0) {
        late += 1; /* it took no place */
    }
    CHECK_EQUAL(sq_shutdown(queue, mode, SQ_NOW), ETIMEDOUT);
    if (mode == SQ_SHUTDOWN_DRAIN) {
        hold_end(&hold);
    }
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(caller_end(&callers[i]), mode == SQ_SHUTDOWN_DRAIN ? 0 : ESHUTDOWN);
    }
    if (mode == SQ_SHUTDOWN_DISCARD) {
        CHECK_EQUAL(sq_queue_depth(queue), 0);
        hold_end(&hold);
    }
    CHECK_EQUAL(sq_shutdown(queue, mode, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, mode == SQ_SHUTDOWN_DRAIN ? 3 : 0);
    check_outcomes(queue, 1 + ran, 0, mode == SQ_SHUTDOWN_DRAIN ? 1 : 4, late);
    sq_queue_release(queue);
}

TEST(a_drain_lets_waiting_callers_have_their_turns) {
    check_waiters_of(hold_async, SQ_SHUTDOWN_DRAIN);
    check_waiters_of(hold_sync, SQ_SHUTDOWN_DRAIN);
}

TEST(a_discard_refuses_waiting_callers_at_once_although_a_task_is_stuck) {
    check_waiters_of(hold_async, SQ_SHUTDOWN_DISCARD);
    check_waiters_of(hold_sync, SQ_SHUTDOWN_DISCARD);
}

TEST(a_drain_can_be_turned_into_a_discard_and_not_back) {
    sq_queue_t *queue = make_queue_of("turned", 0);
    outcome_t outcome = { 0 };
    hold_t hold;
    hold_async(&hold, queue);
    submit(queue, &outcome, 200);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, sq_deadline(1000)), ETIMEDOUT);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(outcome.ran, 0);
    CHECK_EQUAL(outcome.discarded, 200);
    sq_queue_release(queue);
}

TEST(a_mode_that_is_none_is_refused_and_does_nothing) {
    sq_queue_t *queue = make_queue_of("mode", 0);
    CHECK_EQUAL(sq_shutdown(queue, (sq_shutdown_mode_t)7, SQ_FOREVER), EINVAL);
    drain(queue);
    sq_queue_release(queue);
}

TEST(a_queue_never_used_or_used_with_sync_alone_ends_at_once_without_a_thread) {
    uint64_t started = threads_started();
    for (int mode = SQ_SHUTDOWN_DRAIN; mode <= SQ_SHUTDOWN_DISCARD; mode += 1) {
        for (int used = 0; used < 2; used += 1) {
            sq_queue_t *queue = make_queue_of("unused", 0);
            if (used) {
                drain(queue);
            }
            CHECK_EQUAL(sq_shutdown(queue, (sq_shutdown_mode_t)mode, SQ_NOW), 0);
            CHECK_EQUAL(sq_shutdown(queue, (sq_shutdown_mode_t)mode, SQ_NOW), 0);
            check_refuses(queue);
            sq_queue_release(queue);
        }
    }
    CHECK_EQUAL(threads_started(), started);
}

TEST(after_the_end_the_thread_is_gone_and_the_last_release_frees) {
    for (int i = 0; i < 200; i += 1) {
        sq_queue_t *queue = make_queue_of("gone", i % 3 ? 0 : 4);
        outcome_t outcome = { 0 };
        submit(queue, &outcome, 3);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(outcome.ran, 3);
        let_threads_end(1); /* before the release: this test's own */
        CHECK_EQUAL(threads_alive(), 1);
        sq_queue_release(queue);
    }
}

/* Nothing touches the caller's memory, nor the queue's, after the 0. */
TEST(after_the_end_what_the_tasks_used_can_be_freed) {
    for (size_t i = 0; i < scaled(2000); i += 1) {
        sq_queue_t *queue = make_queue_of("freed", 0);
        outcome_t *outcome = malloc(sizeof *outcome);
        REQUIRE(outcome != NULL);
        *outcome = (outcome_t){ 0 };
        submit(queue, outcome, 2);
        CHECK_EQUAL(sq_shutdown(queue, i % 2 ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
        CHECK_EQUAL(outcome->ran + outcome->discarded, 2);
        memset(outcome, 0xA5, sizeof *outcome);
        free(outcome);
        sq_queue_release(queue);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
}

static void shut_own_down(void *context) {
    sq_queue_t *queue = context;
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "shutdown") != NULL);
    CHECK(strstr(sq_deadlock_report(), "\"own\"") != NULL);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), EDEADLK);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ESHUTDOWN);
}

TEST(a_shutdown_from_the_own_task_begins_it_and_returns_at_once) {
    for (int i = 0; i < 3; i += 1) {
        sq_queue_t *queue = make_queue_of("own", 0);
        outcome_t outcome = { 0 };
        hold_t hold;
        hold_async(&hold, queue);
        if (i == 0) {
            CHECK_EQUAL(sq_async(queue, shut_own_down, queue), 0);
            submit(queue, &outcome, 5);
            hold_end(&hold);
        } else {
            hold_end(&hold);
            CHECK_EQUAL(i == 1 ? sq_sync(queue, shut_own_down, queue)
                               : sq_run_and_wait(queue, SQ_FOREVER, shut_own_down, queue), 0);
        }
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(outcome.ran, i == 0 ? 5 : 0);
        sq_queue_release(queue);
    }
}

static void shut_own_down_and_release(void *context) {
    CHECK_EQUAL(sq_shutdown(context, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), EDEADLK);
    sq_queue_release(context);
}

TEST(a_task_can_shut_its_own_queue_down_and_release_it) {
    for (int i = 0; i < 300; i += 1) {
        sq_queue_t *queue = make_queue_of("own", 0);
        outcome_t outcome = { 0 };
        hold_t hold;
        hold_async(&hold, queue);
        CHECK_EQUAL(sq_async(queue, shut_own_down_and_release, queue), 0);
        submit(queue, &outcome, 3);
        hold_end(&hold);
        let_threads_end(1);
        CHECK_EQUAL(outcome.discarded, 3);
    }
}
