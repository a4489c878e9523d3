/* item_last_test.c: which submission of an item that repeats is the last one: what waits, notifications and cancels are for. */
#include "concurrent.h"
#include "item.h"

#include "inject.h"
#include "sq_await.h"
#include "sq_group.h"
#include "sq_private.h"

static sq_item_t *make_repeating_of(const sq_task_t *task) {
    sq_item_options_t options = SQ_ITEM_OPTIONS_INIT;
    options.flags = SQ_ITEM_REPEATS;
    sq_item_t *item = sq_item_create_with("item", task, &options);
    REQUIRE(item != NULL);
    return item;
}

static sq_item_t *make_repeating(outcome_t *outcome) {
    *outcome = (outcome_t){ 0, 0 };
    return make_repeating_of(&(sq_task_t){ count_ran, outcome, count_discarded });
}

/* Queues that refuse. */
typedef struct refusing {
    sq_queue_t *full, *closed;
    sq_group_t *group;
    size_t filled;
} refusing_t;

static void refusing_begin(refusing_t *refusing) {
    *refusing = (refusing_t){ make_suspended(1), make_queue_of("closed", 0), sq_group_create("group"), 0 };
    CHECK_EQUAL(sq_async(refusing->full, add_one, &refusing->filled), 0);
    CHECK_EQUAL(sq_shutdown(refusing->closed, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
}

/* Submits the item to each queue that refuses it, in each way. */
static void refuse(refusing_t *refusing, sq_item_t *item) {
    CHECK_EQUAL(sq_item_submit(item, refusing->full), EAGAIN);
    CHECK_EQUAL(sq_item_submit(item, refusing->closed), ESHUTDOWN);
    CHECK_EQUAL(sq_item_submit_after(item, refusing->closed, 1000), ESHUTDOWN);
    CHECK_EQUAL(sq_group_submit_item(refusing->group, item, refusing->full), EAGAIN);
    CHECK_EQUAL(sq_group_submit_item(refusing->group, item, refusing->closed), ESHUTDOWN);
    CHECK_EQUAL(sq_group_wait(refusing->group, SQ_NOW), 0);
    for (uint64_t nth = 1; nth <= 2; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        CHECK_EQUAL(sq_item_submit_after(item, refusing->full, 1000), ENOMEM);
        CHECK_EQUAL(fail_nothing(), 1);
    }
}

static void refusing_end(refusing_t *refusing) {
    CHECK_EQUAL(sq_resume(refusing->full), 0);
    drain(refusing->full);
    sq_queue_release(refusing->full);
    sq_queue_release(refusing->closed);
    sq_group_release(refusing->group);
}

/* To see these fail: in submit (item_submit.c), call sq__item_turn before the queue has accepted the item. */
TEST(a_refused_submission_leaves_the_last_one_to_waits_notifications_and_cancels) {
    outcome_t outcome, told = { 0, 0 };
    refusing_t refusing;
    const sq_task_t notice = counted_task(&told);
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_repeating(&outcome);
    refusing_begin(&refusing);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    refuse(&refusing, item);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_notify(item, queue, &notice), 0);
    drain(queue);
    check_outcome(&told, 1, 0);
    CHECK_EQUAL(sq_item_cancel(item), EALREADY);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    sq_item_release(item);
    drain(queue);
    check_outcome(&outcome, 1, 1);
    sq_queue_release(queue);
    refusing_end(&refusing);
}

TEST(a_refused_submission_leaves_the_one_that_waits_in_a_suspended_queue_the_last) {
    outcome_t outcome, told = { 0, 0 };
    refusing_t refusing;
    const sq_task_t notice = counted_task(&told);
    sq_queue_t *queue = make_suspended(0);
    sq_item_t *item = make_repeating(&outcome);
    refusing_begin(&refusing);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    refuse(&refusing, item);
    CHECK_EQUAL(sq_item_notify(item, queue, &notice), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), ECANCELED);
    CHECK_EQUAL(stats_now(queue).withdrawn, 1);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    check_outcome(&told, 1, 0);
    sq_item_release(item);
    check_outcome(&outcome, 0, 1);
    sq_queue_release(queue);
    refusing_end(&refusing);
}

