/* manual_test.c: a pool without threads: what runs, when, in which order, on the test's own thread. */
#include "manual.h"
#include "pool/pool.h"

/* Running */

TEST(nothing_runs_before_the_pool_is_run) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0);
    begin();
    CHECK_EQUAL(sq_pool_run(pool), 0);
    long threads = threads_alive();
    submit(queue, 1);
    submit(queue, 2);
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_queue_depth(queue), 2);
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK_JOURNAL(1, 2);
    CHECK_EQUAL(sq_pool_run(pool), 0);
    CHECK_EQUAL(threads_alive(), threads);
    end(pool, queue, NULL);
}

TEST(a_queue_returns_its_manual_pool_but_no_other_pool) {
    sq_pool_t *pool = make_manual_pool(), *other = sq_pool_create("with threads", NULL);
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0), *with_threads = queue_on(other, "on a manual pool", 0);
    sq_queue_t *alone = sq_queue_create("on no pool", NULL);
    CHECK(sq_queue_manual_pool(queue) == pool);
    CHECK(sq_queue_manual_pool(with_threads) == NULL);
    CHECK(sq_queue_manual_pool(alone) == NULL);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK(sq_queue_manual_pool(queue) == pool);
    sq_queue_release(alone);
    sq_pool_release(other);
    end(pool, queue, with_threads);
}

TEST(whether_a_queue_has_ended_is_answered_without_running_a_task) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0);
    begin();
    CHECK(!sq_has_ended(queue));
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(queue, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK(!sq_has_ended(queue));
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK(!sq_has_ended(queue));
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_pool_run(pool), 1);
    CHECK(sq_has_ended(queue));
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), 0);
    end(pool, queue, NULL);
}

TEST(queues_of_a_manual_pool_take_turns_of_a_batch_in_the_order_in_which_they_became_ready) {
    enum { EACH = SQ__BATCH + 36 };
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *first = queue_on(pool, "on a manual pool", 0), *second = queue_on(pool, "on a manual pool", 0);
    begin();
    for (int i = 0; i < EACH; i += 1) {
        submit(first, i);
        submit(second, 500 + i);
    }
    CHECK_EQUAL(sq_pool_run(pool), 2 * EACH);
    REQUIRE(journal.count == 2 * EACH);
    for (int i = 0; i < EACH; i += 1) {
        int turn = i / SQ__BATCH, length = turn == 0 ? SQ__BATCH : EACH - SQ__BATCH, at = 2 * turn * SQ__BATCH + i % SQ__BATCH;
        CHECK_EQUAL(journal.entries[at], i);
        CHECK_EQUAL(journal.entries[at + length], 500 + i);
    }
    end(pool, first, second);
}

static void submit_two_more(void *context) {
    spawner_t *spawner = context;
    submit(spawner->other, spawner->number + 1);
    submit(spawner->queue, spawner->number + 2);
}

