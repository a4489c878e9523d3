/* concurrent_test.c: concurrent queues: what runs together, what runs alone, and in which order. */
#include "concurrent.h"
#include "inject.h"

typedef struct meeting {
    latch_t here;
    size_t expected;
} meeting_t;

static void meet(void *context) {
    meeting_t *meeting = context;
    latch_bump(&meeting->here);
    latch_wait(&meeting->here, meeting->expected);
}

TEST(sync_readers_run_at_the_same_time) {
    enum { READERS = 5 };
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    meeting_t meeting = { LATCH_INIT, READERS };
    visitor_t readers[READERS] = { 0 };
    for (size_t i = 0; i < READERS; i += 1) {
        visitor_start(&readers[i], queue, false, meet, &meeting);
    }
    for (size_t i = 0; i < READERS; i += 1) {
        CHECK_EQUAL(visitor_end(&readers[i]), 0);
    }
    check_outcomes(queue, READERS, 0, 0, 0);
    sq_queue_release(queue);
}

TEST(async_readers_run_at_the_same_time_as_each_other_and_as_a_sync) {
    enum { READERS = 4 };
    sq_queue_t *queue = make_concurrent(READERS, SQ_WIDTH_POOL);
    meeting_t meeting = { LATCH_INIT, READERS + 1 };
    for (size_t i = 0; i < READERS; i += 1) {
        CHECK_EQUAL(sq_async(queue, meet, &meeting), 0);
    }
    CHECK_EQUAL(sq_sync(queue, meet, &meeting), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    check_outcomes(queue, READERS + 2, 0, 0, 0);
    sq_queue_release(queue);
}

/* On a queue without contention neither takes a place, starts a thread or needs memory. */
TEST(readers_and_barriers_on_an_open_queue_need_no_memory) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    size_t ran = 0;
    uint64_t before = allocations();
    CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, add_one, &ran), 0);
    CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, add_one, &ran), 0);
    CHECK_EQUAL(allocations(), before);
    CHECK_EQUAL(ran, 4);
    check_outcomes(queue, 4, 0, 0, 0);
    sq_queue_release(queue);
}

/* The reader ahead stays; the barrier waits for it, and the two behind it wait for the barrier. */
TEST(a_barrier_waits_for_those_ahead_and_nobody_overtakes_it) {
    sq_queue_t *queue = make_concurrent(3, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT, alone = STAY_INIT;
    meeting_t behind = { LATCH_INIT, 2 };
    visitor_t reader = { 0 }, barrier = { 0 }, late = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    latch_wait(&ahead.entered, 1);
    visitor_start(&barrier, queue, true, stay, &alone);
    wait_for_depth(queue, 1);
    visitor_start(&late, queue, false, meet, &behind);
    wait_for_depth(queue, 2);
    CHECK_EQUAL(sq_async(queue, meet, &behind), 0);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_sync_until(queue, 1, must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(latch_value(&alone.entered), 0);
    latch_bump(&ahead.leave);
    latch_wait(&alone.entered, 1);
    CHECK_EQUAL(latch_value(&behind.here), 0);
    CHECK_EQUAL(sq_queue_depth(queue), 2);
    latch_bump(&alone.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(visitor_end(&barrier), 0);
    CHECK_EQUAL(visitor_end(&late), 0); /* the two behind have met: they ran together */
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    check_outcomes(queue, 5, 0, 0, 2);
    sq_queue_release(queue);
}

TEST(an_async_barrier_runs_after_all_before_it_and_before_all_after_it) {
    sq_queue_t *queue = make_concurrent(4, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    size_t before = 0, after = 0;
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    }
    latch_wait(&ahead.entered, 3);
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &before), 0);
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &before), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &after), 0);
    CHECK_EQUAL(sq_queue_depth(queue), 3);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &after), 0);
    CHECK_EQUAL(before, 2);
    CHECK_EQUAL(after, 2);
    sq_queue_release(queue);
}

TEST(width_counts_async_tasks_only) {
    enum { WIDTH = 2 };
    sq_queue_t *queue = make_concurrent(5, WIDTH);
    stay_t first = STAY_INIT, then = STAY_INIT;
    meeting_t meeting = { LATCH_INIT, 3 };
    visitor_t readers[3] = { 0 };
    for (size_t i = 0; i < 3; i += 1) { /* any number of sync callers */
        visitor_start(&readers[i], queue, false, meet, &meeting);
    }
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(visitor_end(&readers[i]), 0);
    }
    for (size_t i = 0; i < WIDTH; i += 1) {
        CHECK_EQUAL(sq_async(queue, stay, &first), 0);
    }
    latch_wait(&first.entered, WIDTH);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0); /* there is nothing before it that waits */
    CHECK_EQUAL(sq_async(queue, stay, &then), 0);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN); /* it waits behind that one */
    CHECK_EQUAL(sq_queue_depth(queue), 1);
    latch_bump(&first.leave);
    latch_wait(&then.entered, 1);
    latch_bump(&then.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    sq_queue_release(queue);
}

