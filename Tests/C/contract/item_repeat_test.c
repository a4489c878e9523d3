/* item_repeat_test.c: items that are submitted again, that are barriers, and that are performed. */
#include "concurrent.h"
#include "item.h"

#include "inject.h"
#include "sq_await.h"
#include "sq_barrier.h"
#include "sq_group.h"

static sq_item_t *make_with(const sq_task_t *task, unsigned flags) {
    sq_item_options_t options = SQ_ITEM_OPTIONS_INIT;
    options.flags = flags;
    sq_item_t *item = sq_item_create_with("item", task, &options);
    REQUIRE(item != NULL);
    return item;
}

static sq_item_t *make_repeating(outcome_t *outcome) {
    *outcome = (outcome_t){ 0, 0 };
    return make_with(&(sq_task_t){ count_ran, outcome, count_discarded }, SQ_ITEM_REPEATS);
}

TEST(the_options_of_an_item_are_checked) {
    outcome_t outcome = { 0, 0 };
    const sq_task_t task = counted_task(&outcome);
    sq_item_options_t options = SQ_ITEM_OPTIONS_INIT;
    options.flags = 4;
    CHECK(sq_item_create_with("item", &task, &options) == NULL && errno == EINVAL);
    options = (sq_item_options_t){ 1, 0 };
    CHECK(sq_item_create_with("item", &task, &options) == NULL && errno == EINVAL);
    CHECK_EQUAL(outcome.discarded, 0);
    sq_item_release(sq_item_create_with("item", &task, NULL));
    CHECK_EQUAL(outcome.discarded, 1);
    for (uint64_t nth = 1; nth <= 2; nth += 1) {
        options = (sq_item_options_t){ sizeof options, SQ_ITEM_REPEATS };
        fail_nth(FAIL_ALLOCATION, nth, false);
        CHECK(sq_item_create_with("item", &task, &options) == NULL && errno == ENOMEM);
        CHECK_EQUAL(fail_nothing(), 1);
    }
    CHECK_EQUAL(outcome.discarded, 1);
}

TEST(an_item_that_repeats_runs_once_for_each_submission) {
    outcome_t outcome;
    sq_queue_t *queue = make_suspended(0), *other = make_queue_of("other", 0);
    sq_item_t *item = make_repeating(&outcome);
    for (int i = 0; i < 3; i += 1) { /* also while it waits */
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
    }
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(outcome.ran, 3);
    CHECK_EQUAL(sq_item_submit(item, other), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_submit_after(item, other, 1000), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_perform(item), 0);
    check_outcome(&outcome, 6, 0);
    check_outcomes(queue, 3, 0, 0, 0);
    check_outcomes(other, 2, 0, 0, 0);
    sq_item_release(item);
    drain(queue);
    drain(other);
    check_outcome(&outcome, 6, 1);
    sq_queue_release(queue);
    sq_queue_release(other);
}

TEST(an_item_that_repeats_is_discarded_once_after_its_last_run) {
    outcome_t outcome;
    sq_queue_t *queue = make_suspended(0);
    sq_item_t *item = make_repeating(&outcome);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    sq_item_release(item);
    check_outcome(&outcome, 0, 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    check_outcome(&outcome, 2, 1);
    sq_queue_release(queue);
}

TEST(a_wait_before_the_first_submission_is_for_that_one) {
    outcome_t outcome, told = { 0, 0 };
    item_waiter_t waiter;
    const sq_task_t notice = counted_task(&told);
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_repeating(&outcome);
    CHECK_EQUAL(sq_item_notify(item, queue, &notice), 0);
    item_waiter_start(&waiter, item, SQ_FOREVER);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(item_waiter_end(&waiter), 0);
    drain(queue); /* the item's task: when it ends, the notification has been submitted */
    drain(queue);
    check_outcome(&told, 1, 0);
    CHECK_EQUAL(sq_item_notify(item, queue, &notice), 0); /* at once */
    drain(queue);
    check_outcome(&told, 2, 0);
    sq_await_t await = { 0 };
    CHECK_EQUAL(sq_item_await(item, &await), EINVAL);
    sq_item_release(item);
    item = make_repeating(&outcome); /* never submitted */
    CHECK_EQUAL(sq_item_notify(item, queue, &notice), 0);
    sq_item_release(item);
    drain(queue);
    check_outcome(&told, 3, 0);
    check_outcome(&outcome, 0, 1);
    sq_queue_release(queue);
}

TEST(a_cancelled_item_that_repeats_starts_no_more) {
    outcome_t outcome;
    sq_queue_t *queue = make_suspended(0);
    sq_item_t *item = make_repeating(&outcome);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK(sq_item_is_cancelled(item));
    CHECK_EQUAL(sq_item_submit(item, queue), ECANCELED);
    CHECK_EQUAL(sq_item_perform(item), ECANCELED);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), ECANCELED);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    check_outcome(&outcome, 0, 0);
    CHECK_EQUAL(stats_now(queue).withdrawn, 1);
    sq_item_release(item);
    check_outcome(&outcome, 0, 1);
    sq_queue_release(queue);
}

