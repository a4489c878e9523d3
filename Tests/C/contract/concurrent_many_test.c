/* concurrent_many_test.c: more readers than a pool has threads, and more readers than one thread lets in at a time. */
#include "concurrent.h"
#include "pools.h"

enum { INSIDE = 70, BEHIND = 65 }; /* a thread lets 64 in; no more may wait at a time (harness.h) */

typedef struct crowd {
    sq_queue_t *queue;
    latch_t inside, leave;
    atomic_size_t before, after;
    bool has_barrier_run;
} crowd_t;

static void read_before(void *context) {
    crowd_t *crowd = context;
    latch_bump(&crowd->inside);
    latch_wait(&crowd->leave, 1);
    CHECK(!crowd->has_barrier_run);
    crowd->before += 1;
}

static void write_between(void *context) {
    crowd_t *crowd = context;
    CHECK_EQUAL(crowd->before, INSIDE);
    CHECK_EQUAL(crowd->after, 0);
    crowd->has_barrier_run = true;
}

static void read_after(void *context) {
    crowd_t *crowd = context;
    CHECK(crowd->has_barrier_run);
    crowd->after += 1;
    latch_bump(&crowd->inside);
    latch_wait(&crowd->inside, INSIDE + BEHIND); /* all at the same time */
}

TEST(seventy_blocked_readers_a_barrier_and_sixty_five_readers_behind_it_make_progress) {
    crowd_t crowd = { .queue = make_concurrent(1, SQ_WIDTH_POOL), .inside = LATCH_INIT, .leave = LATCH_INIT };
    static visitor_t readers[INSIDE], barrier, behind[BEHIND];
    for (int i = 0; i < INSIDE; i += 1) {
        visitor_start(&readers[i], crowd.queue, false, read_before, &crowd);
    }
    latch_wait(&crowd.inside, INSIDE);
    visitor_start(&barrier, crowd.queue, true, write_between, &crowd);
    wait_for_depth(crowd.queue, 1);
    for (int i = 0; i < BEHIND; i += 1) {
        visitor_start(&behind[i], crowd.queue, false, read_after, &crowd);
    }
    wait_for_depth(crowd.queue, 1 + BEHIND);
    latch_bump(&crowd.leave);
    for (int i = 0; i < INSIDE; i += 1) {
        CHECK_EQUAL(visitor_end(&readers[i]), 0);
    }
    CHECK_EQUAL(visitor_end(&barrier), 0);
    for (int i = 0; i < BEHIND; i += 1) {
        CHECK_EQUAL(visitor_end(&behind[i]), 0);
    }
    CHECK_EQUAL(crowd.after, BEHIND);
    check_outcomes(crowd.queue, INSIDE + 1 + BEHIND, 0, 0, 0);
    sq_queue_release(crowd.queue);
}

/* The queue's entry is in the pool's list behind a task that blocks the only thread. */
TEST(a_queue_with_a_late_entry_ends_although_all_threads_of_its_pool_block) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL), *serial = queue_on(pool, "serial", 0);
    stay_t first = STAY_INIT, blocks = STAY_INIT;
    CHECK_EQUAL(sq_async(queue, stay, &first), 0);
    latch_wait(&first.entered, 1);
    CHECK_EQUAL(sq_async(serial, stay, &blocks), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0); /* its entry is second, and the thread runs it before it looks there */
    latch_bump(&first.leave);
    latch_wait(&blocks.entered, 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    check_outcomes(queue, 2, 0, 0, 0);
    latch_bump(&blocks.leave);
    sq_queue_release(queue);
    CHECK_EQUAL(sq_sync(serial, do_nothing, NULL), 0);
    sq_queue_release(serial);
    sq_pool_release(pool);
}

/* Readers that wait for a task on their own pool */

enum { WAITING = 64, ASYNC = 67 };

typedef struct waiting {
    sq_queue_t *serial;
    latch_t inside;
    atomic_size_t ran;
    size_t ran_before_barrier;
} waiting_t;

static void wait_inside(void *context) {
    waiting_t *waiting = context;
    latch_bump(&waiting->inside);
    CHECK_EQUAL(sq_run_and_wait(waiting->serial, SQ_FOREVER, do_nothing, NULL), 0);
    waiting->ran += 1;
}

static void note_readers(void *context) {
    waiting_t *waiting = context;
    waiting->ran_before_barrier = waiting->ran;
}

/* In a process of its own: each of these threads keeps what it has waited on. */
int child_main(int count, char **words) {
    (void)count, (void)words;
    sq_pool_t *pool = sq_pool_create("pool", NULL);
    REQUIRE(pool != NULL);
    sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
    waiting_t waiting = { .serial = queue_on(pool, "serial", 0), .inside = LATCH_INIT };
    CHECK_EQUAL(sq_suspend(waiting.serial), 0);
    for (int i = 0; i < ASYNC; i += 1) {
        CHECK_EQUAL(sq_async(queue, wait_inside, &waiting), 0);
    }
    CHECK_EQUAL(sq_async_barrier(queue, note_readers, &waiting), 0);
    latch_wait(&waiting.inside, WAITING);
    CHECK_EQUAL(sq_resume(waiting.serial), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(waiting.ran_before_barrier, ASYNC);
    sq_queue_release(waiting.serial);
    sq_queue_release(queue);
    sq_pool_release(pool);
    return 0;
}

/* All threads that the pool may have wait in readers; more readers wait for a thread, and the barrier for all of them. */
TEST(sixty_seven_async_readers_that_wait_for_their_own_pool_end_before_the_barrier_behind_them) {
    CHECK_EQUAL(run_child((const char *const[]){ "async", NULL }), 0);
}

/* Each of them submits the next one. */
typedef struct endless {
    sq_queue_t *queue;
    atomic_bool stops;
    latch_t over;
} endless_t;

static void run_next(void *context) {
    endless_t *endless = context;
    if (endless->stops) {
        latch_bump(&endless->over);
    } else {
        CHECK_EQUAL(sq_async(endless->queue, run_next, endless), 0);
    }
}

static void stop(void *context) { ((endless_t *)context)->stops = true; }

TEST(a_concurrent_queue_that_never_runs_out_leaves_the_thread_to_others) {
    const sq_pool_options_t one = { .size = sizeof one, .threads = 1 };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create("pool", &one);
    REQUIRE(options.pool != NULL);
    endless_t endless = { .queue = make_concurrent_on(options.pool, SQ_WIDTH_POOL), .over = LATCH_INIT };
    sq_queue_t *other = sq_queue_create("other", &options);
    REQUIRE(other != NULL);
    sq_pool_release(options.pool);
    CHECK_EQUAL(sq_async(endless.queue, run_next, &endless), 0);
    CHECK_EQUAL(sq_async(other, stop, &endless), 0);
    latch_wait(&endless.over, 1);
    sq_queue_release(other);
    sq_queue_release(endless.queue);
}
