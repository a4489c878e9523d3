/* withdraw_test.c: tasks that are withdrawn after they were submitted, before their turn. */
#include "child.h"
#include "deferred.h"

#include "kernel/withdraw.h"

#include <string.h>

static sq_queue_t *suspended_queue(size_t capacity) {
    sq_queue_t *queue = make_queue_of("suspended", capacity);
    CHECK_EQUAL(sq_suspend(queue), 0);
    return queue;
}

static void check_idle(sq_queue_t *queue, uint64_t ran, uint64_t withdrawn) {
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.ran, ran);
    CHECK_EQUAL(stats.withdrawn, withdrawn);
    CHECK_EQUAL(stats.discarded, 0);
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(stats.submitted, ran + withdrawn);
}

/* The struct is overwritten, so a queue that still used it would crash. */
TEST(a_cancelled_task_is_never_called_and_the_queue_forgets_its_memory) {
    sq_queue_t *queue = suspended_queue(0);
    journal_t journal = { 0 };
    item_t items[5];
    for (int i = 0; i < 5; i += 1) {
        item_init(&items[i], queue, &journal, i);
        CHECK_EQUAL(sq_async_cancellable(queue, &items[i].task), 0);
    }
    for (int i = 0; i < 5; i += 2) {
        CHECK(sq_async_cancel(queue, &items[i].task));
        CHECK(!sq_async_cancel(queue, &items[i].task));
        CHECK(!sq_async_withdraw(queue, &items[i].task));
        memset(&items[i], 0xFF, sizeof items[i]);
    }
    CHECK_EQUAL(sq_queue_depth(queue), 2);
    CHECK_EQUAL(stats_now(queue).withdrawn, 3);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK_EQUAL(journal.count, 2);
    CHECK_EQUAL(journal.entries[0], 1);
    CHECK_EQUAL(journal.entries[1], 3);
    check_idle(queue, 3, 3); /* with the drain */
    sq_queue_release(queue);
}

TEST(a_cancelled_task_gives_its_room_at_once) {
    sq_queue_t *queue = suspended_queue(1);
    item_t first, second, third;
    item_init(&first, queue, NULL, 1);
    item_init(&second, queue, NULL, 2);
    item_init(&third, queue, NULL, 3);
    CHECK_EQUAL(sq_async_cancellable(queue, &first.task), 0);
    CHECK_EQUAL(sq_async_cancellable(queue, &second.task), EINPROGRESS);
    CHECK(!sq_async_cancel(queue, &second.task)); /* it waits for room */
    CHECK(sq_async_cancel(queue, &first.task));
    check_item(&second, 1, 0, 0, 0);
    CHECK_EQUAL(sq_queue_depth(queue), 1);
    CHECK(sq_async_cancel(queue, &second.task));
    CHECK_EQUAL(sq_async_cancellable(queue, &third.task), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    check_item(&first, 0, 0, 0, 0);
    check_item(&second, 1, 0, 0, 0);
    check_item(&third, 0, 0, 1, 0);
    check_idle(queue, 2, 2);
    sq_queue_release(queue);
}

/* The only task of an idle queue lies in the hand-off slot. */
TEST(a_task_that_was_handed_to_the_runner_can_be_cancelled) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = sq_queue_create("idle", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool });
    for (int round = 0; round < 3; round += 1) {
        item_t item;
        item_init(&item, queue, NULL, round);
        CHECK_EQUAL(sq_async_cancellable(queue, &item.task), 0);
        CHECK_EQUAL(sq_queue_depth(queue), 1);
        CHECK(sq_async_cancel(queue, &item.task));
        memset(&item, 0xFF, sizeof item);
        CHECK_EQUAL(sq_queue_depth(queue), 0);
        CHECK_EQUAL(sq_pool_run(pool), 0);
        check_idle(queue, 0, (uint64_t)round + 1);
    }
    sq_queue_release(queue);
    sq_pool_release(pool);
}

static void cancel_oneself(void *first, void *second, bool runs) {
    item_t *item = first;
    CHECK(!sq_async_cancel(item->queue, &item->task));
    item_call(first, second, runs);
}

