/* item_cancel_test.c: a cancelled item never runs, leaves nothing behind, and cancelling races with all that could run it. */
#include "item.h"

#include "inject.h"

#include <stdlib.h>

TEST(an_item_that_was_cancelled_before_its_submission_is_never_submitted) {
    outcome_t outcome;
    sq_queue_t *queue = make_queue_of("queue", 0);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    check_outcome(&outcome, 0, 1);
    CHECK(sq_item_is_cancelled(item));
    CHECK_EQUAL(sq_item_submit(item, queue), ECANCELED);
    CHECK_EQUAL(sq_item_submit_after(item, queue, 1), ECANCELED);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), ECANCELED);
    CHECK_EQUAL(sq_item_cancel(item), EALREADY);
    drain(queue);
    check_outcomes(queue, 1, 0, 0, 0);
    sq_queue_release(queue);
    sq_item_release(item);
    check_outcome(&outcome, 0, 1);
}

TEST(a_cancelled_item_gives_back_its_captures_its_depth_and_its_room_before_cancel_returns) {
    outcome_t outcome;
    size_t ran = 0;
    sq_queue_t *queue = make_suspended(1);
    sq_item_t *item = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), EAGAIN);
    CHECK_EQUAL(sq_queue_depth(queue), 1);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    check_outcome(&outcome, 0, 1);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    CHECK_EQUAL(stats_now(queue).withdrawn, 1);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), EAGAIN);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), ECANCELED);
    CHECK_EQUAL(sq_item_cancel(item), EALREADY);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK_EQUAL(ran, 1);
    check_outcomes(queue, 2, 0, 1, 2);
    sq_queue_release(queue);
    sq_item_release(item);
    check_outcome(&outcome, 0, 1);
}