/* A program frees what the task uses after a cancel and a wait. */
TEST(after_a_refused_submission_a_cancel_and_a_wait_return_when_the_one_that_runs_has_ended) {
    stay_t run = STAY_INIT;
    refusing_t refusing;
    item_waiter_t waiter;
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_repeating_of(&(sq_task_t){ .run = stay, .context = &run });
    refusing_begin(&refusing);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    latch_wait(&run.entered, 1);
    refuse(&refusing, item);
    CHECK_EQUAL(sq_item_cancel(item), EINPROGRESS);
    CHECK_EQUAL(sq_item_submit(item, queue), ECANCELED);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    item_waiter_start(&waiter, item, SQ_FOREVER);
    latch_bump(&run.leave);
    CHECK_EQUAL(item_waiter_end(&waiter), 0);
    sq_item_release(item);
    drain(queue);
    sq_queue_release(queue);
    refusing_end(&refusing);
}

static void wait_for_latch(void *context) { latch_wait(context, 1); }

/* The first submission that a queue accepts, not the first that one refuses. */
TEST(waits_and_notifications_before_the_first_submission_are_for_the_first_that_is_accepted) {
    outcome_t outcome;
    refusing_t refusing;
    item_waiter_t waiters[2];
    journal_t journal = { 0 };
    static entry_t entries[3];
    latch_t busy = LATCH_INIT;
    sq_queue_t *queue = make_queue_of("queue", 0), *other = make_queue_of("other", 0);
    sq_item_t *item = make_repeating(&outcome);
    refusing_begin(&refusing);
    for (size_t i = 0; i < 3; i += 1) {
        entries[i] = (entry_t){ &journal, (int)i };
    }
    CHECK_EQUAL(sq_item_notify(item, other, &(sq_task_t){ .run = write_entry, .context = &entries[0] }), 0);
    item_waiter_start(&waiters[0], item, SQ_FOREVER);
    refuse(&refusing, item);
    CHECK_EQUAL(sq_item_notify(item, other, &(sq_task_t){ .run = write_entry, .context = &entries[1] }), 0);
    item_waiter_start(&waiters[1], item, SQ_FOREVER);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_async(queue, wait_for_latch, &busy), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_notify(item, other, &(sq_task_t){ .run = write_entry, .context = &entries[2] }), 0);
    CHECK_EQUAL(sq_item_submit(item, refusing.full), EAGAIN);
    CHECK_EQUAL(journal.count, 0);
    latch_bump(&busy);
    CHECK_EQUAL(item_waiter_end(&waiters[0]), 0);
    CHECK_EQUAL(item_waiter_end(&waiters[1]), 0);
    drain(queue); /* when the turn's task has ended, the notifications have been submitted */
    drain(other);
    CHECK_EQUAL(journal.count, 3);
    sq_item_release(item);
    drain(queue);
    check_outcome(&outcome, 1, 1);
    sq_queue_release(queue);
    sq_queue_release(other);
    refusing_end(&refusing);
}

static void count_end(sq_await_t *await) { *(size_t *)await->context += 1; }

TEST(an_await_before_the_first_submission_ends_with_that_and_looks_for_its_turn) {
    outcome_t outcome, plain_outcome;
    size_t ends = 0;
    sq_await_t await = { count_end, &ends, { 0 } };
    sq_queue_t *queue = make_suspended(0);
    sq_item_t *item = make_repeating(&outcome), *plain = make_item(&plain_outcome);
    sq_item_t *last = sq__item_retain_last(item), *itself = sq__item_retain_last(plain);
    CHECK(itself == plain);
    CHECK(last != NULL && last != item); /* it stands for the first turn */
    CHECK_EQUAL(sq_item_await(last, &await), EINPROGRESS);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(ends, 1);
    CHECK_EQUAL(sq_item_wait(last, SQ_NOW), EAGAIN); /* look again */
    CHECK(sq_item_await(last, &await) != EINPROGRESS);
    sq_item_t *turn = sq__item_retain_last(last), *same = sq__item_retain_last(item);
    CHECK(turn != last && turn == same);
    CHECK_EQUAL(sq_item_await(turn, &await), EINPROGRESS);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_item_wait(turn, SQ_FOREVER), 0);
    drain(queue);
    CHECK_EQUAL(ends, 2);
    sq_item_t *const all[] = { turn, same, last, item, itself, plain };
    for (size_t i = 0; i < 6; i += 1) {
        sq_item_release(all[i]);
    }
    check_outcome(&outcome, 1, 1);
    check_outcome(&plain_outcome, 0, 1);
    sq_queue_release(queue);
}
