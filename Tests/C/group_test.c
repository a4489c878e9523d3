/* group_test.c: the members of a group are counted, whatever becomes of them, and the waits and notifications end at zero. */
#include "caller.h"
#include "child.h"
#include "inject.h"
#include "many/group.h"
#include "outcome.h"

#include <sched.h>
#include <stdlib.h>

static sq_group_t *make(void) {
    sq_group_t *group = sq_group_create("members");
    REQUIRE(group != NULL);
    return group;
}

static sq_pool_t *make_pool(void) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2;
    sq_pool_t *pool = sq_pool_create("pool", &options);
    REQUIRE(pool != NULL);
    return pool;
}

static sq_queue_t *make_queue_on(sq_pool_t *pool, const char *label) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

TEST(a_group_without_members_is_not_waited_for) {
    sq_group_t *group = make();
    CHECK_STRING(sq_group_label(group), "members");
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    sq_group_release(sq_group_retain(group));
    sq_group_release(group);
    sq_group_release(NULL);
    group = sq_group_create(NULL);
    CHECK_STRING(sq_group_label(group), "");
    sq_group_release(group);
}

TEST(members_enter_and_leave_and_one_leave_too_many_changes_nothing) {
    sq_group_t *group = make();
    CHECK_EQUAL(sq_group_leave(group), EINVAL);
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_group_wait(group, 1), ETIMEDOUT);
    CHECK_EQUAL(sq_group_wait(group, sq_deadline(1000000)), ETIMEDOUT);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_group_wait(group, sq_deadline(1000)), ETIMEDOUT);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_group_leave(group), EINVAL);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_group_release(group);
}

TEST(a_leave_too_many_does_not_take_away_a_task) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("held", 0);
    hold_t hold;
    size_t ran = 0;
    hold_sync(&hold, queue);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_leave(group), EINVAL);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    hold_end(&hold);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
    sq_group_release(group);
}

TEST(more_members_than_can_be_counted_are_EOVERFLOW) {
    sq_group_t *group = make();
    sq__store_relaxed(&group->count, ((uint64_t)1 << 29) * SQ__GROUP_ENTERED - SQ__GROUP_ENTERED);
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_enter(group), EOVERFLOW);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_group_enter(group), 0);
    sq__store_relaxed(&group->count, 0);
    sq_group_release(group);
}

/* Threads that wait. */
typedef struct waiter {
    sq_group_t *group;
    sq_time_t deadline;
    int error;
    pthread_t thread;
    atomic_int thread_id;
} waiter_t;

static void *waiter_main(void *argument) {
    waiter_t *waiter = argument;
    waiter->thread_id = gettid();
    waiter->error = sq_group_wait(waiter->group, waiter->deadline);
    return NULL;
}

static void waiter_start(waiter_t *waiter, sq_group_t *group, sq_time_t deadline) {
    *waiter = (waiter_t){ group, deadline, -1, 0, 0 };
    waiter->thread = spawn(waiter_main, waiter);
    wait_until_asleep(&waiter->thread_id);
}

static int waiter_end(waiter_t *waiter) {
    join(waiter->thread);
    return waiter->error;
}

/* To see it fail: in leave_last, look at the word without taking the waiters in the same hold of the lock. */
TEST(a_wait_ends_at_the_next_zero_although_members_enter_after_it) {
    sq_group_t *group = make();
    waiter_t waiters[3];
    for (int round = 0; round < 3; round += 1) {
        CHECK_EQUAL(sq_group_enter(group), 0);
        for (int i = 0; i < 3; i += 1) {
            waiter_start(&waiters[i], group, SQ_FOREVER);
        }
        CHECK_EQUAL(sq_group_enter(group), 0); /* extends it */
        CHECK_EQUAL(sq_group_leave(group), 0);
        CHECK_EQUAL(sq_group_leave(group), 0);
        CHECK_EQUAL(sq_group_enter(group), 0); /* does not */
        for (int i = 0; i < 3; i += 1) {
            CHECK_EQUAL(waiter_end(&waiters[i]), 0);
        }
        CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
        CHECK_EQUAL(sq_group_leave(group), 0);
    }
    sq_group_release(group);
}

