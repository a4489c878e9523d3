/* loop_test.c: a pool that a thread of the program runs: what runs, when, and what its descriptor says. */
#include "loop.h"

TEST(nothing_runs_before_the_loop_is_run_and_the_descriptor_says_when_it_is_worthwhile) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    begin();
    CHECK(!is_readable(pool, 0));
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 0);
    CHECK_EQUAL(errno, EAGAIN);
    long threads = threads_alive();
    submit(queue, 1);
    submit(queue, 2);
    CHECK_EQUAL(journal.count, 0);
    CHECK(is_readable(pool, 0));
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 2);
    CHECK_JOURNAL(1, 2);
    CHECK(!is_readable(pool, 0));
    CHECK_EQUAL(threads_alive(), threads);
    end(pool, queue, NULL);
}

TEST(the_descriptor_is_written_once_for_each_time_that_the_loop_becomes_ready) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *first = queue_on(pool, "first", 0), *second = queue_on(pool, "second", 0);
    begin();
    for (int round = 0; round < 3; round += 1) {
        CHECK_EQUAL(writes_of(pool), 0);
        for (int i = 0; i < 10; i += 1) {
            submit(first, i);
            submit(second, i);
        }
        CHECK_EQUAL(writes_of(pool), 1);
        CHECK_EQUAL(sq_pool_run_some(pool, 5, SQ_NOW), 5);
        submit(first, 10);
        CHECK_EQUAL(writes_of(pool), 1);
        CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 16);
    }
    end(pool, first, second);
}

TEST(a_run_obeys_its_cap_and_leaves_the_descriptor_readable) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *first = queue_on(pool, "first", 0), *second = queue_on(pool, "second", 0);
    begin();
    for (int i = 0; i < 100; i += 1) {
        submit(first, i);
        submit(second, 500 + i);
    }
    size_t ran = 0;
    for (size_t most = 1; ran < 200; most = most % 90 + 13) {
        size_t rest = 200 - ran, more = sq_pool_run_some(pool, most, SQ_NOW);
        CHECK_EQUAL(more, most < rest ? most : rest);
        ran += more;
        CHECK_EQUAL(journal.count, ran);
        CHECK_EQUAL(is_readable(pool, 0), ran < 200);
    }
    CHECK(journal.entries[1] == 500 || journal.entries[1] == 1);
    submit(first, 1);
    CHECK_EQUAL(sq_pool_run_some(pool, 1, SQ_NOW), 1);
    CHECK(!is_readable(pool, 0)); /* a cap that is just reached leaves nothing */
    end(pool, first, second);
}

TEST(calls_that_a_pool_does_not_have_are_EINVAL) {
    sq_pool_t *loop = make_loop_pool(), *manual = make_manual_pool(), *threads = make_pool(1);
    sq_pool_t *others[] = { manual, threads };
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(sq_pool_run_some(others[i], 1, SQ_NOW), 0);
        CHECK_EQUAL(errno, EINVAL);
        CHECK_EQUAL(sq_pool_run_forever(others[i]), EINVAL);
        CHECK_EQUAL(sq_pool_stop(others[i]), EINVAL);
        CHECK_EQUAL(sq_pool_own(others[i]), EINVAL);
        errno = 0;
        CHECK_EQUAL(sq_pool_fd(others[i]), -1);
        CHECK_EQUAL(errno, EINVAL);
    }
    CHECK_EQUAL(sq_pool_run_some(loop, 0, SQ_NOW), 0);
    CHECK_EQUAL(errno, EINVAL);
    CHECK_EQUAL(sq_pool_run(loop), 0);
    CHECK_EQUAL(sq_pool_advance(loop, 1), 0);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = loop;
    options.width = 2;
    errno = 0;
    CHECK(sq_queue_create("concurrent", &options) == NULL && errno == EINVAL);
    sq_pool_release(loop);
    sq_pool_release(manual);
    sq_pool_release(threads);
}

TEST(a_run_with_a_deadline_waits_for_a_task_and_no_longer) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    begin();
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, sq_deadline(1000000)), 0);
    CHECK_EQUAL(errno, ETIMEDOUT);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, 1), 0);
    CHECK_EQUAL(errno, ETIMEDOUT);
    CHECK_EQUAL(sq_async_after(queue, 2000000, write_entry, &numbers[1]), 0);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, FAR), 1);
    CHECK_EQUAL(sq_async_after(queue, 2000000, write_entry, &numbers[2]), 0);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_FOREVER), 1);
    CHECK_JOURNAL(1, 2);
    end(pool, queue, NULL);
}

