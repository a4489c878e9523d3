/* item_test.c: work items are submitted once, and have one outcome, whatever becomes of their queue and their references. */
#include "item.h"

#include "inject.h"

#include <stdlib.h>

TEST(an_item_runs_once_and_its_outcome_can_be_asked_for_again) {
    outcome_t outcome;
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_STRING(sq_item_label(item), "item");
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    }
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), 0);
    CHECK(!sq_item_is_cancelled(item));
    check_outcome(&outcome, 1, 0);
    check_outcomes(queue, 1, 0, 0, 0);
    sq_queue_release(queue);
    sq_item_release(item);
}

TEST(an_item_has_a_function_and_may_lack_a_label_and_a_discard_function) {
    size_t ran = 0;
    errno = 0;
    CHECK(sq_item_create("item", &(sq_task_t){ NULL, &ran, add_one }) == NULL);
    CHECK_EQUAL(errno, EINVAL);
    CHECK_EQUAL(ran, 0);
    sq_item_t *item = sq_item_create(NULL, &(sq_task_t){ add_one, &ran, NULL });
    CHECK_STRING(sq_item_label(item), "");
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), ECANCELED);
    CHECK_EQUAL(ran, 0);
    sq_item_release(item);
    sq_item_release(NULL);
}

TEST(an_item_that_was_submitted_is_refused_by_every_queue) {
    outcome_t outcome;
    sq_queue_t *queue = make_suspended(0), *other = make_queue_of("other", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), EALREADY);
    CHECK_EQUAL(sq_item_submit(item, other), EALREADY);
    CHECK_EQUAL(sq_item_submit_after(item, other, 1), EALREADY);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_submit(item, other), EALREADY);
    check_outcome(&outcome, 1, 0);
    check_outcomes(other, 0, 0, 0, 0);
    sq_queue_release(queue);
    sq_queue_release(other);
    sq_item_release(item);
}

TEST(a_refused_item_can_be_submitted_again) {
    outcome_t outcome;
    size_t ran = 0;
    hold_t hold;
    sq_queue_t *full = make_queue_of("full", 1), *closed = make_queue_of("closed", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_shutdown(closed, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    hold_async(&hold, full);
    CHECK_EQUAL(sq_async(full, add_one, &ran), 0);
    CHECK_EQUAL(sq_item_submit(item, full), EAGAIN);
    CHECK_EQUAL(sq_item_submit(item, closed), ESHUTDOWN);
    CHECK_EQUAL(sq_item_submit_after(item, closed, 1), ESHUTDOWN);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_item_submit_after(item, full, 0), 0); /* takes no room */
    hold_end(&hold);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    check_outcome(&outcome, 1, 0);
    CHECK_EQUAL(stats_now(full).rejected, 1);
    CHECK_EQUAL(stats_now(closed).rejected, 2);
    CHECK_EQUAL(sq_async(full, add_one, &ran), 0); /* and gave none back */
    drain(full);
    sq_queue_release(full);
    sq_queue_release(closed);
    sq_item_release(item);
}

TEST(items_share_one_order_with_all_other_tasks) {
    journal_t journal = { 0 };
    sq_queue_t *queue = make_suspended(0);
    entry_t entries[60];
    sq_item_t *items[60] = { NULL };
    for (int i = 0; i < 60; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        if (i % 3 == 0) {
            CHECK_EQUAL(sq_async(queue, write_entry, &entries[i]), 0);
            continue;
        }
        items[i] = make_item_of(&(sq_task_t){ write_entry, &entries[i], NULL });
        CHECK_EQUAL(i % 3 == 1 ? sq_item_submit(items[i], queue) : sq_item_submit_after(items[i], queue, 0), 0);
    }
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK_EQUAL(journal.count, 60);
    for (int i = 0; i < 60; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
        sq_item_release(items[i]);
    }
    sq_queue_release(queue);
}

TEST(an_item_whose_queue_discards_it_never_runs) {
    outcome_t outcome;
    hold_t hold;
    sq_queue_t *queue = make_queue_of("discards", 0);
    sq_item_t *item = make_item(&outcome);
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), ECANCELED);
    CHECK(!sq_item_is_cancelled(item));
    CHECK_EQUAL(sq_item_cancel(item), EALREADY);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    check_outcome(&outcome, 0, 1);
    check_outcomes(queue, 1, 1, 0, 0);
    sq_queue_release(queue);
    sq_item_release(item);
}

TEST(an_item_without_a_discard_function_can_be_discarded) {
    size_t ran = 0;
    sq_queue_t *queue = make_suspended(0);
    sq_item_t *item = make_item_of(&(sq_task_t){ add_one, &ran, NULL });
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), ECANCELED);
    CHECK_EQUAL(ran, 0);
    sq_queue_release(queue);
    sq_item_release(item);
}

