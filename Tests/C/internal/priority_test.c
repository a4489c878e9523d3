/* priority_test.c: queues of three priorities on one pool. A manual pool makes the order certain. */
#include "manual.h"
#include "pool/pool.h"
#include "queue/after_end.h"
#include "sq_shutdown.h"

#include <errno.h>

static sq_queue_t *queue_of(sq_pool_t *pool, sq_priority_t priority) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.priority = priority;
    sq_queue_t *queue = sq_queue_create("priority", &options);
    REQUIRE(queue != NULL);
    return queue;
}

TEST(a_higher_priority_is_first_and_each_is_in_order) {
    sq_pool_t *pool = sq_pool_create_manual("levels");
    sq_queue_t *low = queue_of(pool, SQ_PRIORITY_LOW), *high = queue_of(pool, SQ_PRIORITY_HIGH);
    sq_queue_t *normal = queue_of(pool, SQ_PRIORITY_NORMAL), *second_normal = queue_of(pool, SQ_PRIORITY_NORMAL);
    begin();
    submit(low, 1);
    submit(normal, 2);
    submit(second_normal, 3);
    submit(high, 4);
    submit(normal, 5);
    CHECK_EQUAL(sq_pool_run(pool), 5);
    CHECK_JOURNAL(4, 2, 5, 3, 1);
    submit(low, 6);
    submit(high, 7);
    CHECK_EQUAL(sq_pool_run(pool), 2);
    CHECK_JOURNAL(4, 2, 5, 3, 1, 7, 6);
    sq_queue_release(low);
    sq_queue_release(high);
    end(pool, normal, second_normal);
}

/* The queue submits a batch to itself until all three low tasks have run. */
typedef struct flood {
    sq_queue_t *queue;
    size_t batches, *low_ran;
} flood_t;

typedef struct low {
    const flood_t *flood;
    size_t ran, at[3];
} low_t;

static void flood_on(void *context) {
    flood_t *flood = context;
    flood->batches += 1;
    if (*flood->low_ran < 3) {
        for (size_t i = 1; i <= SQ__BATCH; i += 1) { /* the last one begins the next batch */
            CHECK_EQUAL(sq_async(flood->queue, i == SQ__BATCH ? flood_on : do_nothing, flood), 0);
        }
    }
}

static void note_low(void *context) {
    low_t *low = context;
    low->at[low->ran++] = low->flood->batches;
}

static void check_that_low_waits_for_63_batches(sq_priority_t above, sq_priority_t below) {
    sq_pool_t *pool = sq_pool_create_manual("levels");
    sq_queue_t *high = queue_of(pool, above);
    sq_queue_t *lows[3] = { queue_of(pool, below), queue_of(pool, below), queue_of(pool, below) };
    flood_t flood = { .queue = high };
    low_t low = { .flood = &flood };
    flood.low_ran = &low.ran;
    CHECK_EQUAL(sq_async(high, flood_on, &flood), 0);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_async(lows[i], note_low, &low), 0);
    }
    sq_pool_run(pool);
    CHECK_EQUAL(low.ran, 3);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(low.at[i], (i + 1) * (SQ__BATCH - 1));
        sq_queue_release(lows[i]);
    }
    sq_queue_release(high);
    sq_pool_release(pool);
}

TEST(a_lower_priority_gets_one_batch_in_64) {
    check_that_low_waits_for_63_batches(SQ_PRIORITY_HIGH, SQ_PRIORITY_NORMAL);
    check_that_low_waits_for_63_batches(SQ_PRIORITY_HIGH, SQ_PRIORITY_LOW);
    check_that_low_waits_for_63_batches(SQ_PRIORITY_NORMAL, SQ_PRIORITY_LOW);
}

/* The wait runs what the queue itself has ready, whatever its level. */
TEST(a_sync_on_a_manual_pool_runs_a_queue_of_any_priority) {
    for (sq_priority_t priority = SQ_PRIORITY_LOW; priority <= SQ_PRIORITY_HIGH; priority += 1) {
        sq_pool_t *pool = sq_pool_create_manual("levels");
        sq_queue_t *queue = queue_of(pool, priority), *other = queue_of(pool, SQ_PRIORITY_HIGH);
        begin();
        submit(other, 3);
        submit(queue, 1);
        CHECK_EQUAL(sq_sync(queue, write_entry, &numbers[2]), 0);
        CHECK_JOURNAL(1, 2);
        CHECK_EQUAL(sq_pool_run(pool), 1);
        end(pool, queue, other);
    }
}

static void write_job(void *entry, void *unused, bool runs) {
    (void)unused;
    CHECK(runs);
    write_entry(entry);
}

TEST(a_late_job_has_the_priority_of_its_queue) {
    sq_pool_t *pool = sq_pool_create_manual("levels");
    sq_queue_t *queues[3];
    begin();
    for (int i = 0; i < 3; i += 1) { /* low, normal, high */
        queues[i] = queue_of(pool, (sq_priority_t)(i - 1));
        CHECK_EQUAL(sq_shutdown(queues[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(sq__async_after_end(queues[i], write_job, &numbers[i], NULL), 0);
    }
    CHECK_EQUAL(sq_pool_run(pool), 3);
    CHECK_JOURNAL(2, 1, 0);
    end(pool, queues[0], queues[1]);
    sq_queue_release(queues[2]);
}

TEST(what_is_no_priority_is_refused) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.priority = (sq_priority_t)2;
    errno = 0;
    CHECK(sq_queue_create("none", &options) == NULL);
    CHECK_EQUAL(errno, EINVAL);
    options.priority = (sq_priority_t)-2;
    errno = 0;
    CHECK(sq_queue_create("none", &options) == NULL);
    CHECK_EQUAL(errno, EINVAL);
}
