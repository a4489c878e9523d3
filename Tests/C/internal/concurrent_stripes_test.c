/* concurrent_stripes_test.c: concurrent queues whose readers have overlapped so often that they are counted in stripes. */
#include "concurrent.h"
#include "dump.h"
#include "fork.h"
#include "gate/stripes.h"

/* While this reader is inside, another one comes and leaves: they have overlapped. */
static void be_visited(void *queue) {
    visitor_t visitor = { 0 };
    visitor_start(&visitor, queue, false, do_nothing, NULL);
    CHECK_EQUAL(visitor_end(&visitor), 0);
}

enum { OVERLAPS = 80 }; /* more than SQ__STRIPED_AFTER */

static sq_queue_t *make_striped(void) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    for (size_t i = 0; i < OVERLAPS; i += 1) {
        CHECK_EQUAL(sq_sync(queue, be_visited, queue), 0);
    }
    return queue;
}

TEST(statistics_count_each_reader_that_enters_by_a_stripe) {
    sq_queue_t *queue = make_striped();
    check_outcomes(queue, 2 * OVERLAPS, 0, 0, 0);
    size_t ran = 0;
    for (size_t i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    }
    check_outcomes(queue, 2 * OVERLAPS + 10, 0, 0, 0);
    CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, add_one, &ran), 0);
    CHECK_EQUAL(ran, 11);
    check_outcomes(queue, 2 * OVERLAPS + 11, 0, 0, 0);
    sq_queue_release(queue);
}

TEST(a_dump_counts_readers_in_stripes) {
    sq_queue_t *queue = make_striped();
    stay_t there = STAY_INIT;
    visitor_t readers[2] = { 0 };
    for (size_t i = 0; i < 2; i += 1) {
        visitor_start(&readers[i], queue, false, stay, &there);
    }
    latch_wait(&there.entered, 2);
    CHECK_LINE(dump_now(), "queue \"concurrent\"", "2 tasks run", NULL);
    CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, do_nothing, NULL), EAGAIN);
    CHECK_LINE(dump_now(), "queue \"concurrent\"", "2 tasks run", NULL);
    latch_bump(&there.leave);
    CHECK_EQUAL(visitor_end(&readers[0]), 0);
    CHECK_EQUAL(visitor_end(&readers[1]), 0);
    CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, do_nothing, NULL), 0);
    sq_queue_release(queue);
}

static int ask_striped(void *argument) {
    sq_queue_t *queue = argument;
    size_t ran = 0;
    int wrong = !CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(sq_async_barrier(queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(ran, 3);
    sq_queue_release(queue);
    return wrong;
}

TEST(in_the_child_a_free_striped_queue_takes_readers_and_barriers) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_striped();
    CHECK_EQUAL(in_fork(ask_striped, queue), 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_sync_barrier(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

/* A reader stays inside while the gate is gathered, opened and striped again, twice. */
TEST(a_barrier_waits_for_a_reader_of_an_earlier_gathering) {
    sq_queue_t *queue = make_striped();
    stay_t there = STAY_INIT;
    visitor_t reader = { 0 }, barrier = { 0 };
    visitor_start(&reader, queue, false, stay, &there);
    latch_wait(&there.entered, 1);
    for (size_t round = 0; round < 2; round += 1) {
        CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
        for (size_t i = 0; i < 8 * OVERLAPS; i += 1) {
            CHECK_EQUAL(sq_sync(queue, be_visited, queue), 0);
        }
    }
    latch_t ran = LATCH_INIT;
    visitor_start(&barrier, queue, true, bump, &ran);
    (void)dump_until("its turn as a barrier in queue \"concurrent\"", NULL, NULL);
    CHECK_EQUAL(latch_value(&ran), 0);
    latch_bump(&there.leave);
    CHECK_EQUAL(visitor_end(&barrier), 0);
    CHECK_EQUAL(visitor_end(&reader), 0);
    check_outcomes(queue, 2 * (OVERLAPS + 2 * 8 * OVERLAPS) + 2, 0, 0, 2);
    sq_queue_release(queue);
}

static void *read_twice(void *queue) {
    size_t ran = 0;
    CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(0), add_one, &ran), 0);
    CHECK_EQUAL(ran, 2);
    return NULL;
}

/* More threads than there are stripes come and end, one after the other, while a reader is inside and keeps the queue striped. */
TEST(threads_that_ended_leave_nothing_in_their_stripes) {
    sq_queue_t *queue = make_striped();
    stay_t there = STAY_INIT;
    visitor_t reader = { 0 };
    visitor_start(&reader, queue, false, stay, &there);
    latch_wait(&there.entered, 1);
    for (int i = 0; i < SQ__MOST_STRIPES + 2; i += 1) {
        join(spawn(read_twice, queue));
    }
    CHECK_LINE(dump_now(), "queue \"concurrent\"", "1 task runs", NULL); /* the reader that is inside, and no other */
    latch_bump(&there.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(sq_sync_barrier_until(queue, SQ_NOW, do_nothing, NULL), 0);
    sq_queue_release(queue);
}

/* As after 2^32 readers. What the gate has counted is then counted elsewhere, and its count begins anew. */
TEST(a_gate_that_is_full_of_counts_gives_them_away) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    size_t ran = 0;
    for (uint64_t round = 1; round < 3; round += 1) {
        (void)sq__add_relaxed(sq__gate_of(queue), (SQ__GATE_MOST_ENTERED - 1) * SQ__GATE_ENTERED_ONE);
        for (size_t i = 0; i < 3; i += 1) {
            CHECK_EQUAL((round == 1 ? sq_sync : sq_sync_barrier)(queue, add_one, &ran), 0);
        }
        CHECK(sq__gate_entered(sq__load_relaxed(sq__gate_of(queue))) < SQ__GATE_MOST_ENTERED);
        check_outcomes(queue, round * (SQ__GATE_MOST_ENTERED - 1) + ran, 0, 0, 0);
    }
    sq_queue_release(queue);
}

/* As after 2^42 readers. */
TEST(a_stripe_that_is_full_of_counts_gives_half_of_them_away) {
    sq_queue_t *queue = make_striped();
    sq__stripes_t *stripes = sq__load_relaxed(&sq__concurrent_of(queue)->stripes);
    size_t ran = 0;
    REQUIRE(stripes != NULL);
    uint64_t before = sq__stripes_entered(stripes), added = 0;
    for (uint32_t i = 0; i <= stripes->mask; i += 1) {
        sq__stripe_word_t missing = SQ__STRIPE_MOST_ENTERED - 1 - sq__stripe_entered(sq__load_relaxed(&stripes->stripe[i].word));
        (void)sq__add_relaxed(&stripes->stripe[i].word, missing * SQ__STRIPE_ENTERED_ONE);
        added += missing;
    }
    CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq__stripes_entered(stripes), before + added + 1 - SQ__STRIPE_MOST_ENTERED / 2);
    check_outcomes(queue, 2 * OVERLAPS + added + 1, 0, 0, 0);
    sq_queue_release(queue);
}
