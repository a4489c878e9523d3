/* concurrent_cycle_test.c: cycles that lead through a concurrent queue: its readers, its barriers, members and items on it. One wait of
 * each is refused and named. */
#include "concurrent.h"

/* Two threads, each in a task of one queue, and each calls sync onto the other's queue. */
typedef struct crossing {
    sq_queue_t *concurrent, *serial;
    latch_t ready;
    int (*into)(sq_queue_t *, sq_time_t, sq_function_t, void *); /* from the serial into the concurrent one */
    size_t ran;
    int from_reader, from_serial;
    char report[1024];
} crossing_t;

static void keep_report(crossing_t *crossing, int error) {
    if (error == EDEADLK) {
        snprintf(crossing->report, sizeof crossing->report, "%s", sq_deadlock_report());
    }
}

static void go_to_serial(void *context) {
    crossing_t *crossing = context;
    latch_bump(&crossing->ready);
    latch_wait(&crossing->ready, 2);
    crossing->from_reader = sq_sync(crossing->serial, do_nothing, NULL);
    keep_report(crossing, crossing->from_reader);
}

static void go_to_concurrent(void *context) {
    crossing_t *crossing = context;
    latch_bump(&crossing->ready);
    latch_wait(&crossing->ready, 2);
    crossing->from_serial = crossing->into(crossing->concurrent, SQ_FOREVER, do_nothing, NULL);
    keep_report(crossing, crossing->from_serial);
}

static void cross(crossing_t *crossing, bool in_barrier, bool is_async) {
    crossing->concurrent = make_concurrent(2, SQ_WIDTH_POOL);
    crossing->serial = sq_queue_create("serial", NULL);
    visitor_t one = { 0 };
    if (is_async) {
        CHECK_EQUAL((in_barrier ? sq_async_barrier : sq_async)(crossing->concurrent, go_to_serial, crossing), 0);
    } else {
        visitor_start(&one, crossing->concurrent, in_barrier, go_to_serial, crossing);
    }
    CHECK_EQUAL(sq_sync(crossing->serial, go_to_concurrent, crossing), 0);
    if (!is_async) {
        CHECK_EQUAL(visitor_end(&one), 0);
    }
    CHECK_EQUAL(sq_sync_barrier(crossing->concurrent, do_nothing, NULL), 0);
    sq_queue_release(crossing->concurrent);
    sq_queue_release(crossing->serial);
}

TEST(a_cycle_through_a_reader_and_a_barrier_that_waits_is_named) {
    for (size_t i = 0; i < 20; i += 1) {
        crossing_t crossing = { .ready = LATCH_INIT, .into = sq_sync_barrier_until };
        cross(&crossing, false, i % 2);
        CHECK_EQUAL(crossing.from_reader + crossing.from_serial, EDEADLK); /* one of the two */
        CHECK(strstr(crossing.report, "queue \"serial\"") != NULL);
        CHECK(strstr(crossing.report, "queue \"concurrent\"") != NULL);
    }
}

TEST(a_cycle_through_a_barrier_that_runs_is_named) {
    for (size_t i = 0; i < 20; i += 1) {
        crossing_t crossing = { .ready = LATCH_INIT, .into = sq_sync_until };
        cross(&crossing, true, i % 2);
        CHECK_EQUAL(crossing.from_reader + crossing.from_serial, EDEADLK);
        CHECK(strstr(crossing.report, "queue \"concurrent\"") != NULL);
    }
}

/* The same shape, but the reader need not wait for the other one. */
TEST(a_reader_that_meets_a_reader_is_no_cycle) {
    for (size_t i = 0; i < 100; i += 1) {
        crossing_t crossing = { .ready = LATCH_INIT, .into = sq_sync_until };
        cross(&crossing, false, i % 2);
        CHECK_EQUAL(crossing.from_reader, 0);
        CHECK_EQUAL(crossing.from_serial, 0);
    }
}

/* In the cycle is a third wait, of a barrier with a deadline: that one is refused, though its thread runs no task. */
TEST(a_barrier_with_a_deadline_is_refused_before_those_that_wait_without_one) {
    crossing_t crossing = { .ready = LATCH_INIT, .into = sq_sync_until };
    crossing.concurrent = make_concurrent(2, SQ_WIDTH_POOL);
    crossing.serial = sq_queue_create("serial", NULL);
    visitor_t one = { 0 }, barrier = { .deadline = FAR };
    caller_t other;
    visitor_start(&one, crossing.concurrent, false, go_to_serial, &crossing);
    latch_wait(&crossing.ready, 1);
    visitor_start(&barrier, crossing.concurrent, true, must_not_run, NULL);
    wait_for_depth(crossing.concurrent, 1);
    caller_start(&other, BY_SYNC, crossing.serial, SQ_FOREVER, go_to_concurrent, &crossing);
    CHECK_EQUAL(visitor_end(&barrier), EDEADLK);
    CHECK(strstr(barrier.report, "has a barrier at the head of its queue and waits for queue \"concurrent\", with a deadline") != NULL);
    CHECK_EQUAL(caller_end(&other), 0);
    CHECK_EQUAL(visitor_end(&one), 0);
    CHECK_EQUAL(crossing.from_reader, 0);
    CHECK_EQUAL(crossing.from_serial, 0);
    sq_queue_release(crossing.concurrent);
    sq_queue_release(crossing.serial);
}

