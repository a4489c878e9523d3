/* explore_fair_test.c: tests that poll. Under a fair schedule they end. */
#include "explore.h"

#include "sq_timer.h"

enum { STEPS = 1000 };

static const sq_explore_strategy_t strategies[] = { SQ_EXPLORE_RANDOM, SQ_EXPLORE_PCT, SQ_EXPLORE_DEPTH_FIRST };

/* Explores it with each strategy. */
static void check_ends(const char *name, program_t program, void *context) {
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i += 1) {
        sq_explore_options_t options = options_of(strategies[i], 200);
        options.steps = STEPS;
        check_passed(explore(name, program, context, options), false);
    }
}

typedef struct poll {
    sq_pool_t *pool;
    sq_queue_t *own;
    bool is_set;
} poll_t;

static void set(void *context) { ((poll_t *)context)->is_set = true; }

static void poll_in_a_loop(void *context) {
    const poll_t *poll = context;
    while (!poll->is_set) {
        sq_pool_yield(poll->pool);
    }
}

static void poll_by_task(void *context) {
    const poll_t *poll = context;
    if (!poll->is_set) {
        CHECK_EQUAL(sq_async(poll->own, poll_by_task, context), 0);
    }
}

static void end_poll(poll_t *poll, sq_queue_t *other) {
    sq_pool_run(poll->pool);
    SQ_EXPLORE_CHECK(poll->is_set);
    sq_queue_release(poll->own);
    sq_queue_release(other);
}

/* `context`: the poll's function. */
static void poll_for_a_task(sq_pool_t *pool, void *context) {
    poll_t poll = { .pool = pool, .own = queue_on(pool, "polls", 0) };
    sq_queue_t *other = queue_on(pool, "sets", 0);
    CHECK_EQUAL(sq_async(poll.own, *(const sq_function_t *)context, &poll), 0);
    CHECK_EQUAL(sq_async(poll.own, *(const sq_function_t *)context, &poll), 0);
    CHECK_EQUAL(sq_async(other, set, &poll), 0);
    end_poll(&poll, other);
}

static const sq_function_t in_a_loop = poll_in_a_loop, by_task = poll_by_task;

TEST(a_task_that_polls_for_another_one_ends) {
    check_ends("yields", poll_for_a_task, (void *)(uintptr_t)&in_a_loop);
    check_ends("tasks", poll_for_a_task, (void *)(uintptr_t)&by_task);
}

static void poll_for_the_test(sq_pool_t *pool, void *context) {
    poll_t poll = { .pool = pool, .own = queue_on(pool, "sets", 0) };
    (void)context;
    CHECK_EQUAL(sq_async(poll.own, set, &poll), 0);
    poll_in_a_loop(&poll);
    end_poll(&poll, NULL);
}

TEST(a_test_that_polls_itself_ends) { check_ends("test", poll_for_the_test, NULL); }

static void poll_for_a_lower_class(sq_pool_t *pool, void *context) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    (void)context;
    options.pool = pool;
    options.priority = SQ_PRIORITY_HIGH;
    poll_t poll = { .pool = pool, .own = sq_queue_create("high", &options) };
    options.priority = SQ_PRIORITY_LOW;
    sq_queue_t *other = sq_queue_create("low", &options);
    REQUIRE(poll.own != NULL && other != NULL);
    CHECK_EQUAL(sq_async(poll.own, poll_by_task, &poll), 0);
    CHECK_EQUAL(sq_async(other, set, &poll), 0);
    end_poll(&poll, other);
}

TEST(a_task_of_a_high_priority_polls_for_one_of_a_low_priority_and_ends) { check_ends("priorities", poll_for_a_lower_class, NULL); }

static void poll_for_the_clock(sq_pool_t *pool, void *context) {
    poll_t poll = { .pool = pool, .own = queue_on(pool, "polls", 0) };
    sq_queue_t *other = queue_on(pool, "sets", 0);
    CHECK_EQUAL(sq_async(poll.own, *(const sq_function_t *)context, &poll), 0);
    CHECK_EQUAL(sq_async_after(other, 1000, set, &poll), 0);
    sq_pool_advance(pool, 1000);
    end_poll(&poll, other);
}

TEST(a_task_that_polls_until_a_timer_fires_ends) {
    check_ends("clock", poll_for_the_clock, (void *)(uintptr_t)&in_a_loop);
    check_ends("clock", poll_for_the_clock, (void *)(uintptr_t)&by_task);
}

/* Two deposits of which one can be lost, in a program that polls until both are done. */
typedef struct bank {
    sq_pool_t *pool;
    int balance, done;
} bank_t;

static void deposit(void *context) {
    bank_t *bank = context;
    int old = bank->balance;
    sq_pool_yield(bank->pool);
    bank->balance = old + 1;
    bank->done += 1;
}

static void poll_until_done(void *context) {
    const bank_t *bank = context;
    while (bank->done < 2) {
        sq_pool_yield(bank->pool);
    }
}

static void poll_for_deposits(sq_pool_t *pool, void *context) {
    bank_t bank = { .pool = pool };
    sq_queue_t *queues[] = { queue_on(pool, "poll", 0), queue_on(pool, "ann", 0), queue_on(pool, "ben", 0) };
    (void)context;
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_async(queues[i], i == 0 ? poll_until_done : deposit, &bank), 0);
    }
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(bank.balance == 2);
    for (size_t i = 0; i < 3; i += 1) {
        sq_queue_release(queues[i]);
    }
}

/* Without the fair part, shrinking meets schedules without end, and the process ends. */
TEST(a_bug_in_a_test_that_polls_is_found_and_reported) {
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i += 1) {
        sq_explore_options_t options = options_of(strategies[i], 1000);
        options.steps = STEPS;
        sq_explored_t explored = explore("deposits", poll_for_deposits, NULL, options);
        check_failed(&explored, "bank.balance == 2");
        sq_explored_clear(&explored);
    }
}