TEST(a_task_whose_turn_has_come_cannot_be_cancelled) {
    sq_queue_t *queue = make_queue_of("turn", 0);
    item_t item, never;
    item_init(&item, queue, NULL, 1);
    item.task.call = cancel_oneself;
    CHECK_EQUAL(sq_async_cancellable(queue, &item.task), 0);
    drain(queue);
    CHECK(!sq_async_cancel(queue, &item.task));
    check_item(&item, 0, 0, 1, 0);
    item_init(&never, queue, NULL, 2);
    never.task.call = NULL;
    CHECK_EQUAL(sq_async_cancellable(queue, &never.task), EINVAL);
    CHECK(!sq_async_cancel(queue, &never.task));
    check_idle(queue, 2, 0);
    sq_queue_release(queue);
}

static void cancel_once_decided(sq_deferred_t *task, int error) {
    item_t *item = (item_t *)task;
    item_decided(task, error);
    CHECK(sq_async_cancel(item->queue, task));
}

TEST(a_task_that_has_waited_for_room_can_be_cancelled_as_soon_as_it_is_decided) {
    sq_queue_t *queue = suspended_queue(1);
    item_t first, second, third;
    item_init(&first, queue, NULL, 1);
    item_init(&second, queue, NULL, 2);
    item_init(&third, queue, NULL, 3);
    second.task.decided = cancel_once_decided;
    CHECK_EQUAL(sq_async_cancellable(queue, &first.task), 0);
    CHECK_EQUAL(sq_async_cancellable(queue, &second.task), EINPROGRESS);
    CHECK_EQUAL(sq_async_cancellable(queue, &third.task), EINPROGRESS);
    CHECK_EQUAL(sq_resume(queue), 0);
    while (third.ran == 0) {
        sched_yield();
    }
    drain(queue);
    check_item(&first, 0, 0, 1, 0);
    check_item(&second, 1, 0, 0, 0);
    check_item(&third, 1, 0, 1, 0);
    check_idle(queue, 3, 1);
    sq_queue_release(queue);
}

/* Empty slots fill several segments. */
TEST(a_thousand_cancelled_tasks_leave_a_suspended_queue_with_depth_0_and_the_rest_in_order) {
    enum { COUNT = 1000 };
    static item_t items[COUNT];
    sq_queue_t *queue = suspended_queue(0);
    journal_t journal = { 0 };
    for (int i = 0; i < COUNT; i += 1) {
        item_init(&items[i], queue, &journal, i);
        CHECK_EQUAL(sq_async_cancellable(queue, &items[i].task), 0);
    }
    for (int i = COUNT - 1; i >= 0; i -= 1) {
        if (i % 100 != 50) {
            CHECK(sq_async_cancel(queue, &items[i].task));
        }
    }
    CHECK_EQUAL(sq_queue_depth(queue), 10);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK_EQUAL(journal.count, 10);
    for (int i = 0; i < 10; i += 1) {
        CHECK_EQUAL(journal.entries[i], i * 100 + 50);
    }
    check_idle(queue, 11, COUNT - 10);
    sq_queue_release(queue);
}

TEST(a_discarding_shutdown_passes_over_cancelled_tasks) {
    sq_queue_t *queue = suspended_queue(0);
    item_t gone, left;
    item_init(&gone, queue, NULL, 1);
    item_init(&left, queue, NULL, 2);
    CHECK_EQUAL(sq_async_cancellable(queue, &gone.task), 0);
    CHECK_EQUAL(sq_async_cancellable(queue, &left.task), 0);
    CHECK(sq_async_cancel(queue, &gone.task));
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    check_item(&gone, 0, 0, 0, 0);
    check_item(&left, 0, 0, 0, 1);
    CHECK_EQUAL(stats_now(queue).withdrawn, 1);
    CHECK_EQUAL(stats_now(queue).discarded, 1);
    sq_queue_release(queue);
}