TEST(a_refused_submission_of_an_item_that_repeats_is_none) {
    outcome_t outcome;
    sq_queue_t *queue = make_queue_of("queue", 0), *closed = make_queue_of("closed", 0);
    sq_item_t *item = make_repeating(&outcome);
    CHECK_EQUAL(sq_shutdown(closed, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_submit(item, closed), ESHUTDOWN);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq_item_submit(item, queue), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq_item_perform(item), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    sq_item_release(item);
    drain(queue); /* a wait ends before the turn has dropped its reference, and the last one discards */
    check_outcome(&outcome, 2, 1);
    sq_queue_release(queue);
    sq_queue_release(closed);
}

TEST(a_group_waits_for_each_submission_of_an_item_that_repeats) {
    outcome_t outcome;
    sq_queue_t *queue = make_suspended(0);
    sq_group_t *group = sq_group_create("group");
    sq_item_t *item = make_repeating(&outcome);
    for (int i = 0; i < 4; i += 1) {
        CHECK_EQUAL(sq_group_submit_item(group, item, queue), 0);
    }
    CHECK_EQUAL(sq_item_cancel(item), 0); /* withdraws one; the others pass */
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_item_release(item);
    drain(queue);
    check_outcome(&outcome, 0, 1);
    sq_group_release(group);
    sq_queue_release(queue);
}

/* Barriers */

typedef struct alone {
    atomic_int inside;
    bool runs_alone;
} alone_t;

static void share(void *context) {
    alone_t *alone = context;
    alone->inside += 1;
    alone->inside -= 1;
}

static void be_alone(void *context) {
    alone_t *alone = context;
    alone->runs_alone = alone->runs_alone && alone->inside == 0;
}

TEST(an_item_that_is_a_barrier_waits_for_the_readers_before_it) {
    outcome_t outcome = { 0, 0 };
    stay_t reader = STAY_INIT;
    item_waiter_t waiter;
    sq_queue_t *queue = make_concurrent(2, 2);
    sq_item_t *item = make_with(&(sq_task_t){ count_ran, &outcome, NULL }, SQ_ITEM_BARRIER);
    CHECK_EQUAL(sq_async(queue, stay, &reader), 0);
    latch_wait(&reader.entered, 1);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    item_waiter_start(&waiter, item, SQ_FOREVER);
    CHECK_EQUAL(outcome.ran, 0);
    latch_bump(&reader.leave);
    CHECK_EQUAL(item_waiter_end(&waiter), 0);
    CHECK_EQUAL(outcome.ran, 1);
    sq_item_release(item);
    sq_queue_release(queue);
}

TEST(a_barrier_that_waits_can_be_cancelled_and_the_readers_behind_it_go_on) {
    outcome_t outcome = { 0, 0 };
    stay_t reader = STAY_INIT;
    size_t ran = 0;
    sq_queue_t *queue = make_concurrent(2, 2);
    sq_item_t *item = make_with(&(sq_task_t){ count_ran, &outcome, count_discarded }, SQ_ITEM_BARRIER);
    CHECK_EQUAL(sq_async(queue, stay, &reader), 0);
    latch_wait(&reader.entered, 1);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    latch_bump(&reader.leave);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_item_release(item);
    check_outcome(&outcome, 0, 1);
    sq_queue_release(queue);
}

/* A barrier × a queue with a concurrent target × a delay × a group, again and again. */
TEST(repeating_barriers_run_alone_on_whatever_queue) {
    alone_t alone = { .runs_alone = true };
    sq_queue_t *queue = make_concurrent(2, 4);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = queue;
    sq_queue_t *child = sq_queue_create("child", &options);
    sq_group_t *group = sq_group_create("group");
    sq_item_t *barrier = make_with(&(sq_task_t){ be_alone, &alone, NULL }, SQ_ITEM_REPEATS | SQ_ITEM_BARRIER);
    sq_item_t *reader = make_with(&(sq_task_t){ share, &alone, NULL }, SQ_ITEM_REPEATS);
    size_t rounds = scaled(2000);
    for (size_t i = 0; i < rounds; i += 1) {
        CHECK_EQUAL(sq_group_submit_item(group, reader, queue), 0);
        CHECK_EQUAL(sq_group_submit_item(group, reader, child), 0);
        CHECK_EQUAL(i % 2 ? sq_item_submit_after(barrier, queue, 1000) : sq_group_submit_item(group, barrier, queue), 0);
    }
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_wait(barrier, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0); /* ends the delays */
    CHECK(alone.runs_alone);
    sq_item_release(barrier);
    sq_item_release(reader);
    sq_group_release(group);
    sq_queue_release(child);
    sq_queue_release(queue);
}

/* Perform */

TEST(an_item_that_is_performed_has_its_outcome) {
    outcome_t outcome, told = { 0, 0 };
    item_waiter_t waiter;
    const sq_task_t notice = counted_task(&told);
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_notify(item, queue, &notice), 0);
    item_waiter_start(&waiter, item, SQ_FOREVER);
    CHECK_EQUAL(sq_item_perform(item), 0);
    CHECK_EQUAL(item_waiter_end(&waiter), 0);
    CHECK_EQUAL(sq_item_perform(item), EALREADY);
    CHECK_EQUAL(sq_item_submit(item, queue), EALREADY);
    CHECK_EQUAL(sq_item_cancel(item), EALREADY);
    drain(queue);
    sq_item_release(item);
    check_outcome(&outcome, 1, 0);
    check_outcome(&told, 1, 0);
    sq_queue_release(queue);
    item = make_item(&outcome);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK_EQUAL(sq_item_perform(item), ECANCELED);
    sq_item_release(item);
}

