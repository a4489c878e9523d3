/* manual_wait_test.c: calls that wait on a manual pool: they first run what must run before them, on the calling thread. */
#include "manual.h"

TEST(a_call_that_waits_first_runs_what_its_queue_has_ready_and_nothing_else) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0), *other = queue_on(pool, "on a manual pool", 0);
    begin();
    submit(other, 100);
    submit(queue, 1);
    submit(queue, 2);
    CHECK_EQUAL(sq_sync(queue, write_entry, &numbers[3]), 0);
    CHECK_JOURNAL(1, 2, 3);
    submit(queue, 4);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, write_entry, &numbers[5]), 0);
    submit(queue, 6);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_sync_until(queue, FAR, write_entry, &numbers[7]), 0);
    submit(queue, 8);
    submit(queue, 9);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_JOURNAL(1, 2, 3, 4, 5, 6, 7, 8, 9);
    check_outcomes(queue, 9, 0, 0, 1);
    CHECK_EQUAL(sq_pool_run(pool), 1);
    end(pool, queue, other);
}

TEST(a_wait_for_room_runs_as_much_as_it_needs) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 2);
    begin();
    for (int i = 0; i < 6; i += 1) {
        CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ write_entry, &numbers[i], NULL }), 0);
        CHECK_EQUAL(journal.count, i < 2 ? 0 : i - 1);
    }
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK_JOURNAL(0, 1, 2, 3, 4, 5);
    end(pool, queue, NULL);
}

TEST(a_wait_for_what_cannot_be_run_ahead_ends_at_its_deadline) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0), *other = queue_on(pool, "on a manual pool", 0);
    begin();
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, 1);
    submit(other, 2);
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK_JOURNAL(2, 1);
    end(pool, queue, other);
}

static void wait_for_the_other(void *context) {
    spawner_t *spawner = context;
    submit(spawner->other, 1);
    CHECK_EQUAL(sq_sync(spawner->other, write_entry, &numbers[2]), 0);
    submit(spawner->other, 3);
    CHECK_EQUAL(sq_run_and_wait(spawner->other, FAR, write_entry, &numbers[4]), 0);
    CHECK_EQUAL(sq_shutdown(spawner->queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), EDEADLK); /* its own: begins and cancels a wait */
    write_entry(&numbers[5]);
}

/* Regression: the thread had one token for the wait and for what it ran ahead of it. */
TEST(what_is_run_ahead_of_a_wait_may_wait_in_turn) {
    sq_pool_t *pool = make_manual_pool();
    spawner_t spawner = { pool, queue_on(pool, "on a manual pool", 0), queue_on(pool, "on a manual pool", 0), 0 };
    begin();
    CHECK_EQUAL(sq_run_and_wait(spawner.queue, FAR, wait_for_the_other, &spawner), 0);
    CHECK_JOURNAL(1, 2, 3, 4, 5);
    CHECK_EQUAL(sq_sync(spawner.queue, must_not_run, NULL), ESHUTDOWN);
    sq_queue_release(spawner.queue);
    spawner.queue = queue_on(pool, "on a manual pool", 0);
    begin();
    CHECK_EQUAL(sq_async(spawner.queue, wait_for_the_other, &spawner), 0);
    CHECK_EQUAL(sq_sync(spawner.queue, write_entry, &numbers[6]), 0); /* its place was taken before the shutdown */
    CHECK_JOURNAL(1, 2, 3, 4, 5, 6);
    end(pool, spawner.queue, spawner.other);
}

static void come_back(void *context) { CHECK_EQUAL(sq_sync(((spawner_t *)context)->queue, must_not_run, NULL), EDEADLK); }

static void call_the_other(void *context) {
    spawner_t *spawner = context;
    CHECK_EQUAL(sq_async(spawner->other, come_back, spawner), 0);
    CHECK_EQUAL(sq_sync(spawner->other, write_entry, &numbers[1]), 0);
}

TEST(a_cycle_on_a_manual_pool_is_reported) {
    sq_pool_t *pool = make_manual_pool();
    spawner_t spawner = { pool, queue_on(pool, "on a manual pool", 0), queue_on(pool, "on a manual pool", 0), 0 };
    begin();
    CHECK_EQUAL(sq_async(spawner.queue, call_the_other, &spawner), 0);
    CHECK_EQUAL(sq_pool_run(pool), 1); /* the others ran within it */
    CHECK_JOURNAL(1);
    end(pool, spawner.queue, spawner.other);
}
