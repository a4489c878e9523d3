/* item_wait_test.c: any number of threads wait for an item and are notified of it, and see what it did. */
#include "item.h"

#include "inject.h"

#include <stdlib.h>

TEST(all_waits_end_with_the_outcome_and_no_later_than_their_deadline) {
    for (int cancels = 0; cancels < 2; cancels += 1) {
        outcome_t outcome;
        item_waiter_t waiters[5];
        sq_queue_t *queue = make_suspended(0);
        sq_item_t *item = make_item(&outcome);
        for (int i = 0; i < 3; i += 1) {
            item_waiter_start(&waiters[i], item, SQ_FOREVER); /* before it is submitted */
        }
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
        item_waiter_start(&waiters[3], item, SQ_FOREVER);
        item_waiter_start(&waiters[4], item, sq_deadline(1000000));
        CHECK_EQUAL(item_waiter_end(&waiters[4]), ETIMEDOUT);
        CHECK_EQUAL(sq_item_wait(item, 1), ETIMEDOUT);
        CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
        CHECK_EQUAL(cancels ? sq_item_cancel(item) : sq_resume(queue), 0);
        for (int i = 0; i < 4; i += 1) {
            CHECK_EQUAL(item_waiter_end(&waiters[i]), cancels ? ECANCELED : 0);
        }
        check_outcome(&outcome, !cancels, cancels);
        CHECK_EQUAL(cancels ? sq_resume(queue) : 0, 0);
        sq_queue_release(queue);
        sq_item_release(item);
    }
}

static void add_without_lock(void *context) { *(size_t *)context += 1; }

TEST(a_wait_sees_what_the_item_wrote) {
    sq_queue_t *queue = make_queue_of("writes", 0);
    size_t sum = 0;
    for (size_t i = 0; i < scaled(300); i += 1) {
        sq_item_t *item = sq_item_create(NULL, &(sq_task_t){ add_without_lock, &sum, NULL });
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
        CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
        CHECK_EQUAL(sum, i + 1);
        sq_item_release(item);
    }
    sq_queue_release(queue);
}

/* A manual pool has no threads: the wait runs what is ready, up to the item. */
TEST(a_wait_runs_the_tasks_of_a_manual_pool) {
    outcome_t outcome;
    size_t ran = 0;
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = sq_queue_create("queue", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool });
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_pool_run(pool), 1);
    check_outcome(&outcome, 1, 0);
    sq_item_release(item);
    item = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit_after(item, queue, 1000), 0);
    CHECK_EQUAL(sq_item_wait(item, sq_deadline(1000000)), ETIMEDOUT); /* its clock stands still */
    sq_pool_advance(pool, 1000);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    sq_item_release(item);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* Waits without a thread, in line with the others. */
typedef struct waiting {
    sq_await_t await;
    sq_item_t *item;
    int outcome;
    latch_t ended;
} waiting_t;

static void note_outcome(sq_await_t *await) {
    waiting_t *waiting = await->context;
    waiting->outcome = sq_item_wait(waiting->item, SQ_NOW);
    latch_bump(&waiting->ended);
}

TEST(an_await_ends_with_the_outcome_or_is_withdrawn) {
    for (int cancels = 0; cancels < 2; cancels += 1) {
        outcome_t outcome;
        sq_queue_t *queue = make_suspended(0);
        sq_item_t *item = make_item(&outcome);
        waiting_t first = { { note_outcome, &first, { 0 } }, item, -1, LATCH_INIT };
        waiting_t second = { { note_outcome, &second, { 0 } }, item, -1, LATCH_INIT };
        CHECK_EQUAL(sq_item_await(item, &first.await), EINPROGRESS);
        CHECK_EQUAL(sq_item_await(item, &second.await), EINPROGRESS);
        CHECK(sq_item_withdraw(item, &second.await));
        CHECK(!sq_item_withdraw(item, &second.await));
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
        CHECK_EQUAL(cancels ? sq_item_cancel(item) : sq_resume(queue), 0);
        latch_wait(&first.ended, 1);
        CHECK_EQUAL(first.outcome, cancels ? ECANCELED : 0);
        CHECK(!sq_item_withdraw(item, &first.await));
        CHECK_EQUAL(sq_item_await(item, &second.await), first.outcome);
        CHECK_EQUAL(latch_value(&second.ended), 0);
        CHECK_EQUAL(cancels ? sq_resume(queue) : 0, 0);
        sq_item_release(item);
        sq_queue_release(queue);
    }
}