TEST(an_item_that_was_handed_to_the_runner_can_be_cancelled) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue =
        sq_queue_create("idle", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool, .capacity = 1 });
    outcome_t outcome;
    for (int round = 0; round < 3; round += 1) {
        sq_item_t *item = make_item(&outcome);
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
        CHECK_EQUAL(sq_item_cancel(item), 0);
        check_outcome(&outcome, 0, 1);
        CHECK_EQUAL(sq_queue_depth(queue), 0);
        CHECK_EQUAL(sq_pool_run(pool), 0);
        sq_item_release(item);
    }
    check_outcomes(queue, 0, 0, 3, 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* The items, their contexts and the notifications are freed. What is left is their slots in the ring. */
TEST(a_cancelled_and_released_item_costs_the_queue_at_most_40_bytes) {
    enum { COUNT = 100000 };
    sq_queue_t *queue = make_suspended(0);
    outcome_t outcome;
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    long before = live_bytes();
    for (int i = 0; i < COUNT; i += 1) {
        sq_item_t *item = sq_item_create("cancelled", &(sq_task_t){ free, malloc(1000), free });
        CHECK_EQUAL(sq_item_submit(item, queue), 0);
        CHECK_EQUAL(sq_item_cancel(item), 0);
        sq_item_release(item);
    }
    long each = (live_bytes() - before) / COUNT;
    note("%ld bytes for each cancelled item", each);
    if (!SANITIZED) {
        CHECK_AT_MOST(each, 40);
    }
    CHECK_EQUAL(sq_queue_depth(queue), 1);
    sq_item_t *last = make_item(&outcome);
    CHECK_EQUAL(sq_item_submit(last, queue), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_item_wait(last, SQ_FOREVER), 0);
    sq_item_release(last);
    sq_queue_release(queue);
}

/* A running item. */
typedef struct running {
    sq_item_t *item;
    latch_t entered, go;
    bool was_cancelled, is_cancelled;
} running_t;

static void look_around(void *context) {
    running_t *running = context;
    running->was_cancelled = sq_item_is_cancelled(running->item);
    latch_bump(&running->entered);
    latch_wait(&running->go, 1);
    running->is_cancelled = sq_item_is_cancelled(running->item);
}

TEST(a_running_item_is_not_stopped_but_can_ask) {
    running_t running = { NULL, LATCH_INIT, LATCH_INIT, true, false };
    sq_queue_t *queue = make_queue_of("queue", 0);
    running.item = make_item_of(&(sq_task_t){ look_around, &running, must_not_run });
    CHECK_EQUAL(sq_item_submit(running.item, queue), 0);
    latch_wait(&running.entered, 1);
    CHECK_EQUAL(sq_item_cancel(running.item), EINPROGRESS);
    CHECK_EQUAL(sq_item_cancel(running.item), EINPROGRESS);
    latch_bump(&running.go);
    CHECK_EQUAL(sq_item_wait(running.item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_cancel(running.item), EALREADY);
    CHECK(!running.was_cancelled);
    CHECK(running.is_cancelled);
    check_outcomes(queue, 1, 0, 0, 0);
    sq_queue_release(queue);
    sq_item_release(running.item);
}

/* The discard function may use the item and the queue, as it runs on the canceller's thread, outside of the queue. */
typedef struct used {
    sq_item_t *item;
    sq_queue_t *queue;
    size_t ran, discarded;
} used_t;

static void use_from_discard(void *context) {
    used_t *used = context;
    used->discarded += 1;
    CHECK(sq_current_queue() == NULL);
    CHECK_EQUAL(sq_item_cancel(used->item), EINPROGRESS);
    CHECK_EQUAL(sq_item_wait(used->item, SQ_NOW), EAGAIN);
    if (used->queue != NULL) {
        CHECK_EQUAL(sq_sync(used->queue, add_one, &used->ran), 0);
        CHECK_EQUAL(sq_item_submit(used->item, used->queue), EALREADY);
    }
    sq_item_release(used->item); /* the context's */
}

TEST(the_discard_function_of_a_cancelled_item_may_use_the_queue_and_release_the_item) {
    for (int submitted = 0; submitted < 2; submitted += 1) {
        sq_queue_t *queue = make_queue_of("queue", 0);
        hold_t hold;
        used_t used = { .queue = NULL };
        used.item = make_item_of(&(sq_task_t){ must_not_run, &used, use_from_discard });
        sq_item_t *item = sq_item_retain(used.item);
        if (submitted) {
            hold_async(&hold, queue);
            CHECK_EQUAL(sq_item_submit(item, queue), 0);
        }
        CHECK_EQUAL(sq_item_cancel(item), 0);
        if (submitted) {
            hold_end(&hold);
        }
        CHECK_EQUAL(used.discarded, 1);
        sq_item_release(item);
        sq_queue_release(queue);
    }
    sq_queue_t *queue = make_queue_of("free", 0);
    used_t used = { .queue = queue };
    used.item = make_item_of(&(sq_task_t){ must_not_run, &used, use_from_discard });
    sq_item_t *item = sq_item_retain(used.item);
    CHECK_EQUAL(sq_item_submit_after(item, queue, UINT64_MAX), 0);
    CHECK_EQUAL(sq_item_cancel(item), 0);
    CHECK_EQUAL(used.ran, 1);
    sq_item_release(item);
    sq_queue_release(queue);
}

/* Races. Each party's view must agree with the outcome. */
typedef struct race {
    sq_queue_t *queue;
    sq_item_t *item;
    latch_t *start;
    int error;
} race_t;

static void *race_to_cancel(void *argument) {
    race_t *race = argument;
    latch_wait(race->start, 1);
    race->error = sq_item_cancel(race->item);
    return NULL;
}

static void *race_to_submit(void *argument) {
    race_t *race = argument;
    latch_wait(race->start, 1);
    race->error = sq_item_submit(race->item, race->queue);
    return NULL;
}

static void *race_to_shut_down(void *argument) {
    race_t *race = argument;
    latch_wait(race->start, 1);
    race->error = sq_shutdown(race->queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
    return NULL;
}

static void *race_to_release(void *argument) {
    race_t *race = argument;
    latch_wait(race->start, 1);
    sq_item_release(race->item);
    return NULL;
}

/* Two cancellers, a submitter, a shutdown, the queue's turn, a release: in any order. */
TEST(cancels_race_with_submission_turn_shutdown_and_release_and_there_is_one_outcome) {
    random_stream_t random = random_start(1);
    for (size_t i = 0; i < scaled(3000); i += 1) {
        latch_t start = LATCH_INIT;
        outcome_t outcome;
        sq_queue_t *queue = make_queue_of("raced for", random_below(&random, 2));
        sq_item_t *item = make_item(&outcome);
        race_t races[5];
        pthread_t threads[5];
        bool submitted = random_below(&random, 2), closes = random_below(&random, 2);
        void *(*const bodies[])(void *) = { race_to_cancel, race_to_cancel, submitted ? race_to_cancel : race_to_submit,
                                            closes ? race_to_shut_down : race_to_cancel, race_to_release };
        sq_item_retain(item);
        if (submitted) {
            CHECK_EQUAL(sq_item_submit(item, queue), 0);
        }
        for (int t = 0; t < 5; t += 1) {
            races[t] = (race_t){ queue, item, &start, -1 };
            threads[t] = spawn(bodies[t], &races[t]);
        }
        latch_bump(&start);
        int winners = 0;
        for (int t = 0; t < 5; t += 1) {
            join(threads[t]);
            winners += bodies[t] == race_to_cancel && races[t].error == 0;
        }
        int result = sq_item_wait(item, SQ_FOREVER);
        CHECK(result == 0 || result == ECANCELED);
        check_outcome(&outcome, result == 0, result == ECANCELED);
        CHECK_AT_MOST(winners, result == ECANCELED);
        CHECK(sq_item_is_cancelled(item));
        sq_item_release(item);
        sq_queue_release(queue);
        let_threads_end(8); /* each thread has a waiter of its own, which is kept */
    }
}

/* The queue ends with its last task, which is cancelled at that moment. A sanitizer reports a use of the freed queue. */
TEST(a_cancel_races_with_the_end_of_the_queue) {
    for (size_t i = 0; i < scaled(3000); i += 1) {
        latch_t start = LATCH_INIT;
        outcome_t outcome;
        sq_queue_t *queue = make_queue_of("ends", i % 2);
        sq_item_t *item = make_item(&outcome);
        race_t race = { queue, item, &start, -1 };
        pthread_t thread = spawn(race_to_cancel, &race);
        latch_bump(&start);
        int error = sq_item_submit(item, queue);
        CHECK(error == 0 || error == ECANCELED);
        sq_queue_release(queue);
        join(thread);
        int result = sq_item_wait(item, SQ_FOREVER);
        CHECK_EQUAL(result, outcome.ran ? 0 : ECANCELED);
        CHECK_EQUAL(outcome.ran + outcome.discarded, 1);
        sq_item_release(item);
        let_threads_end(8);
    }
}