/* A member of a group waits for the queue of the task that waits for the group. */
typedef struct member {
    crossing_t crossing;
    sq_group_t *group;
    uint64_t delay; /* of an item; 0: none */
} member_t;

static void wait_for_group(void *context) {
    member_t *member = context;
    CHECK_EQUAL(sq_group_async(member->group, member->crossing.concurrent, go_to_serial, &member->crossing), 0);
    latch_wait(&member->crossing.ready, 1);
    latch_bump(&member->crossing.ready);
    member->crossing.from_serial = sq_group_wait(member->group, SQ_FOREVER);
    keep_report(&member->crossing, member->crossing.from_serial);
}

TEST(a_cycle_through_a_group_and_its_member_on_a_concurrent_queue_is_named) {
    for (size_t i = 0; i < 20; i += 1) {
        member_t member = { .crossing = { .ready = LATCH_INIT }, .group = sq_group_create("group") };
        member.crossing.concurrent = make_concurrent(2, SQ_WIDTH_POOL);
        member.crossing.serial = sq_queue_create("serial", NULL);
        CHECK_EQUAL(sq_sync(member.crossing.serial, wait_for_group, &member), 0);
        CHECK_EQUAL(sq_sync_barrier(member.crossing.concurrent, do_nothing, NULL), 0);
        CHECK_EQUAL(member.crossing.from_reader + member.crossing.from_serial, EDEADLK);
        CHECK(strstr(member.crossing.report, "group \"group\"") != NULL);
        sq_group_release(member.group);
        sq_queue_release(member.crossing.concurrent);
        sq_queue_release(member.crossing.serial);
    }
}

/* The same with an item instead of a group, every other time with one that has a delay. */
static void wait_for_item(void *context) {
    member_t *member = context;
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ go_to_serial, &member->crossing, NULL });
    int error = member->delay == 0 ? sq_item_submit(item, member->crossing.concurrent)
                                   : sq_item_submit_after(item, member->crossing.concurrent, member->delay);
    CHECK_EQUAL(error, 0);
    latch_wait(&member->crossing.ready, 1);
    latch_bump(&member->crossing.ready);
    member->crossing.from_serial = sq_item_wait(item, SQ_FOREVER);
    keep_report(&member->crossing, member->crossing.from_serial);
    sq_item_release(item);
}

TEST(a_cycle_through_an_item_on_a_concurrent_queue_is_named) {
    for (size_t i = 0; i < 20; i += 1) {
        member_t member = { .crossing = { .ready = LATCH_INIT }, .delay = i % 2 };
        member.crossing.concurrent = make_concurrent(2, SQ_WIDTH_POOL);
        member.crossing.serial = sq_queue_create("serial", NULL);
        CHECK_EQUAL(sq_sync(member.crossing.serial, wait_for_item, &member), 0);
        CHECK_EQUAL(sq_sync_barrier(member.crossing.concurrent, do_nothing, NULL), 0);
        CHECK_EQUAL(member.crossing.from_reader + member.crossing.from_serial, EDEADLK);
        CHECK(strstr(member.crossing.report, "item \"item\"") != NULL);
        sq_queue_release(member.crossing.concurrent);
        sq_queue_release(member.crossing.serial);
    }
}

typedef struct begun_call {
    sq_queue_t *queue, *serial;
    stay_t call;
    atomic_int thread_id;
    int from_reader;
} begun_call_t;

static void call_onto_queue(void *context) {
    begun_call_t *begun = context;
    CHECK_EQUAL(sq_run_and_wait(begun->queue, SQ_FOREVER, stay, &begun->call), 0);
}

static void wait_for_serial(void *context) {
    begun_call_t *begun = context;
    latch_wait(&begun->call.entered, 1);
    begun->thread_id = gettid();
    begun->from_reader = sq_sync(begun->serial, do_nothing, NULL);
}

/* A call that runs as a reader waits neither for the barrier behind it nor for other readers. */
TEST(a_call_that_has_begun_is_not_behind_a_barrier) {
    begun_call_t begun = { .queue = make_concurrent(3, SQ_WIDTH_POOL), .serial = sq_queue_create("serial", NULL), .call = STAY_INIT,
                           .from_reader = -1 };
    stay_t reader = STAY_INIT;
    CHECK_EQUAL(sq_async(begun.queue, wait_for_serial, &begun), 0);
    CHECK_EQUAL(sq_async(begun.queue, stay, &reader), 0);
    CHECK_EQUAL(sq_async(begun.serial, call_onto_queue, &begun), 0);
    latch_wait(&reader.entered, 1);
    wait_until_asleep(&begun.thread_id);
    CHECK_EQUAL(sq_async_barrier(begun.queue, do_nothing, NULL), 0); /* begins to wait for three readers */
    wait_for_depth(begun.queue, 1);
    latch_bump(&reader.leave);
    latch_bump(&begun.call.leave);
    CHECK_EQUAL(sq_sync_barrier(begun.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(begun.from_reader, 0);
    sq_queue_release(begun.queue);
    sq_queue_release(begun.serial);
}