TEST(timers_and_delayed_tasks_make_the_descriptor_readable_when_they_are_due_and_run_on_the_owner) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    place_t late = { 0 }, tick = { 0 };
    CHECK_EQUAL(sq_async_after(queue, 1000000, note_place, &late), 0);
    CHECK(is_readable(pool, 100000));
    CHECK_EQUAL(late.count, 0);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 1);
    CHECK(pthread_equal(late.thread, pthread_self()));
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ note_place, &tick, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 1000000, 1000000, 0), 0);
    while (tick.count < 3) {
        REQUIRE(is_readable(pool, 100000));
        WHATEVER(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW));
    }
    CHECK(pthread_equal(tick.thread, pthread_self()));
    sq_timer_release(timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    end(pool, queue, NULL);
}

typedef struct visitor {
    sq_pool_t *pool;
    int some, forever;
} visitor_t;

static void *visit(void *argument) {
    visitor_t *visitor = argument;
    WHATEVER(sq_pool_run_some(visitor->pool, 1, SQ_FOREVER));
    visitor->some = errno;
    visitor->forever = sq_pool_run_forever(visitor->pool);
    return NULL;
}

TEST(a_second_thread_may_not_run_the_loop) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    visitor_t visitor = { .pool = pool };
    begin();
    WHATEVER(sq_pool_run_some(pool, 1, SQ_NOW));
    submit(queue, 1);
    join(spawn(visit, &visitor));
    CHECK_EQUAL(visitor.some, EPERM);
    CHECK_EQUAL(visitor.forever, EPERM);
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_pool_run_some(pool, 1, SQ_NOW), 1);
    end(pool, queue, NULL);
}

/* The host's own loop may run within a task: a dialog, for example. */
static void run_within(void *context) {
    spawner_t *spawner = context;
    submit(spawner->queue, 1);
    submit(spawner->other, 2);
    CHECK(is_readable(spawner->pool, 0));
    CHECK_EQUAL(sq_pool_run_some(spawner->pool, SIZE_MAX, SQ_NOW), 1); /* the own queue has its task running */
    CHECK(!is_readable(spawner->pool, 0));
    CHECK_EQUAL(sq_async_after(spawner->other, 1000000, write_entry, &numbers[3]), 0);
    CHECK(is_readable(spawner->pool, 100000));
    CHECK_EQUAL(sq_async(spawner->other, stop_loop, spawner->pool), 0);
    CHECK_EQUAL(sq_pool_run_forever(spawner->pool), 0);
    submit(spawner->other, 4);
}

TEST(a_task_can_run_the_rest_of_its_loop) {
    sq_pool_t *pool = make_loop_pool();
    spawner_t spawner = { pool, queue_on(pool, "outer", 0), queue_on(pool, "inner", 0), 0 };
    begin();
    CHECK_EQUAL(sq_async(spawner.queue, run_within, &spawner), 0);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 3);
    CHECK(journal.count == 4 && journal.entries[0] == 2 && journal.entries[1] == 3);
    end(pool, spawner.queue, spawner.other);
}

static void *stop_from_outside(void *pool) {
    stop_loop(pool);
    return NULL;
}

TEST(a_stop_ends_the_run_in_progress_or_the_next_one_and_once) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    begin();
    stop_loop(pool);
    stop_loop(pool);
    CHECK_EQUAL(sq_pool_run_forever(pool), 0);
    submit(queue, 1);
    CHECK_EQUAL(sq_async(queue, stop_loop, pool), 0);
    CHECK_EQUAL(sq_pool_run_forever(pool), 0);
    CHECK_JOURNAL(1);
    CHECK(!is_readable(pool, 0));
    for (size_t i = 0; i < scaled(1000); i += 1) {
        pthread_t stopper = spawn(stop_from_outside, pool);
        CHECK_EQUAL(sq_pool_run_forever(pool), 0);
        join(stopper);
    }
    end(pool, queue, NULL);
}

enum { MANY_TASKS = 100000 };

static void submit_the_next(void *context) {
    spawner_t *spawner = context;
    spawner->number += 1;
    if (spawner->number == 1) {
        stop_loop(spawner->pool);
    }
    if (spawner->number < MANY_TASKS) {
        CHECK_EQUAL(sq_async(spawner->queue, submit_the_next, spawner), 0);
    }
}

TEST(a_stop_is_seen_by_a_run_whose_queue_always_has_another_task) {
    sq_pool_t *pool = make_loop_pool();
    spawner_t spawner = { pool, queue_on(pool, "endless", 0), NULL, 0 };
    CHECK_EQUAL(sq_async(spawner.queue, submit_the_next, &spawner), 0);
    CHECK_EQUAL(sq_pool_run_forever(pool), 0);
    CHECK(spawner.number < MANY_TASKS);
    CHECK(is_readable(pool, 0));
    size_t left = (size_t)(MANY_TASKS - spawner.number);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), left);
    end(pool, spawner.queue, NULL);
}