TEST(a_barrier_whose_deadline_passes_lets_those_behind_it_run) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    latch_t behind = LATCH_INIT;
    visitor_t reader = { 0 }, barrier = { .deadline = sq_deadline(100000000) }, late = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    latch_wait(&ahead.entered, 1);
    visitor_start(&barrier, queue, true, must_not_run, NULL);
    wait_for_depth(queue, 1);
    visitor_start(&late, queue, false, bump, &behind);
    latch_wait(&behind, 1); /* while the first reader is still there */
    CHECK_EQUAL(visitor_end(&barrier), ETIMEDOUT);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(visitor_end(&late), 0);
    check_outcomes(queue, 2, 0, 1, 0);
    sq_queue_release(queue);
}

TEST(a_task_that_is_cancelled_where_width_holds_it_up_lets_those_behind_it_go_ahead) {
    sq_queue_t *queue = make_concurrent(3, 2);
    stay_t ahead = STAY_INIT;
    latch_t behind = LATCH_INIT;
    visitor_t late = { 0 };
    sq_deferred_t task = { 0 };
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 2);
    task.call = (sq_pair_function_t)(void (*)(void))must_not_run;
    CHECK_EQUAL(sq_async_cancellable(queue, &task), 0);
    visitor_start(&late, queue, false, bump, &behind);
    wait_for_depth(queue, 2);
    CHECK(sq_async_cancel(queue, &task));
    latch_wait(&behind, 1);
    CHECK_EQUAL(visitor_end(&late), 0);
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    sq_queue_release(queue);
}

/* Each of the pool's threads stands in a sync behind the barrier, which needs one more. */
static void wait_with_seventy(void) {
    enum { READERS = 70 };
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2;
    sq_pool_t *pool = sq_pool_create("pool", &options);
    sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    size_t ran = 0;
    visitor_t reader = { 0 };
    sq_queue_t *queues[READERS];
    visitor_t visits[READERS] = { 0 };
    visitor_start(&reader, queue, false, stay, &ahead);
    latch_wait(&ahead.entered, 1);
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &ran), 0);
    for (size_t i = 0; i < READERS; i += 1) {
        queues[i] = make_concurrent_on(pool, SQ_WIDTH_POOL);
        visits[i] = (visitor_t){ queue, false, SQ_FOREVER, do_nothing, NULL, -1, 0, 0, "" };
        CHECK_EQUAL(sq_async(queues[i], (sq_function_t)(void (*)(void))visit, &visits[i]), 0);
    }
    wait_for_depth(queue, 1 + 60); /* most of the members there may be */
    latch_bump(&ahead.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    for (size_t i = 0; i < READERS; i += 1) {
        CHECK_EQUAL(sq_sync_barrier(queues[i], do_nothing, NULL), 0);
        CHECK_EQUAL(visits[i].error, 0);
        sq_queue_release(queues[i]);
    }
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

int child_main(int count, char **words) {
    (void)count;
    (void)words;
    wait_with_seventy();
    return 0;
}

/* In a process of its own: so many threads leave so many tokens. */
TEST(seventy_pool_threads_that_wait_behind_a_barrier_make_progress) {
    CHECK_EQUAL(run_child((const char *[]){ "seventy", NULL }), 0);
}

TEST(on_a_serial_queue_a_barrier_call_is_the_plain_one) {
    sq_queue_t *queue = sq_queue_create("serial", NULL);
    size_t ran = 0;
    CHECK_EQUAL(sq_async_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_barrier_task(queue, &(sq_task_t){ add_one, &ran, NULL }), 0);
    CHECK_EQUAL(sq_async_barrier_task(queue, &(sq_task_t){ NULL, &ran, NULL }), EINVAL);
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 3);
    CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, add_one, &ran), 0);
    check_outcomes(queue, 4, 0, 0, 1);
    sq_queue_release(queue);
}

/* Its slot is at the head, and the baton lies in the gate. */
TEST(a_call_that_timed_out_at_full_width_keeps_no_reader_out) {
    sq_pool_options_t threads = SQ_POOL_OPTIONS_INIT;
    threads.threads = 4;
    sq_pool_t *pool = sq_pool_create("pool", &threads);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.width = 2;
    sq_queue_t *queue = sq_queue_create("full", &options);
    REQUIRE(pool != NULL && queue != NULL);
    sq_pool_release(pool);
    hold_t holds[] = { HOLD_INIT, HOLD_INIT };
    size_t ran = 0;
    hold_async(&holds[0], queue);
    hold_async(&holds[1], queue);
    CHECK_EQUAL(sq_run_and_wait(queue, sq_deadline(1000000), add_one, &ran), ETIMEDOUT);
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(60 * 1000000000ull), add_one, &ran), 0);
    hold_end(&holds[0]);
    hold_end(&holds[1]);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}
