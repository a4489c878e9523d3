/* group_test.c: the members of a group are counted, and its waits end at zero. */
#include "group.h"
#include "objects/group.h"
#include "objects/member_count.h"
#include "outcome.h"

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

typedef struct notices {
    journal_t journal;
    entry_t entries[8];
} notices_t;

static sq_task_t entry_task(notices_t *notices, int number) {
    notices->entries[number] = (entry_t){ &notices->journal, number };
    return (sq_task_t){ write_entry, &notices->entries[number], must_not_run };
}

TEST(notifications_run_once_each_in_the_order_of_their_registration) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("notices", 1);
    notices_t notices = { .journal.count = 0 };
    CHECK_EQUAL(sq_group_notify(group, queue, &(sq_task_t){ 0 }), EINVAL);
    sq_task_t task = entry_task(&notices, 0);
    CHECK_EQUAL(sq_group_notify(group, queue, &task), 0); /* at once */
    drain(queue);
    CHECK_EQUAL(notices.journal.count, 1);
    CHECK_EQUAL(sq_group_enter(group), 0);
    for (int i = 1; i < 6; i += 1) { /* more than the queue's capacity */
        task = entry_task(&notices, i);
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
    CHECK_EQUAL(notices.journal.count, 6);
    for (int i = 0; i < 6; i += 1) {
        CHECK_EQUAL(notices.journal.entries[i], i);
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

/* The queue of the first notification is shut down: its discard function runs while the others are still to be submitted. */
typedef struct meanwhile {
    sq_group_t *group;
    sq_queue_t *queue;
    notices_t notices;
    int registered;
    bool releases;
} meanwhile_t;

static void register_next(meanwhile_t *meanwhile) {
    sq_task_t task = entry_task(&meanwhile->notices, meanwhile->registered);
    meanwhile->registered += 1;
    CHECK_EQUAL(sq_group_notify(meanwhile->group, meanwhile->queue, &task), 0);
}

static void register_more(void *context) {
    meanwhile_t *meanwhile = context;
    register_next(meanwhile); /* the group has no members */
    CHECK_EQUAL(sq_group_enter(meanwhile->group), 0);
    register_next(meanwhile); /* of the next period, */
    CHECK_EQUAL(sq_group_leave(meanwhile->group), 0); /* which ends */
    register_next(meanwhile);
    if (meanwhile->releases) {
        sq_group_release(meanwhile->group);
    }
}

TEST(notifications_that_are_registered_while_earlier_ones_are_submitted_come_after_them) {
    for (int releases = 0; releases < 2; releases += 1) {
        sq_queue_t *queue = make_queue_of("notices", 0), *ended = make_queue_of("ended", 0);
        meanwhile_t meanwhile = { .group = make(), .queue = queue, .releases = releases };
        sq_group_t *group = meanwhile.group;
        CHECK_EQUAL(sq_group_enter(group), 0);
        CHECK_EQUAL(sq_group_notify(group, ended, &(sq_task_t){ must_not_run, &meanwhile, register_more }), 0);
        register_next(&meanwhile);
        CHECK_EQUAL(sq_shutdown(ended, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(sq_group_leave(group), 0);
        drain(queue);
        CHECK_EQUAL(meanwhile.notices.journal.count, 4);
        for (int i = 0; i < 4; i += 1) {
            CHECK_EQUAL(meanwhile.notices.journal.entries[i], i);
        }
        if (!releases) {
            sq_group_release(group);
        }
        sq_queue_release(ended);
        sq_queue_release(queue);
    }
}

/* A member is over before its submitter has come back from the submission, and its queue is freed. The allocator gives the next queue its address,
 * but that one is run by another pool. */
TEST(a_member_of_a_queue_at_the_address_of_a_freed_one_counts_while_another_submitter_is_still_to_confirm) {
    sq_pool_t *pools[] = { sq_pool_create_manual("first"), sq_pool_create_manual("second") };
    sq_group_t *group = make();
    sq__member_count_t *first, *second;
    sq_queue_t *queue = make_queue_on(pools[0], "first");
    CHECK_EQUAL(sq__member_count_begin(group, queue, &first), 0);
    sq__member_count_end(first);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    uintptr_t freed = (uintptr_t)queue;
    sq_queue_release(queue);
    queue = make_queue_on(pools[1], "second");
    if ((uintptr_t)queue != freed) {
        note("not tried: the allocator has given the second queue another address");
    }
    CHECK_EQUAL(sq__member_count_begin(group, queue, &second), 0);
    CHECK(second != first);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    sq__member_count_confirm(first);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    sq__member_count_end(second);
    sq__member_count_confirm(second);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    sq_queue_release(queue);
    sq_pool_release(pools[0]);
    sq_pool_release(pools[1]);
    sq_group_release(group);
}