/* Notifications */

TEST(notifications_are_submitted_in_order_at_either_outcome_and_at_once_if_it_is_over) {
    for (int cancels = 0; cancels < 2; cancels += 1) {
        outcome_t outcome;
        journal_t journal = { 0 };
        entry_t entries[4];
        sq_queue_t *queue = make_suspended(0), *notified = make_queue_of("notified", 1); /* they need no room */
        sq_item_t *item = make_item(&outcome);
        hold_t hold;
        hold_async(&hold, notified);
        for (int i = 0; i < 3; i += 1) {
            entries[i] = (entry_t){ &journal, i };
            CHECK_EQUAL(sq_item_notify(item, notified, &(sq_task_t){ write_entry, &entries[i], must_not_run }), 0);
        }
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
        CHECK_EQUAL(sq_queue_depth(notified), 0);
        CHECK_EQUAL(cancels ? sq_item_cancel(item) : sq_resume(queue), 0);
        CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), cancels ? ECANCELED : 0);
        wait_for_depth(notified, 3);
        entries[3] = (entry_t){ &journal, 3 };
        CHECK_EQUAL(sq_item_notify(item, notified, &(sq_task_t){ write_entry, &entries[3], must_not_run }), 0);
        CHECK_EQUAL(sq_queue_depth(notified), 4);
        hold_end(&hold);
        drain(notified);
        CHECK_EQUAL(journal.count, 4);
        for (int i = 0; i < 4; i += 1) {
            CHECK_EQUAL(journal.entries[i], i);
        }
        CHECK_EQUAL(sq_item_notify(item, notified, &(sq_task_t){ NULL, NULL, NULL }), EINVAL);
        CHECK_EQUAL(cancels ? sq_resume(queue) : 0, 0);
        sq_queue_release(queue);
        sq_queue_release(notified);
        sq_item_release(item);
    }
}

TEST(a_notification_whose_queue_was_shut_down_is_discarded) {
    outcome_t outcome, notified = { 0, 0 };
    const sq_task_t task = counted_task(&notified);
    sq_queue_t *queue = make_queue_of("ends", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_notify(item, queue, &task), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_notify(item, queue, &task), ESHUTDOWN);
    check_outcome(&notified, 0, 0);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    check_outcome(&notified, 0, 1);
    sq_queue_release(queue);
    sq_item_release(item);
}

/* What is registered while the first notification is being discarded comes after those that were there before. */
typedef struct late {
    sq_item_t *item;
    sq_queue_t *queue;
    entry_t entries[3];
} late_t;

static void notify_late(void *context) {
    late_t *late = context;
    CHECK_EQUAL(sq_item_wait(late->item, SQ_NOW), ECANCELED);
    CHECK_EQUAL(sq_item_notify(late->item, late->queue, &(sq_task_t){ write_entry, &late->entries[2], NULL }), 0);
}

