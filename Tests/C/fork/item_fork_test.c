/* item_fork_test.c: items and forks. */
#include "item.h"

#include "child.h"

/* Returns how many checks failed. */
static int use_in_child(void *argument) {
    sq_item_t **items = argument;
    size_t ran = 0;
    int wrong = 0;
    sq_await_t await = { 0 };
    sq_queue_t *queue = make_queue_of("child's", 0);
    wrong += !CHECK_EQUAL(sq_item_cancel(items[0]), ESTALE);
    wrong += !CHECK(!sq_item_is_cancelled(items[0]));
    wrong += !CHECK_EQUAL(sq_item_wait(items[0], SQ_FOREVER), ESTALE);
    wrong += !CHECK_EQUAL(sq_item_await(items[0], &await), ESTALE);
    wrong += !CHECK_EQUAL(sq_item_notify(items[0], queue, &(sq_task_t){ add_one, &ran, NULL }), ESTALE);
    wrong += !CHECK_EQUAL(sq_item_submit(items[1], queue), ESTALE);
    wrong += !CHECK_EQUAL(sq_item_perform(items[1]), ESTALE);
    wrong += !CHECK_EQUAL(sq_item_wait(items[2], SQ_FOREVER), 0); /* over before the fork */
    wrong += !CHECK_EQUAL(sq_item_await(items[2], &await), 0);
    for (int i = 0; i < 3; i += 1) {
        sq_item_release(items[i]);
    }
    sq_queue_release(queue);
    return wrong;
}

TEST(in_the_child_of_a_fork_the_items_of_the_parent_stay_as_they_were) {
    if (fork_left_out()) {
        return;
    }
    outcome_t outcomes[3];
    item_waiter_t waiter;
    sq_queue_t *queue = make_suspended(0), *other = make_queue_of("other", 0);
    sq_item_t *items[3];
    for (int i = 0; i < 3; i += 1) {
        items[i] = make_item(&outcomes[i]);
    }
    CHECK_EQUAL(sq_item_submit(items[0], queue), 0);
    CHECK_EQUAL(sq_item_submit(items[2], other), 0);
    CHECK_EQUAL(sq_item_wait(items[2], SQ_FOREVER), 0);
    item_waiter_start(&waiter, items[1], SQ_FOREVER);
    CHECK_EQUAL(in_fork(use_in_child, items), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_item_wait(items[0], SQ_FOREVER), 0);
    sq_item_release(items[1]);
    CHECK_EQUAL(item_waiter_end(&waiter), ECANCELED);
    sq_item_release(items[0]);
    sq_item_release(items[2]);
    sq_queue_release(queue);
    sq_queue_release(other);
}

typedef struct unsubmitted {
    sq_item_t *item;
    sq_await_t await;
    size_t discarded, ended;
} unsubmitted_t;

static void note_end(sq_await_t *await) { ((unsubmitted_t *)await->context)->ended += 1; }

static int release_in_child(void *argument) {
    unsubmitted_t *unsubmitted = argument;
    sq_item_release(unsubmitted->item);
    return !CHECK_EQUAL(unsubmitted->discarded, 0) + !CHECK_EQUAL(unsubmitted->ended, 0);
}

TEST(in_the_child_of_a_fork_the_last_release_of_an_item_that_was_not_submitted_is_no_outcome) {
    if (fork_left_out()) {
        return;
    }
    unsubmitted_t unsubmitted = { .await = { .ended = note_end, .context = &unsubmitted } };
    unsubmitted.item = sq_item_create(NULL, &(sq_task_t){ do_nothing, &unsubmitted.discarded, add_one });
    CHECK_EQUAL(sq_item_await(unsubmitted.item, &unsubmitted.await), EINPROGRESS);
    CHECK_EQUAL(in_fork(release_in_child, &unsubmitted), 0);
    sq_item_release(unsubmitted.item);
    CHECK_EQUAL(unsubmitted.discarded, 1);
    CHECK_EQUAL(unsubmitted.ended, 1);
}

static void fork_as_item(void *context) { fork_and_return(context); }

TEST(an_item_that_forks_has_its_outcome_in_the_parent_only) {
    if (fork_left_out()) {
        return;
    }
    int status = 0;
    sq_pool_t *pool = sq_pool_create_manual("forks");
    sq_queue_t *queue = sq_queue_create("forks", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool });
    sq_item_t *item = make_item_of(&(sq_task_t){ fork_as_item, &status, must_not_run });
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    int error = sq_item_wait(item, SQ_FOREVER);
    if (status == -1) {
        _exit(!(error == ESTALE && sq_item_wait(item, SQ_NOW) == ESTALE));
    }
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(error, 0);
    sq_item_release(item);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* What the child finds is not over there, and nothing that waits in the parent is touched. */
TEST(a_discard_function_that_forks_gives_an_outcome_in_the_parent_only) {
    if (fork_left_out()) {
        return;
    }
    int status = 0;
    sq_item_t *item = make_item_of(&(sq_task_t){ must_not_run, &status, fork_as_item });
    int error = sq_item_cancel(item);
    if (status == -1) {
        _exit(sq_item_wait(item, SQ_NOW) != ESTALE);
    }
    CHECK_EQUAL(error, 0);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), ECANCELED);
    sq_item_release(item);
}

static int use_items_of_its_own(void *unused) {
    (void)unused;
    outcome_t outcomes[2];
    int wrong = 0;
    size_t notified = 0;
    sq_queue_t *queue = make_queue_of("child's", 0);
    sq_item_t *items[2] = { make_item(&outcomes[0]), make_item(&outcomes[1]) };
    wrong += !CHECK_EQUAL(sq_item_notify(items[0], queue, &(sq_task_t){ add_one, &notified, add_one }), 0);
    wrong += !CHECK_EQUAL(sq_item_submit(items[0], queue), 0);
    wrong += !CHECK_EQUAL(sq_item_wait(items[0], SQ_FOREVER), 0); /* may return before the notification is submitted */
    wrong += !CHECK_EQUAL(sq_item_cancel(items[1]), 0);
    wrong += !CHECK_EQUAL(sq_item_wait(items[1], SQ_FOREVER), ECANCELED);
    wrong += !CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(outcomes[0].ran + outcomes[1].discarded + notified, 3);
    for (int i = 0; i < 2; i += 1) {
        sq_item_release(items[i]);
    }
    sq_queue_release(queue);
    return wrong;
}

TEST(items_that_are_made_in_the_child_of_a_fork_work) {
    if (!fork_left_out()) {
        CHECK_EQUAL(in_fork(use_items_of_its_own, NULL), 0);
    }
}
