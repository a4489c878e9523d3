/* item.h: work items whose outcome is counted, and threads that wait for one. Everything is static: a program has what it uses. */
#ifndef ITEM_H
#define ITEM_H

#include "caller.h"
#include "outcome.h"

static inline sq_item_t *make_item_of(const sq_task_t *task) {
    sq_item_t *item = sq_item_create("item", task);
    REQUIRE(item != NULL);
    return item;
}

static inline sq_item_t *make_item(outcome_t *outcome) {
    *outcome = (outcome_t){ 0, 0 };
    return make_item_of(&(sq_task_t){ count_ran, outcome, count_discarded });
}

static inline void check_outcome(outcome_t *outcome, size_t ran, size_t discarded) {
    CHECK_EQUAL(outcome->ran, ran);
    CHECK_EQUAL(outcome->discarded, discarded);
}

static inline sq_queue_t *make_suspended(size_t capacity) {
    sq_queue_t *queue = make_queue_of("suspended", capacity);
    CHECK_EQUAL(sq_suspend(queue), 0);
    return queue;
}

/* A thread that waits for an item. Must stay valid until item_waiter_end. */
typedef struct item_waiter {
    sq_item_t *item;
    sq_time_t deadline;
    int error;
    pthread_t thread;
    atomic_int thread_id;
} item_waiter_t;

static void *item_waiter_main(void *argument) {
    item_waiter_t *waiter = argument;
    waiter->thread_id = gettid();
    waiter->error = sq_item_wait(waiter->item, waiter->deadline);
    return NULL;
}

/* Returns when it sleeps, if its deadline is far enough. */
static inline void item_waiter_start(item_waiter_t *waiter, sq_item_t *item, sq_time_t deadline) {
    *waiter = (item_waiter_t){ item, deadline, -1, 0, 0 };
    waiter->thread = spawn(item_waiter_main, waiter);
    if (deadline == SQ_FOREVER) {
        wait_until_asleep(&waiter->thread_id);
    }
}

static inline int item_waiter_end(item_waiter_t *waiter) {
    join(waiter->thread);
    return waiter->error;
}

#endif