typedef struct performed {
    sq_item_t *item;
    int waited, cancelled;
    char report[1024];
} performed_t;

static void wait_for_itself(void *context) {
    performed_t *performed = context;
    performed->waited = sq_item_wait(performed->item, SQ_FOREVER);
    snprintf(performed->report, sizeof performed->report, "%s", sq_deadlock_report());
    performed->cancelled = sq_item_cancel(performed->item);
}

TEST(an_item_that_waits_for_itself_while_it_is_performed_is_a_deadlock) {
    performed_t performed = { .waited = -1, .cancelled = -1 };
    performed.item = make_item_of(&(sq_task_t){ wait_for_itself, &performed, NULL });
    CHECK_EQUAL(sq_item_perform(performed.item), 0);
    CHECK_EQUAL(performed.waited, EDEADLK);
    CHECK_EQUAL(performed.cancelled, EINPROGRESS);
    if (!CHECK(strstr(performed.report, "performs item \"item\" and waits for item \"item\"") != NULL)) {
        note("%s", performed.report);
    }
    sq_item_release(performed.item);
}

/* Many threads submit, perform, wait for and cancel one item, whose group and queue are shared. */

typedef struct crowd {
    sq_item_t *item;
    sq_group_t *group;
    sq_queue_t *queue;
    size_t rounds;
    atomic_size_t accepted;
} crowd_t;

static void *use(void *argument) {
    crowd_t *crowd = argument;
    for (size_t i = 0; i < crowd->rounds; i += 1) {
        int error = i % 3 == 0 ? sq_item_perform(crowd->item)
                    : i % 3 == 1 ? sq_group_submit_item(crowd->group, crowd->item, crowd->queue)
                                 : sq_item_submit_after(crowd->item, crowd->queue, i % 2 * 100);
        CHECK_EQUAL(error, 0);
        crowd->accepted += 1;
        if (i % 7 == 0) {
            CHECK_EQUAL(sq_item_wait(crowd->item, SQ_FOREVER), 0);
        }
    }
    return NULL;
}

TEST(each_submission_by_each_thread_runs) {
    for (int concurrent = 0; concurrent < 2; concurrent += 1) {
        outcome_t outcome;
        pthread_t threads[4];
        crowd_t crowd = { .rounds = scaled(3000), .group = sq_group_create("group") };
        crowd.queue = concurrent ? make_concurrent(2, 4) : make_queue_of("queue", 0);
        crowd.item = make_repeating(&outcome);
        for (int i = 0; i < 4; i += 1) {
            threads[i] = spawn(use, &crowd);
        }
        for (int i = 0; i < 4; i += 1) {
            join(threads[i]);
        }
        CHECK_EQUAL(sq_group_wait(crowd.group, SQ_FOREVER), 0);
        sq_item_release(crowd.item);
        CHECK_EQUAL(sq_shutdown(crowd.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0); /* ends the delays */
        CHECK_EQUAL(outcome.discarded, 1);
        CHECK(outcome.ran <= crowd.accepted && outcome.ran >= crowd.accepted / 3);
        sq_queue_release(crowd.queue);
        sq_group_release(crowd.group);
    }
}