/* The pool of the queue that refused it is released. */
TEST(an_item_that_a_queue_of_a_manual_pool_refused_keeps_nothing_of_it) {
    outcome_t outcome;
    size_t ran = 0;
    rest_t before = rest_now();
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *refuses =
        sq_queue_create("full", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool, .capacity = 1 });
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_async(refuses, add_one, &ran), 0);
    CHECK_EQUAL(sq_item_submit(item, refuses), EAGAIN);
    CHECK_EQUAL(sq_pool_run(pool), 1);
    sq_queue_release(refuses);
    sq_pool_release(pool);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    sq_item_release(item);
    sq_queue_release(queue);
    CHECK_AT_REST(before);
    check_outcome(&outcome, 1, 0);
}

/* References */

TEST(an_item_that_was_released_after_its_submission_still_runs) {
    outcome_t outcome;
    sq_queue_t *queue = make_suspended(0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    sq_item_release(sq_item_retain(item));
    sq_item_release(item);
    check_outcome(&outcome, 0, 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    check_outcome(&outcome, 1, 0);
    sq_queue_release(queue);
}

TEST(the_last_release_of_an_item_that_was_never_submitted_discards_it) {
    outcome_t outcome;
    sq_item_t *item = make_item(&outcome);
    sq_item_release(sq_item_retain(item));
    check_outcome(&outcome, 0, 0);
    sq_item_release(item);
    check_outcome(&outcome, 0, 1);
}

/* The waiters have no reference of their own. */
TEST(the_last_release_of_an_item_that_was_never_submitted_ends_the_waits_for_it) {
    outcome_t outcome;
    size_t notified = 0;
    item_waiter_t waiters[2];
    sq_queue_t *queue = make_queue_of("notified", 0);
    sq_item_t *item = make_item(&outcome);
    item_waiter_start(&waiters[0], item, SQ_FOREVER);
    item_waiter_start(&waiters[1], item, SQ_FOREVER);
    CHECK_EQUAL(sq_item_notify(item, queue, &(sq_task_t){ add_one, &notified, NULL }), 0);
    sq_item_release(item);
    CHECK_EQUAL(item_waiter_end(&waiters[0]), ECANCELED);
    CHECK_EQUAL(item_waiter_end(&waiters[1]), ECANCELED);
    check_outcome(&outcome, 0, 1);
    drain(queue);
    CHECK_EQUAL(notified, 1);
    sq_queue_release(queue);
}

/* The last reference is released. The item's own function takes one, and another thread releases it. */
typedef struct own {
    sq_item_t *item;
    latch_t retained, go;
} own_t;

static void retain_itself(void *context) {
    own_t *own = context;
    latch_wait(&own->go, 1);
    CHECK(!sq_item_is_cancelled(own->item));
    sq_item_retain(own->item);
    latch_bump(&own->retained);
}

TEST(an_item_may_take_a_reference_to_itself_while_it_runs) {
    own_t own = { NULL, LATCH_INIT, LATCH_INIT };
    sq_queue_t *queue = make_queue_of("queue", 0);
    own.item = make_item_of(&(sq_task_t){ retain_itself, &own, NULL });
    CHECK_EQUAL(sq_item_submit(own.item, queue), 0);
    sq_item_release(own.item);
    latch_bump(&own.go);
    latch_wait(&own.retained, 1);
    drain(queue);
    CHECK_EQUAL(sq_item_wait(own.item, SQ_NOW), 0);
    sq_item_release(own.item);
    sq_queue_release(queue);
}

typedef struct leaving {
    sq_item_t *item;
    latch_t left;
} leaving_t;

static void release_itself(void *context) {
    leaving_t *leaving = context;
    sq_item_release(leaving->item);
    latch_bump(&leaving->left);
}

/* Its submitter may still be in the call. */
TEST(an_item_may_release_its_last_reference_while_it_runs) {
    sq_queue_t *queue = make_queue_of("queue", 0);
    size_t rounds = scaled(20000);
    for (size_t i = 0; i < rounds; i += 1) {
        leaving_t leaving = { NULL, LATCH_INIT };
        leaving.item = make_item_of(&(sq_task_t){ release_itself, &leaving, NULL });
        CHECK_EQUAL(i % 2 ? sq_item_submit(leaving.item, queue) : sq_item_submit_after(leaving.item, queue, 1), 0);
        latch_wait(&leaving.left, 1);
    }
    sq_queue_release(queue);
}

/* The queue is freed after its last task, before the item is. */
TEST(an_item_outlives_its_queue) {
    outcome_t outcome;
    for (int round = 0; round < 50; round += 1) {
        sq_queue_t *queue = make_queue_of("gone", round % 2);
        sq_item_t *item = make_item(&outcome);
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
        sq_queue_release(queue);
        CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
        CHECK_EQUAL(sq_item_cancel(item), EALREADY);
        sq_item_release(item);
    }
}