TEST(a_wait_whose_deadline_passes_leaves_the_others_waiting) {
    sq_group_t *group = make();
    waiter_t first, second;
    CHECK_EQUAL(sq_group_enter(group), 0);
    waiter_start(&first, group, SQ_FOREVER);
    second = (waiter_t){ group, sq_deadline(1000000), -1, 0, 0 };
    second.thread = spawn(waiter_main, &second);
    CHECK_EQUAL(waiter_end(&second), ETIMEDOUT);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(waiter_end(&first), 0);
    sq_group_release(group);
}

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

/* Lifetime */

TEST(the_last_member_frees_a_group_that_was_released) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("keeps", 0);
    size_t ran = 0;
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_notify(group, queue, &(sq_task_t){ add_one, &ran, NULL }), 0);
    sq_group_release(group);
    hold_end(&hold);
    drain(queue);
    drain(queue);
    CHECK_EQUAL(ran, 2);
    sq_queue_release(queue);
    group = make();
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_enter(group), 0);
    sq_group_release(group);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
}

static void *leave_once(void *group) {
    CHECK_EQUAL(sq_group_leave(group), 0);
    return NULL;
}

TEST(a_waiter_can_release_the_group_as_soon_as_its_wait_ends) {
    for (size_t i = 0; i < scaled(2000); i += 1) {
        sq_group_t *group = make();
        CHECK_EQUAL(sq_group_enter(group), 0);
        pthread_t leaver = spawn(leave_once, group);
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        sq_group_release(group);
        join(leaver);
    }
}

/* Notifications */

typedef struct told {
    journal_t journal;
    entry_t entries[8];
} told_t;

static sq_task_t entry_task(told_t *told, int number) {
    told->entries[number] = (entry_t){ &told->journal, number };
    return (sq_task_t){ write_entry, &told->entries[number], must_not_run };
}

TEST(notifications_run_once_each_in_the_order_of_their_registration) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("told", 1);
    told_t told = { .journal.count = 0 };
    CHECK_EQUAL(sq_group_notify(group, queue, &(sq_task_t){ 0 }), EINVAL);
    sq_task_t task = entry_task(&told, 0);
    CHECK_EQUAL(sq_group_notify(group, queue, &task), 0); /* at once */
    drain(queue);
    CHECK_EQUAL(told.journal.count, 1);
    CHECK_EQUAL(sq_group_enter(group), 0);
    for (int i = 1; i < 6; i += 1) { /* more than the queue's capacity */
        task = entry_task(&told, i);
        CHECK_EQUAL(sq_group_notify(group, queue, &task), 0);
    }
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_queue_depth(queue), 5);
    hold_end(&hold);
    CHECK_EQUAL(sq_group_enter(group), 0); /* no second time */
    CHECK_EQUAL(sq_group_leave(group), 0);
    drain(queue);
    CHECK_EQUAL(told.journal.count, 6);
    for (int i = 0; i < 6; i += 1) {
        CHECK_EQUAL(told.journal.entries[i], i);
    }
    sq_queue_release(queue);
    sq_group_release(group);
}

TEST(a_notification_keeps_its_queue_and_is_discarded_if_that_was_shut_down) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("kept", 0), *ended = make_queue_of("ended", 0);
    outcome_t outcome = { 0, 0 }, never = { 0, 0 };
    sq_task_t task = counted_task(&outcome);
    latch_t ran = LATCH_INIT;
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_notify(group, queue, &(sq_task_t){ (sq_function_t)(void (*)(void))latch_bump, &ran, NULL }), 0);
    sq_queue_release(queue);
    CHECK_EQUAL(sq_group_notify(group, ended, &task), 0);
    CHECK_EQUAL(sq_group_notify(group, ended, &(sq_task_t){ must_not_run, NULL, NULL }), 0);
    CHECK_EQUAL(sq_shutdown(ended, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    task = counted_task(&never);
    CHECK_EQUAL(sq_group_notify(group, ended, &task), ESHUTDOWN);
    CHECK_EQUAL(sq_group_leave(group), 0);
    latch_wait(&ran, 1);
    CHECK_EQUAL(outcome.discarded, 1);
    CHECK_EQUAL(outcome.ran + never.ran + never.discarded, 0);
    sq_queue_release(ended);
    sq_group_release(group);
}

/* Pools */

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
    /* What is suspended there is not waited for in vain. */
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

/* The storm: members come and go on several queues while threads wait, notify and give up. */
enum { STORMERS = 4, QUEUES = 3 };

typedef struct storm {
    sq_group_t *group;
    sq_queue_t *queues[QUEUES];
    atomic_size_t accepted, ran, notified, told;
    atomic_uint stream;
} storm_t;

static void storm_ran(void *context) { ((storm_t *)context)->ran += 1; }
static void storm_told(void *context) { ((storm_t *)context)->told += 1; }

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
        CHECK_EQUAL(sq_group_notify(storm->group, queue, &(sq_task_t){ storm_told, storm, storm_told }), 0);
        storm->notified += 1;
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
    while (storm.told != storm.notified) { /* the last leave may still be on its way from the waiting threads to these */
        sched_yield();
    }
    sq_pool_release(pool);
    sq_group_release(storm.group);
}

