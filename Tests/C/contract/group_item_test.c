/* group_item_test.c: work items as members of a group, which leave at their outcome, whatever it is. */
#include "concurrent.h"
#include "group.h"
#include "inject.h"
#include "outcome.h"

#include "sq_item.h"

static sq_item_t *make_item(outcome_t *outcome) {
    const sq_task_t task = counted_task(outcome);
    sq_item_t *item = sq_item_create("member", &task);
    REQUIRE(item != NULL);
    return item;
}

TEST(an_item_leaves_when_it_has_run_was_cancelled_or_was_discarded) {
    sq_group_t *group = make();
    sq_queue_t *queue = make_queue_of("items", 0);
    outcome_t outcomes[3] = { { 0, 0 } };
    sq_item_t *items[3];
    hold_t hold;
    for (int i = 0; i < 3; i += 1) {
        items[i] = make_item(&outcomes[i]);
    }
    CHECK_EQUAL(sq_group_submit_item(group, items[0], queue), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_wait(items[0], SQ_NOW), 0); /* the outcome comes before the end of the wait */
    CHECK_EQUAL(outcomes[0].ran, 1);
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_group_submit_item(group, items[1], queue), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_item_cancel(items[1]), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    CHECK_EQUAL(sq_group_submit_item(group, items[2], queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_wait(items[2], SQ_NOW), ECANCELED);
    CHECK_EQUAL(outcomes[2].discarded, 1);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(outcomes[i].ran + outcomes[i].discarded, 1);
        sq_item_release(items[i]);
    }
    sq_queue_release(queue);
    sq_group_release(group);
}

