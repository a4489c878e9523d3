/* group_task_test.c: tasks are members until their outcome, on queues with threads and on pools. */
#include "group.h"
#include "inject.h"
#include "outcome.h"
#include <stdlib.h>

/* Tasks */

static void add_with_context(void *context) { *(size_t *)context += 1; }

static void submit_to_many(sq_pool_t *pool, size_t queues, size_t tasks) {
    sq_group_t *group = make();
    sq_queue_t **all = malloc(queues * sizeof *all);
    size_t *ran = calloc(queues, sizeof *ran), sum = 0;
    for (size_t i = 0; i < queues; i += 1) {
        all[i] = make_queue_on(pool, "one of many");
    }
    for (int round = 0; round < 3; round += 1) {
        for (size_t i = 0; i < tasks; i += 1) {
            CHECK_EQUAL(sq_group_async(group, all[i % queues], add_with_context, &ran[i % queues]), 0);
        }
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        sum = 0;
        for (size_t i = 0; i < queues; i += 1) {
            sum += ran[i];
        }
        CHECK_EQUAL(sum, tasks * (size_t)(round + 1));
    }
    for (size_t i = 0; i < queues; i += 1) {
        sq_queue_release(all[i]);
    }
    free(all);
    free(ran);
    sq_group_release(group);
}

TEST(a_wait_sees_what_all_tasks_on_all_queues_have_done) {
    submit_to_many(NULL, 1, 1000);
    submit_to_many(NULL, 3, 1000);
    sq_pool_t *pool = make_pool();
    submit_to_many(pool, 300, scaled(30000));
    sq_pool_release(pool);
}

/* A queue at a time: the group's memory does not grow with the number of queues that it has ever seen. */
TEST(a_group_that_has_seen_many_queues_does_not_grow) {
    sq_group_t *group = make();
    size_t ran = 0;
    sq_queue_t *queues[64];
    sq_pool_t *pool = make_pool();
    long before = 0;
    for (int round = 0; round < 40; round += 1) {
        for (int i = 0; i < 64; i += 1) {
            queues[i] = make_queue_on(pool, "passing");
            CHECK_EQUAL(sq_group_async(group, queues[i], add_one, &ran), 0);
            CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        }
        for (int i = 0; i < 64; i += 1) {
            sq_queue_release(queues[i]);
        }
        if (round == 4) {
            before = live_blocks();
        }
    }
    CHECK_EQUAL(ran, 40 * 64);
    CHECK_AT_MOST(live_blocks(), before + 20);
    sq_pool_release(pool);
    sq_group_release(group);
}

static void release_group(void *group) { sq_group_release(group); }

TEST(a_member_may_release_the_last_reference_while_its_waiter_runs_it) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_queue_on(pool, "on it");
    sq_group_t *group = make();
    CHECK_EQUAL(sq_group_async(group, queue, release_group, group), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

TEST(a_task_that_is_discarded_leaves_too) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("discards", 0);
    outcome_t outcome = { 0, 0 };
    const sq_task_t task = counted_task(&outcome);
    size_t ran = 0;
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_group_async_task(group, queue, &task), 0);
    CHECK_EQUAL(sq_group_async_task(group, queue, &(sq_task_t){ add_one, &ran, NULL }), 0);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), ESHUTDOWN);
    CHECK_EQUAL(sq_group_async_task(group, queue, &task), ESHUTDOWN);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    hold_end(&hold);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 0);
    CHECK_EQUAL(outcome.ran, 0);
    CHECK_EQUAL(outcome.discarded, 1);
    CHECK_EQUAL(sq_group_async_task(group, queue, &task), ESHUTDOWN);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    sq_queue_release(queue);
    queue = make_queue_of("runs", 0);
    CHECK_EQUAL(sq_group_async_task(group, queue, &task), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(outcome.ran, 1);
    sq_queue_release(queue);
    sq_group_release(group);
}