TEST(a_notification_that_is_registered_while_others_are_submitted_comes_after_them) {
    outcome_t outcome;
    journal_t journal = { 0 };
    sq_queue_t *closed = make_queue_of("closed", 0), *queue = make_queue_of("notified", 0);
    late_t late = { make_item(&outcome), queue, { { &journal, 0 }, { &journal, 1 }, { &journal, 2 } } };
    CHECK_EQUAL(sq_item_notify(late.item, closed, &(sq_task_t){ must_not_run, &late, notify_late }), 0);
    CHECK_EQUAL(sq_item_notify(late.item, queue, &(sq_task_t){ write_entry, &late.entries[0], NULL }), 0);
    CHECK_EQUAL(sq_item_notify(late.item, queue, &(sq_task_t){ write_entry, &late.entries[1], NULL }), 0);
    CHECK_EQUAL(sq_shutdown(closed, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_cancel(late.item), 0);
    drain(queue);
    CHECK_EQUAL(journal.count, 3);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    sq_queue_release(closed);
    sq_queue_release(queue);
    sq_item_release(late.item);
}

/* The notification keeps its queue, and the item its notifications. */
TEST(a_notification_keeps_its_queue_until_it_has_run) {
    outcome_t outcome, notified = { 0, 0 };
    const sq_task_t task = counted_task(&notified);
    latch_t done = LATCH_INIT;
    sq_queue_t *queue = make_queue_of("kept", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_notify(item, queue, &task), 0);
    CHECK_EQUAL(sq_item_notify(item, queue, &(sq_task_t){ (sq_function_t)latch_bump, &done, NULL }), 0);
    sq_queue_release(queue);
    sq_item_release(item);
    latch_wait(&done, 1);
    check_outcome(&notified, 1, 0);
}

/* No memory or thread */

typedef struct scene {
    sq_queue_t *queue;
    sq_item_t *item;
    outcome_t outcome, notified;
} scene_t;

static int do_create(scene_t *scene) {
    sq_item_t *item = sq_item_create("made in need", &(sq_task_t){ count_ran, &scene->notified, count_discarded });
    if (item == NULL) {
        return errno;
    }
    CHECK_EQUAL(sq_item_cancel(item), 0);
    sq_item_release(item);
    return 0;
}

static int do_submit(scene_t *scene) { return sq_item_submit(scene->item, scene->queue); }
static int do_submit_after(scene_t *scene) { return sq_item_submit_after(scene->item, scene->queue, 1000); }
static int do_notify(scene_t *scene) { return sq_item_notify(scene->item, scene->queue, &(sq_task_t){ count_ran, &scene->notified, NULL }); }
static int do_cancel(scene_t *scene) { return sq_item_cancel(scene->item); }

static int do_wait(scene_t *scene) {
    int error = sq_item_wait(scene->item, sq_deadline(1000000));
    CHECK(error == ETIMEDOUT || error == ENOMEM);
    return error == ETIMEDOUT ? 0 : error;
}

/* Every call with every allocation and thread creation failing: it works, or it is refused and works then. */
TEST(a_call_without_memory_or_thread_does_nothing_and_works_later) {
    static int (*const calls[])(scene_t *) = { do_create, do_submit, do_submit_after, do_notify, do_wait, do_cancel };
    uint64_t failures = 0;
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c += 1) {
        for (int round = 0; round < 24; round += 1) {
            const failure_t what = round % 2 ? FAIL_ALLOCATION : FAIL_THREAD;
            scene_t scene = { .queue = make_queue_of("needy", 0) };
            scene.item = make_item(&scene.outcome);
            fail_nth(what, (uint64_t)round / 4 + 1, round / 2 % 2);
            int error = calls[c](&scene);
            failures += fail_nothing();
            CHECK(error == 0 || error == ENOMEM);
            if (error) {
                CHECK_EQUAL(calls[c](&scene), 0);
            }
            sq_item_release(scene.item);
            CHECK_EQUAL(sq_shutdown(scene.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
            CHECK_EQUAL(scene.outcome.ran + scene.outcome.discarded, 1);
            CHECK_EQUAL(scene.notified.ran + scene.notified.discarded, calls[c] == do_notify || (calls[c] == do_create && scene.notified.discarded));
            sq_queue_release(scene.queue);
        }
    }
    CHECK(failures >= 12);
}