TEST(an_item_that_is_refused_is_no_member_and_can_be_submitted_again) {
    sq_group_t *group = make();
    sq_queue_t *ended = make_queue_of("ended", 0), *full = make_queue_of("full", 1), *queue = make_queue_of("items", 0);
    outcome_t outcome = { 0, 0 }, other = { 0, 0 };
    sq_item_t *item = make_item(&outcome), *cancelled = make_item(&other);
    hold_t hold;
    size_t ran = 0;
    CHECK_EQUAL(sq_shutdown(ended, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_group_submit_item(group, item, ended), ESHUTDOWN);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    hold_async(&hold, full);
    CHECK_EQUAL(sq_async(full, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_submit_item(group, item, full), EAGAIN);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    hold_end(&hold);
    fail_nth(FAIL_ALLOCATION, 1, true); /* the group's record of the queue */
    CHECK_EQUAL(sq_group_submit_item(group, item, queue), ENOMEM);
    CHECK(fail_nothing() > 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    CHECK_EQUAL(sq_item_cancel(cancelled), 0);
    CHECK_EQUAL(sq_group_submit_item(group, cancelled, queue), ECANCELED);
    CHECK_EQUAL(sq_group_submit_item(group, item, queue), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_group_submit_item(group, item, queue), EALREADY);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    CHECK_EQUAL(outcome.ran, 1);
    CHECK_EQUAL(other.discarded, 1);
    sq_item_release(item);
    sq_item_release(cancelled);
    sq_queue_release(ended);
    sq_queue_release(full);
    sq_queue_release(queue);
    sq_group_release(group);
}

TEST(an_item_that_was_refused_and_is_then_cancelled_does_not_leave) {
    sq_group_t *group = make();
    sq_queue_t *full = make_queue_of("full", 1);
    outcome_t outcome = { 0, 0 };
    sq_item_t *item = make_item(&outcome);
    size_t ran = 0;
    hold_t hold;
    hold_async(&hold, full);
    CHECK_EQUAL(sq_group_async(group, full, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_submit_item(group, item, full), EAGAIN);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK_EQUAL(outcome.discarded, 1);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    hold_end(&hold);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    sq_item_release(item);
    sq_queue_release(full);
    sq_group_release(group);
}

typedef struct inside {
    sq_group_t *group;
    sq_item_t *item;
    sq_queue_t *queue;
} inside_t;

static void wait_for_item_behind(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_group_submit_item(inside->group, inside->item, inside->queue), 0);
    CHECK_EQUAL(sq_group_wait(inside->group, SQ_FOREVER), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "waits for group \"members\", which has a task in queue \"items\"") != NULL);
}

TEST(a_task_that_waits_for_an_item_behind_itself_is_refused) {
    outcome_t outcome = { 0, 0 };
    sq_queue_t *queue = make_queue_of("items", 0);
    inside_t inside = { make(), make_item(&outcome), queue };
    CHECK_EQUAL(sq_sync(queue, wait_for_item_behind, &inside), 0);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    CHECK_EQUAL(outcome.ran, 1);
    sq_item_release(inside.item);
    sq_group_release(inside.group);
    sq_queue_release(queue);
}

/* Items on a serial and on a concurrent queue, and threads that cancel them while they are submitted and run. */
enum { STORM_THREADS = 2, STORM_ITEMS = 16 };

typedef struct storm {
    sq_item_t *_Atomic items[STORM_ITEMS];
    latch_t go;
} storm_t;

static void *cancel_all(void *argument) {
    storm_t *storm = argument;
    latch_wait(&storm->go, 1);
    for (int i = 0; i < STORM_ITEMS; i += 1) {
        (void)sq_item_cancel(storm->items[i]);
    }
    return NULL;
}

TEST(a_group_of_items_that_race_with_their_cancellation_ends_once_each_has_an_outcome) {
    sq_queue_t *queues[2] = { make_queue_of("serial", 0), make_concurrent(2, 2) };
    sq_group_t *group = make();
    for (size_t round = 0; round < scaled(300); round += 1) {
        storm_t storm = { .go = LATCH_INIT };
        outcome_t outcomes[STORM_ITEMS] = { { 0, 0 } };
        pthread_t threads[STORM_THREADS];
        for (int i = 0; i < STORM_ITEMS; i += 1) {
            storm.items[i] = make_item(&outcomes[i]);
        }
        for (int i = 0; i < STORM_THREADS; i += 1) {
            threads[i] = spawn(cancel_all, &storm);
        }
        latch_bump(&storm.go);
        for (int i = 0; i < STORM_ITEMS; i += 1) {
            int error = sq_group_submit_item(group, storm.items[i], queues[i % 2]);
            CHECK(error == 0 || error == ECANCELED);
        }
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        for (int i = 0; i < STORM_THREADS; i += 1) {
            join(threads[i]);
        }
        for (int i = 0; i < STORM_ITEMS; i += 1) {
            CHECK(sq_item_wait(storm.items[i], SQ_FOREVER) != ETIMEDOUT);
            CHECK_EQUAL(outcomes[i].ran + outcomes[i].discarded, 1);
            sq_item_release(storm.items[i]);
        }
        CHECK_EQUAL(sq_group_leave(group), EINVAL); /* nothing is counted twice */
    }
    sq_group_release(group);
    sq_queue_release(queues[0]);
    sq_queue_release(queues[1]);
}

/* Members that release the group, and themselves if they are items. Their submitter may still be in the call. */
typedef struct own {
    sq_group_t *group;
    sq_item_t *item;
} own_t;

static void release_both(void *context) {
    own_t own = *(own_t *)context;
    sq_item_release(own.item);
    sq_group_release(own.group);
}

static void submit_own(own_t *own, sq_queue_t *queue, bool is_item) {
    own->group = make();
    own->item = is_item ? sq_item_create("own", &(sq_task_t){ release_both, own, NULL }) : NULL;
    CHECK_EQUAL(is_item ? sq_group_submit_item(own->group, own->item, queue) : sq_group_async(own->group, queue, release_both, own), 0);
}

TEST(a_member_may_release_the_last_reference_to_its_group) {
    sq_queue_t *queues[] = { make_queue_of("serial", 0), make_concurrent(2, SQ_WIDTH_POOL) };
    size_t rounds = scaled(20000);
    for (size_t i = 0; i < rounds; i += 1) {
        own_t own;
        submit_own(&own, queues[i / 2 % 2], i % 2);
        CHECK_EQUAL(sq_sync_barrier(queues[i / 2 % 2], do_nothing, NULL), 0);
    }
    sq_queue_release(queues[0]);
    sq_queue_release(queues[1]);
}