/* Memory that is not to be had: a process each, as tokens and alarms are kept. */
typedef struct famine {
    sq_group_t *group;
    sq_queue_t *queue;
    size_t ran;
    hold_t hold;
} famine_t;

static int submit_plain(famine_t *famine) { return sq_group_async(famine->group, famine->queue, add_one, &famine->ran); }

static int submit_owned(famine_t *famine) {
    return sq_group_async_task(famine->group, famine->queue, &(sq_task_t){ add_one, &famine->ran, must_not_run });
}

static int submit_notice(famine_t *famine) {
    return sq_group_notify(famine->group, famine->queue, &(sq_task_t){ add_one, &famine->ran, must_not_run });
}

static int wait_shortly(famine_t *famine) {
    CHECK_EQUAL(sq_group_enter(famine->group), 0);
    int error = sq_group_wait(famine->group, sq_deadline(1000000));
    CHECK_EQUAL(sq_group_leave(famine->group), 0);
    famine->ran += 1;
    return error == ETIMEDOUT ? 0 : error;
}

static int (*const famine_calls[])(famine_t *) = { submit_plain, submit_owned, submit_notice, wait_shortly };
enum { FAMINE_CALLS = sizeof famine_calls / sizeof famine_calls[0] };

/* Returns how many allocations failed. */
static uint64_t fail_call(int (*call)(famine_t *), uint64_t nth) {
    famine_t famine = { .group = make(), .queue = make_queue_of("famine", 0) };
    fail_nth(FAIL_ALLOCATION, nth, false);
    int error = call(&famine);
    uint64_t failures = fail_nothing();
    CHECK(error == 0 || (error == ENOMEM && failures > 0));
    CHECK_EQUAL(call(&famine), 0);
    CHECK_EQUAL(sq_group_wait(famine.group, SQ_FOREVER), 0);
    drain(famine.queue);
    CHECK_EQUAL(famine.ran, 2 - (error != 0 && call != wait_shortly));
    sq_queue_release(famine.queue);
    sq_group_release(famine.group);
    return failures;
}