TEST(a_run_includes_what_its_tasks_submit_and_what_is_discarded) {
    sq_pool_t *pool = make_manual_pool();
    spawner_t spawner = { pool, queue_on(pool, "on a manual pool", 0), queue_on(pool, "on a manual pool", 0), 10 };
    size_t discarded = 0;
    begin();
    CHECK_EQUAL(sq_async(spawner.queue, submit_two_more, &spawner), 0);
    CHECK_EQUAL(sq_pool_run(pool), 3);
    CHECK_JOURNAL(12, 11);
    CHECK_EQUAL(sq_async_task(spawner.queue, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_shutdown(spawner.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded, 1);
    CHECK_EQUAL(sq_pool_run(pool), 0);
    CHECK_EQUAL(sq_suspend(spawner.other), 0);
    CHECK_EQUAL(sq_async_task(spawner.other, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_pool_run(pool), 0);
    sq_queue_release(spawner.other); /* nothing can resume it */
    CHECK_EQUAL(sq_pool_run(pool), 1);
    CHECK_EQUAL(discarded, 2);
    end(pool, spawner.queue, NULL);
}

static void run_within(void *context) {
    spawner_t *spawner = context;
    submit(spawner->queue, 1);
    submit(spawner->other, 2);
    CHECK_EQUAL(sq_pool_run(spawner->pool), 1); /* the own queue has its task running */
    submit(spawner->other, 3);
}

TEST(a_task_can_run_the_rest_of_its_pool) {
    sq_pool_t *pool = make_manual_pool();
    spawner_t spawner = { pool, queue_on(pool, "on a manual pool", 0), queue_on(pool, "on a manual pool", 0), 0 };
    begin();
    CHECK_EQUAL(sq_async(spawner.queue, run_within, &spawner), 0);
    CHECK_EQUAL(sq_pool_run(pool), 3);
    CHECK_JOURNAL(2, 1, 3);
    end(pool, spawner.queue, spawner.other);
}

/* The end */

static void let_all_go(void *context) {
    spawner_t *spawner = context;
    sq_queue_release(spawner->queue);
    sq_pool_release(spawner->pool);
}

/* Regression: the run still used the pool after its last release (seen by AddressSanitizer). */
TEST(a_task_can_release_the_last_references_while_the_pool_is_run) {
    for (int i = 0; i < 4; i += 1) {
        spawner_t spawner = { .pool = make_manual_pool() };
        spawner.queue = queue_on(spawner.pool, "on a manual pool", 0);
        CHECK_EQUAL(sq_async(spawner.queue, let_all_go, &spawner), 0);
        switch (i) {
        case 0:
            CHECK_EQUAL(sq_pool_run(spawner.pool), 1);
            break;
        case 1:
            CHECK_EQUAL(sq_pool_advance(spawner.pool, 5), 1);
            break;
        case 2:
            CHECK_EQUAL(sq_async(spawner.queue, do_nothing, NULL), 0);
            CHECK_EQUAL(sq_pool_run(spawner.pool), 2);
            break;
        default: /* only the wait keeps the queue */
            CHECK_EQUAL(sq_sync(sq_queue_retain(spawner.queue), do_nothing, NULL), 0);
            sq_queue_release(spawner.queue);
        }
    }
}

TEST(what_is_left_at_the_last_release_of_a_queue_runs_when_the_pool_is_run) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0);
    begin();
    submit(queue, 1);
    submit(queue, 2);
    sq_queue_release(queue);
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK_JOURNAL(1, 2);
    sq_pool_release(pool);
}

TEST(a_manual_pool_without_memory_is_ENOMEM) {
    uint64_t failed;
    int tries = 0;
    do {
        tries += 1;
        fail_nth(FAIL_ALLOCATION, (uint64_t)tries, tries % 2);
        errno = 0;
        sq_pool_t *pool = sq_pool_create_manual(NULL);
        int error = errno;
        failed = fail_nothing();
        CHECK_EQUAL(pool == NULL, failed > 0);
        if (failed > 0) {
            CHECK_EQUAL(error, ENOMEM);
        }
        sq_pool_release(pool);
    } while (failed > 0);
    CHECK_EQUAL(tries - 1, 2); /* the pool, its clock */
}

/* The clock */

TEST(an_advance_runs_what_is_ready_and_what_falls_due_and_counts_it) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0), *other = queue_on(pool, "on a manual pool", 0);
    begin();
    CHECK_EQUAL(sq_async_after(queue, 30, write_entry, &numbers[30]), 0);
    CHECK_EQUAL(sq_async_after(other, 10, write_entry, &numbers[10]), 0);
    CHECK_EQUAL(sq_async_after(queue, 10, write_entry, &numbers[11]), 0);
    submit(queue, 1);
    CHECK_EQUAL(sq_pool_advance(pool, 9), 1);
    CHECK_EQUAL(sq_pool_advance(pool, 1), 2);
    CHECK_EQUAL(sq_pool_run(pool), 0);
    CHECK_EQUAL(sq_pool_advance(pool, SQ_FOREVER), 1);
    CHECK_EQUAL(sq_pool_advance(pool, 1), 0);
    CHECK_JOURNAL(1, 10, 11, 30);
    end(pool, queue, other);
}

/* Forks */

typedef struct stem {
    sq_pool_t *pool;
    sq_queue_t *queue;
    pid_t child;
    int from_run, from_sync;
} stem_t;

static void branch(void *context) {
    fflush(stdout);
    ((stem_t *)context)->child = fork();
}

/* 0: all is well in the child. */
static int look_around(const stem_t *stem) {
    int wrong = 0;
    size_t ran = 0;
    wrong += !CHECK(sq_current_queue() == NULL);
    wrong += !CHECK_EQUAL(sq_pool_run(stem->pool), 0);
    wrong += !CHECK_EQUAL(sq_pool_advance(stem->pool, 1000), 0);
    wrong += !CHECK_EQUAL(sq_async(stem->queue, must_not_run, NULL), ESTALE);
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "on a manual pool", 0);
    wrong += !CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(ran, 2);
    end(pool, queue, NULL);
    return wrong;
}

static int wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
    return status;
}

/* Regression: in the child the frame of the task was still there (the next sync ended the program), and a wait whose turn
 * could not come never ended. */
TEST(a_task_of_a_manual_pool_can_fork) {
    if (fork_left_out()) {
        return;
    }
    for (int way = 0; way < 4; way += 1) {
        stem_t stem = { .pool = make_manual_pool() };
        stem.queue = queue_on(stem.pool, "on a manual pool", 0);
        CHECK_EQUAL(sq_async(stem.queue, branch, &stem), 0);
        int expected = 0, error = 0;
        switch (way) {
        case 0:
            sq_pool_run(stem.pool);
            break;
        case 1:
            error = sq_sync(stem.queue, do_nothing, NULL);
            break;
        case 2:
            error = sq_run_and_wait(stem.queue, SQ_FOREVER, do_nothing, NULL);
            break;
        default:
            error = sq_shutdown(stem.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
        }
        if (stem.child == 0) {
            expected = way > 0 ? ESTALE : 0;
            _exit(!CHECK_EQUAL(error, expected) + look_around(&stem));
        }
        CHECK_EQUAL(error, expected);
        CHECK_EQUAL(wait_for(stem.child), 0);
        end(stem.pool, stem.queue, NULL);
    }
}