TEST(a_member_without_a_function_or_room_is_refused_and_counts_for_nothing) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("full", 1);
    size_t ran = 0;
    hold_t hold;
    CHECK_EQUAL(sq_group_async(group, queue, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_group_async_task(group, queue, &(sq_task_t){ NULL, NULL, add_one }), EINVAL);
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), EAGAIN);
    hold_end(&hold);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0); /* its room came back */
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.ran, 3);
    CHECK_EQUAL(stats.rejected, 3);
    sq_queue_release(queue);
    sq_group_release(group);
}

/* Pools */

/* The allocator gives a new queue the address of the one before it. */
TEST(a_wait_runs_the_pool_of_a_queue_at_the_address_of_a_freed_one) {
    sq_group_t *group = sq_group_create("group");
    REQUIRE(group != NULL);
    size_t count = 0;
    for (size_t round = 1; round <= 4; round += 1) {
        sq_pool_t *pool = sq_pool_create_manual("pool");
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.pool = pool;
        sq_queue_t *queue = sq_queue_create("queue", &options);
        REQUIRE(pool != NULL && queue != NULL);
        CHECK_EQUAL(sq_group_async(group, queue, add_with_context, &count), 0);
        CHECK_EQUAL(sq_group_wait(group, sq_deadline(60 * 1000000000ull)), 0);
        CHECK_EQUAL(count, round);
        sq_queue_release(queue);
        sq_pool_release(pool);
    }
    sq_group_release(group);
}

