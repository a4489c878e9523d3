/* group_famine_test.c: a group without memory, and in the child of a fork. */
#include "group.h"
#include "child.h"
#include "inject.h"
#include "outcome.h"
#include <sched.h>
#include <stdlib.h>

/* Missing memory. Each case has a process of its own, because the library keeps tokens and alarms. */
typedef struct famine {
    sq_group_t *group;
    sq_queue_t *queue;
    size_t ran;
    sq_group_t *empty;
    hold_t hold;
} famine_t;

static int submit_plain(famine_t *famine) { return sq_group_async(famine->group, famine->queue, add_one, &famine->ran); }

static int submit_owned(famine_t *famine) {
    return sq_group_async_task(famine->group, famine->queue, &(sq_task_t){ add_one, &famine->ran, must_not_run });
}

static void add_pair(void *ran, void *unused, bool runs) {
    (void)unused;
    *(size_t *)ran += runs;
}

static int submit_pair(famine_t *famine) {
    return sq_group_async_pair(famine->group, famine->queue, add_pair, &famine->ran, NULL);
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

static int (*const famine_calls[])(famine_t *) = { submit_plain, submit_owned, submit_notice, submit_pair, wait_shortly };
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
    if (has_alarm) { /* it has tried again meanwhile */
        await_failures(FAIL_ALLOCATION, 3);
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
    CHECK_EQUAL(run_child((const char *const[]){ "5", "0", NULL }), 0);
    CHECK_EQUAL(run_child((const char *const[]){ "6", "0", NULL }), 0);
}

/* The table of ties does not grow without memory: its lists get longer, and all is found. */
TEST(members_on_many_queues_are_found_although_the_table_of_ties_cannot_grow) {
    enum { QUEUES = 64 };
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_group_t *group = make();
    sq_queue_t *queues[QUEUES];
    size_t ran = 0, refused = 0, without_memory = 0;
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = make_queue_on(pool, "one of many");
        fail_nth(FAIL_ALLOCATION, 1, false);
        int error = sq_group_async(group, queues[i], add_one, &ran);
        bool failed = fail_nothing() > 0;
        if (error) {
            CHECK_EQUAL(error, ENOMEM);
            CHECK_EQUAL(sq_group_async(group, queues[i], add_one, &ran), 0);
            refused += 1;
        } else {
            without_memory += failed;
        }
    }
    CHECK(refused > 0);
    CHECK(without_memory > 0);
    for (int i = 0; i < QUEUES; i += 1) {
        CHECK_EQUAL(sq_group_async(group, queues[i], add_one, &ran), 0);
    }
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 2 * QUEUES);
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_group_release(group);
    sq_pool_release(pool);
}

static int use_in_child(void *argument) {
    famine_t *famine = argument;
    int wrong = !CHECK_EQUAL(sq_group_wait(famine->group, SQ_FOREVER), ESTALE);
    wrong += !CHECK_EQUAL(submit_plain(famine), ESTALE);
    wrong += !CHECK_EQUAL(submit_notice(famine), ESTALE);
    wrong += !CHECK_EQUAL(sq_group_enter(famine->group), 0);
    wrong += !CHECK_EQUAL(sq_group_leave(famine->group), 0);
    wrong += !CHECK_EQUAL(sq_group_leave(famine->group), ESTALE); /* the last one: the parent's threads wait */
    wrong += !CHECK_EQUAL(sq_group_await(famine->empty, &(sq_await_t){ 0 }), 0); /* there is nothing to wait for */
    famine_t fresh = { .group = make(), .queue = make_queue_of("fresh", 0) };
    wrong += !CHECK_EQUAL(sq_group_notify(famine->group, fresh.queue, &(sq_task_t){ must_not_run, NULL, NULL }), ESTALE);
    wrong += !CHECK_EQUAL(submit_plain(&fresh), 0);
    wrong += !CHECK_EQUAL(sq_group_wait(fresh.group, SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(fresh.ran, 1);
    sq_group_release(fresh.group);
    sq_queue_release(fresh.queue);
    return wrong;
}

static void fork_as_member(void *context) { fork_and_return(context); }

static void fork_as_pair(void *status, void *group, bool runs) {
    CHECK(group != NULL && runs);
    fork_and_return(status);
}

TEST(in_the_child_of_a_fork_groups_of_the_parent_refuse_and_new_ones_work) {
    if (fork_left_out()) {
        return;
    }
    famine_t famine = { .group = make(), .queue = make_queue_of("parent's", 0), .empty = make() };
    waiter_t waiter;
    CHECK_EQUAL(sq_group_enter(famine.group), 0);
    waiter_start(&waiter, famine.group, SQ_FOREVER);
    CHECK_EQUAL(in_fork(use_in_child, &famine), 0);
    CHECK_EQUAL(sq_group_leave(famine.group), 0);
    CHECK_EQUAL(waiter_end(&waiter), 0);
    sq_queue_release(famine.queue);
    sq_group_release(famine.group);
    sq_group_release(famine.empty);
}

TEST(the_record_of_a_member_that_forks_is_freed_in_the_child) {
    if (fork_left_out()) {
        return;
    }
    for (int is_pair = 0; is_pair < 2; is_pair += 1) {
        int status = 0;
        sq_pool_t *pool = sq_pool_create_manual("forks");
        sq_queue_t *queue = make_queue_on(pool, "forks");
        sq_group_t *group = make();
        CHECK_EQUAL(sq_group_async(group, queue, do_nothing, NULL), 0); /* makes what the group keeps for the queue */
        sq_pool_run(pool);
        long before = live_blocks();
        CHECK_EQUAL(is_pair ? sq_group_async_pair(group, queue, fork_as_pair, &status, group)
                            : sq_group_async_task(group, queue, &(sq_task_t){ fork_as_member, &status, must_not_run }), 0);
        sq_pool_run(pool);
        long after = live_blocks();
        if (status == -1) {
            _exit(!CHECK_EQUAL(after, before));
        }
        CHECK_EQUAL(status, 0);
        CHECK_EQUAL(after, before);
        sq_group_release(group);
        sq_queue_release(queue);
        sq_pool_release(pool);
    }
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
