/* shutdown_suspended_test.c: shutdowns of suspended queues, and shutdowns without a waiting thread. */
#include "shutdown.h"

TEST(a_suspended_queue_drains_once_it_is_resumed) {
    sq_queue_t *queue = make_queue_of("suspended", 0);
    outcome_t outcome = { 0 };
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, &outcome, 200);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, sq_deadline(1000000)), ETIMEDOUT);
    check_refuses(queue);
    CHECK_EQUAL(sq_suspend(queue), 0); /* still legal during the shutdown */
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(outcome.ran + outcome.discarded, 0);
    caller_t caller;
    caller_start(&caller, BY_SHUTDOWN, queue, SQ_FOREVER, NULL, NULL);
    wait_until_asleep(&caller.thread_id);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_EQUAL(outcome.ran, 200);
    CHECK_EQUAL(sq_suspend(queue), ESHUTDOWN);
    CHECK_EQUAL(sq_resume(queue), EINVAL);
    sq_queue_release(queue);
}

TEST(a_suspended_queue_is_discarded_without_being_resumed) {
    sq_queue_t *queue = make_queue_of("suspended", 0);
    outcome_t outcome = { 0 };
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, &outcome, 200);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(outcome.discarded, 200);
    sq_queue_release(queue);
}

TEST(a_suspended_queue_without_tasks_ends_at_once) {
    for (int mode = SQ_SHUTDOWN_DRAIN; mode <= SQ_SHUTDOWN_DISCARD; mode += 1) {
        sq_queue_t *queue = make_queue_of("suspended", 0);
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_shutdown(queue, (sq_shutdown_mode_t)mode, FAR), 0);
        sq_queue_release(queue);
    }
}

TEST(a_suspended_queue_that_is_draining_is_discarded_by_its_last_release) {
    sq_queue_t *queue = make_queue_of("suspended", 0);
    outcome_t outcome = { 0 };
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, &outcome, 200);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    sq_queue_release(queue);
    let_threads_end(1);
    CHECK_EQUAL(outcome.discarded, 200);
}

/* Instead of waiting: shut down and release, while other threads wait for the end with their own references. */
TEST(a_shutdown_that_no_thread_waits_for_still_ends_and_frees) {
    for (size_t i = 0; i < scaled(500); i += 1) {
        sq_queue_t *queue = make_queue_of("nobody", 0);
        outcome_t outcome = { 0 };
        hold_t hold;
        hold_async(&hold, queue);
        submit(queue, &outcome, 10);
        CHECK_EQUAL(sq_shutdown(queue, i % 2 ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
        sq_queue_release(queue);
        hold_end(&hold);
        let_threads_end(1);
        CHECK_EQUAL(outcome.ran + outcome.discarded, 10);
        CHECK_EQUAL(outcome.ran, i % 2 ? 10 : 0);
    }
}