/* The event comes while there is no memory for a segment of the ring, and then none for an alarm either. */
static void fail_event(bool has_alarm) {
    famine_t famine = { .group = make(), .queue = make_queue_of("famine", 0) };
    size_t before = 0;
    sq_queue_t *timed = make_queue_of("timed", 0);
    if (has_alarm) { /* the thread of the alarms is there */
        CHECK_EQUAL(sq_async_after(timed, 3600 * UINT64_C(1000000000), must_not_run, NULL), 0);
    }
    CHECK_EQUAL(sq_group_enter(famine.group), 0);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(submit_notice(&famine), 0);
    }
    hold_async(&famine.hold, famine.queue);
    CHECK_EQUAL(sq_queue_depth(famine.queue), 0);
    fail_nth(FAIL_ALLOCATION, 1, has_alarm);
    CHECK_EQUAL(sq_group_leave(famine.group), 0);
    while (has_alarm && before < 3) { /* that many tries have failed by now */
        before = 3;
        struct timespec pause = { .tv_nsec = 5000000 };
        nanosleep(&pause, NULL);
        CHECK_EQUAL(sq_queue_depth(famine.queue), 0);
    }
    CHECK(fail_nothing() > 0);
    wait_for_depth(famine.queue, 3);
    hold_end(&famine.hold);
    drain(famine.queue);
    CHECK_EQUAL(famine.ran, 3);
    CHECK_EQUAL(sq_shutdown(timed, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    sq_queue_release(timed);
    sq_queue_release(famine.queue);
    sq_group_release(famine.group);
}

int child_main(int count, char **words) {
    (void)count;
    int call = atoi(words[0]);
    if (call >= FAMINE_CALLS) {
        fail_event(call == FAMINE_CALLS);
        return 0;
    }
    return fail_call(famine_calls[call], strtoull(words[1], NULL, 10)) > 0 ? 0 : 77;
}

TEST(each_allocation_of_each_call_can_fail) {
    fail_nth(FAIL_ALLOCATION, 1, false);
    errno = 0;
    CHECK(sq_group_create("none") == NULL);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(errno, ENOMEM);
    for (int call = 0; call < FAMINE_CALLS; call += 1) {
        for (int nth = 1, status = 0; status == 0 && nth < 20; nth += 1) {
            char words[2][12];
            snprintf(words[0], sizeof words[0], "%d", call);
            snprintf(words[1], sizeof words[1], "%d", nth);
            status = run_child((const char *const[]){ words[0], words[1], NULL });
            CHECK(status == 0 || status == 77);
        }
    }
}

TEST(notifications_are_submitted_in_order_once_there_is_memory_again) {
    CHECK_EQUAL(run_child((const char *const[]){ "4", "0", NULL }), 0);
    CHECK_EQUAL(run_child((const char *const[]){ "5", "0", NULL }), 0);
}

static int use_in_child(void *argument) {
    famine_t *famine = argument;
    int wrong = !CHECK_EQUAL(sq_group_wait(famine->group, SQ_FOREVER), ESTALE);
    wrong += !CHECK_EQUAL(submit_plain(famine), ESTALE);
    wrong += !CHECK_EQUAL(submit_notice(famine), ESTALE);
    wrong += !CHECK_EQUAL(sq_group_enter(famine->group), 0);
    wrong += !CHECK_EQUAL(sq_group_leave(famine->group), 0);
    wrong += !CHECK_EQUAL(sq_group_leave(famine->group), ESTALE); /* the last one: the parent's threads wait */
    famine_t fresh = { .group = make(), .queue = make_queue_of("fresh", 0) };
    wrong += !CHECK_EQUAL(submit_plain(&fresh), 0);
    wrong += !CHECK_EQUAL(sq_group_wait(fresh.group, SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(fresh.ran, 1);
    sq_group_release(fresh.group);
    sq_queue_release(fresh.queue);
    return wrong;
}

static void fork_as_member(void *context) { fork_and_return(context); }

TEST(in_the_child_of_a_fork_groups_of_the_parent_refuse_and_new_ones_work) {
    if (fork_left_out()) {
        return;
    }
    famine_t famine = { .group = make(), .queue = make_queue_of("parent's", 0) };
    waiter_t waiter;
    CHECK_EQUAL(sq_group_enter(famine.group), 0);
    waiter_start(&waiter, famine.group, SQ_FOREVER);
    CHECK_EQUAL(in_fork(use_in_child, &famine), 0);
    CHECK_EQUAL(sq_group_leave(famine.group), 0);
    CHECK_EQUAL(waiter_end(&waiter), 0);
    sq_queue_release(famine.queue);
    sq_group_release(famine.group);
}

TEST(a_member_that_forks_leaves_in_the_parent_only) {
    if (fork_left_out()) {
        return;
    }
    int status = 0;
    sq_pool_t *pool = sq_pool_create_manual("forks");
    sq_queue_t *queue = make_queue_on(pool, "forks");
    sq_group_t *group = make();
    CHECK_EQUAL(sq_group_async_task(group, queue, &(sq_task_t){ fork_as_member, &status, must_not_run }), 0);
    int error = sq_group_wait(group, SQ_FOREVER);
    if (status == -1) {
        _exit(!(error == ESTALE && sq_group_wait(group, SQ_NOW) == ESTALE));
    }
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(error, 0);
    sq_group_release(group);
    sq_queue_release(queue);
    sq_pool_release(pool);
}