TEST(a_wait_runs_what_manual_pools_have_ready) {
    sq_pool_t *pools[] = { sq_pool_create_manual("a"), sq_pool_create_manual("b") };
    sq_queue_t *a = make_queue_on(pools[0], "a"), *b = make_queue_on(pools[1], "b"), *threaded = make_queue_of("t", 0);
    sq_group_t *group = make();
    size_t ran = 0, other = 0;
    for (int i = 0; i < 5; i += 1) {
        CHECK_EQUAL(sq_group_async(group, a, add_one, &ran), 0);
        CHECK_EQUAL(sq_group_async(group, b, add_one, &ran), 0);
    }
    CHECK_EQUAL(sq_group_async(group, threaded, add_one, &other), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 10);
    CHECK_EQUAL(other, 1);
    /* A wait for what is suspended there ends at its deadline. */
    CHECK_EQUAL(sq_suspend(a), 0);
    CHECK_EQUAL(sq_group_async(group, a, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_wait(group, sq_deadline(1000000)), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(a), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_queue_release(a);
    a = make_queue_of("in its place", 0); /* the pool's tie is given to others */
    for (int i = 0; i < 64; i += 1) {
        sq_queue_t *passing = make_queue_of("passing", 0);
        CHECK_EQUAL(sq_group_async(group, passing, add_one, &other), 0);
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        sq_queue_release(passing);
    }
    sq_queue_release(a);
    sq_queue_release(b);
    sq_queue_release(threaded);
    sq_pool_release(pools[0]);
    sq_pool_release(pools[1]);
    sq_group_release(group);
}

static void wait_inside(void *group) { CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0); }

TEST(a_task_that_waits_on_a_pool_of_one_thread_lends_it_to_the_members) {
    sq_pool_options_t one = SQ_POOL_OPTIONS_INIT;
    one.threads = 1;
    sq_pool_t *pool = sq_pool_create("one", &one);
    sq_queue_t *a = make_queue_on(pool, "a"), *b = make_queue_on(pool, "b");
    sq_group_t *group = make();
    size_t ran = 0;
    hold_t hold;
    hold_sync(&hold, b);
    CHECK_EQUAL(sq_group_async(group, b, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(a, wait_inside, group), 0);
    hold_end(&hold);
    drain(a);
    CHECK_EQUAL(ran, 1);
    sq_group_release(group);
    sq_queue_release(a);
    sq_queue_release(b);
    sq_pool_release(pool);
}

/* The storm: members start and end on several queues while threads wait, notify and time out. */
enum { STORMERS = 4, QUEUES = 3 };

typedef struct storm {
    sq_group_t *group;
    sq_queue_t *queues[QUEUES];
    atomic_size_t accepted, ran, registered, notified;
    atomic_uint stream;
} storm_t;

static void storm_ran(void *context) { ((storm_t *)context)->ran += 1; }
static void storm_notified(void *context) { ((storm_t *)context)->notified += 1; }

static void storm_step(storm_t *storm, random_stream_t *random) {
    sq_queue_t *queue = storm->queues[random_below(random, QUEUES)];
    switch (random_below(random, 6)) {
    case 0:
        CHECK_EQUAL(sq_group_enter(storm->group), 0);
        CHECK_EQUAL(sq_group_leave(storm->group), 0);
        break;
    case 1: {
        int error = sq_group_wait(storm->group, sq_deadline(random_below(random, 20000)));
        CHECK(error == 0 || error == ETIMEDOUT);
        break;
    }
    case 2:
        CHECK_EQUAL(sq_group_notify(storm->group, queue, &(sq_task_t){ storm_notified, storm, storm_notified }), 0);
        storm->registered += 1;
        break;
    default:
        CHECK_EQUAL(sq_group_async(storm->group, queue, storm_ran, storm), 0);
        storm->accepted += 1;
    }
}

static void *stormer(void *argument) {
    storm_t *storm = argument;
    random_stream_t random = random_start(storm->stream++);
    for (size_t i = 0; i < scaled(10000); i += 1) {
        storm_step(storm, &random);
    }
    return NULL;
}

TEST(no_member_and_no_notification_is_lost_in_a_storm) {
    storm_t storm = { .group = make() };
    pthread_t threads[STORMERS];
    sq_pool_t *pool = make_pool();
    for (int i = 0; i < QUEUES; i += 1) {
        storm.queues[i] = make_queue_on(i == 0 ? NULL : pool, "storm");
    }
    for (int i = 0; i < STORMERS; i += 1) {
        threads[i] = spawn(stormer, &storm);
    }
    for (int i = 0; i < STORMERS; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(sq_group_wait(storm.group, SQ_FOREVER), 0);
    CHECK_EQUAL(storm.ran, storm.accepted);
    for (int i = 0; i < QUEUES; i += 1) {
        drain(storm.queues[i]);
        sq_queue_release(storm.queues[i]);
    }
    while (storm.notified != storm.registered) { /* the last leave may still be on its way from the waiting threads to these */
        sched_yield();
    }
    sq_pool_release(pool);
    sq_group_release(storm.group);
}

static void enter_again(void *group) { CHECK_EQUAL(sq_group_enter(group), 0); }

TEST(a_wait_that_runs_tasks_ends_at_the_zero_that_they_cause_although_a_member_enters_after_it) {
    size_t ran = 0;
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_queue_on(pool, "queue");
    sq_group_t *group = make();
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, enter_again, group), 0);
    CHECK_EQUAL(sq_group_wait(group, sq_deadline(1000000)), 0);
    CHECK_EQUAL(ran, 1);
    sq_pool_run(pool);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_group_leave(group), 0);
    sq_group_release(group);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* An await that ends at this zero submits another member before the wait has looked. */
typedef struct again {
    sq_await_t await; /* first */
    sq_group_t *group;
    sq_queue_t *queue;
    size_t *ran;
} again_t;

static void submit_again(sq_await_t *await) {
    const again_t *again = (const again_t *)await;
    CHECK_EQUAL(sq_group_async(again->group, again->queue, add_one, again->ran), 0);
}

TEST(a_wait_that_runs_tasks_ends_at_their_zero_although_an_await_submits_a_member_at_once) {
    size_t ran = 0;
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_queue_on(pool, "queue");
    sq_group_t *group = make();
    again_t again = { { .ended = submit_again }, group, queue, &ran };
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_await(group, &again.await), EINPROGRESS);
    CHECK_EQUAL(sq_group_wait(group, sq_deadline(1000000)), 0);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_group_wait(group, 1), ETIMEDOUT); /* the deadline has passed: it runs nothing */
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 2);
    sq_group_release(group);
    sq_queue_release(queue);
    sq_pool_release(pool);
}