/* The holder has seen the task, and finds it withdrawn when it takes it. Here the test is the holder: the baton is parked. */
TEST(a_task_that_is_withdrawn_just_before_it_is_taken_is_passed_over) {
    sq_queue_t *queue = suspended_queue(0);
    item_t item;
    item_init(&item, queue, NULL, 1);
    CHECK_EQUAL(sq_async_cancellable(queue, &item.task), 0);
    CHECK(sq_async_cancel(queue, &item.task));
    sq__work_t work;
    CHECK_EQUAL(sq__withdraw_take(queue, &work), SQ__EMPTY);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_queue_depth(queue), 1); /* the empty slot no longer counts */
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    check_idle(queue, 2, 1);
    sq_queue_release(queue);
}

enum { MOST_ROUNDS = 10000 };
static item_t raced[MOST_ROUNDS];
static atomic_int rounds, published, cancelled[2];

/* The thread that gives the room may be a canceller: then the task may have run already. */
static void count_decision(sq_deferred_t *task, int error) {
    CHECK_EQUAL(error, 0);
    atomic_fetch_add(&((item_t *)task)->decided, 1);
}

static void *cancel_each(void *context) {
    int which = *(int *)context;
    for (int i = 0; i < rounds; i += 1) {
        while (published <= i) {
            sched_yield();
        }
        cancelled[which] += sq_async_cancel(raced[i].queue, &raced[i].task);
    }
    return NULL;
}

/* Two threads cancel what a third one submits and a fourth runs: each task has one outcome, and room is neither lost nor gained. */
TEST(cancellations_race_with_turns_and_each_task_has_one_outcome) {
    const size_t capacities[] = { 0, 1, 3 };
    for (size_t c = 0; c < 3; c += 1) {
        sq_queue_t *queue = make_queue_of("race", capacities[c]);
        rounds = capacities[c] == 0 ? MOST_ROUNDS : 300; /* the latter need a change of threads each */
        int which[2] = { 0, 1 }, ran = 0;
        published = cancelled[0] = cancelled[1] = 0;
        pthread_t threads[2] = { spawn(cancel_each, &which[0]), spawn(cancel_each, &which[1]) };
        for (int i = 0; i < rounds; i += 1) {
            item_init(&raced[i], queue, NULL, i);
            raced[i].task.decided = count_decision;
            int error;
            while ((error = sq_async_cancellable(queue, &raced[i].task)) == EINPROGRESS
                   && sq_async_withdraw(queue, &raced[i].task)) {
                sched_yield();
            }
            CHECK(error == 0 || error == EINPROGRESS);
            while (error == EINPROGRESS && raced[i].decided == 0) {
                sched_yield();
            }
            published = i + 1;
        }
        join(threads[0]);
        join(threads[1]);
        drain(queue);
        for (int i = 0; i < rounds; i += 1) {
            ran += raced[i].ran;
        }
        CHECK_EQUAL(ran + cancelled[0] + cancelled[1], rounds);
        check_idle(queue, (uint64_t)ran + 1, (uint64_t)(cancelled[0] + cancelled[1]));
        for (size_t i = 0; i < capacities[c]; i += 1) {
            CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
            drain(queue);
        }
        sq_queue_release(queue);
    }
}

static int cancel_in_child(void *context) {
    item_t *items = context;
    return !CHECK(!sq_async_cancel(items[0].queue, &items[0].task)) + !CHECK(!sq_async_cancel(items[1].queue, &items[1].task));
}

TEST(in_the_child_of_a_fork_a_task_of_the_parent_is_not_cancelled) {
    if (fork_left_out()) {
        return;
    }
    static item_t items[2];
    for (size_t i = 0; i < 2; i += 1) {
        item_init(&items[i], suspended_queue(i), NULL, 0); /* one without a limit, one with room for one */
        CHECK_EQUAL(sq_async_cancellable(items[i].queue, &items[i].task), 0);
    }
    CHECK_EQUAL(in_fork(cancel_in_child, items), 0);
    for (size_t i = 0; i < 2; i += 1) {
        CHECK(sq_async_cancel(items[i].queue, &items[i].task));
        CHECK_EQUAL(sq_resume(items[i].queue), 0);
        sq_queue_release(items[i].queue);
    }
}
