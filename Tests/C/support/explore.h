/* explore.h: tests that explore a small program, and look at what came out. Everything is static: a program has what it uses. */
#ifndef EXPLORE_H
#define EXPLORE_H

#include "harness.h"
#include "pools.h"
#include "sq_async.h"
#include "sq_explore.h"
#include "sq_shutdown.h"
#include "sq_suspend.h"
#include "sq_sync.h"

#include <stdlib.h>

typedef void (*program_t)(sq_pool_t *pool, void *context);

/* Explores a program, whose name is `name`. The result is to be cleared. */
static inline sq_explored_t explore(const char *name, program_t program, void *context, sq_explore_options_t options) {
    sq_explored_t explored = SQ_EXPLORED_INIT;
    options.name = name;
    int error = sq_explore(&options, program, context, &explored);
    CHECK_EQUAL(error, explored.has_failed ? EILSEQ : 0);
    return explored;
}

static inline sq_explore_options_t options_of(sq_explore_strategy_t strategy, uint64_t schedules) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    options.strategy = strategy;
    options.schedules = schedules;
    return options;
}

/* It failed, in the same way each time, with these words in its message. */
static inline void check_failed(const sq_explored_t *explored, const char *words) {
    bool holds = CHECK(explored->has_failed);
    holds &= CHECK(explored->is_repeatable);
    holds &= CHECK(explored->message != NULL && strstr(explored->message, words) != NULL);
    if (!holds) {
        note("expected: %s; the report: %s", words, explored->report != NULL ? explored->report : "none");
    }
}

static inline void check_reports(const sq_explored_t *explored, const char *words) {
    if (!CHECK(explored->report != NULL && strstr(explored->report, words) != NULL)) {
        note("expected: %s; the report: %s", words, explored->report != NULL ? explored->report : "none");
    }
}

static inline void check_passed(sq_explored_t explored, bool is_complete) {
    CHECK(!explored.has_failed);
    CHECK_EQUAL(explored.is_complete, is_complete);
    if (explored.report != NULL) {
        note("%s", explored.report);
    }
    sq_explored_clear(&explored);
}

/* Two tasks on queues of their own that add 10 to a balance which is behind a third queue, but in two steps. */
typedef struct deposits {
    sq_queue_t *account, *alice, *bob;
    int balance, read[2];
    bool is_right; /* in one step */
} deposits_t;

static inline void read_for_alice(void *context) { ((deposits_t *)context)->read[0] = ((deposits_t *)context)->balance; }
static inline void write_for_alice(void *context) { ((deposits_t *)context)->balance = ((deposits_t *)context)->read[0] + 10; }
static inline void read_for_bob(void *context) { ((deposits_t *)context)->read[1] = ((deposits_t *)context)->balance; }
static inline void write_for_bob(void *context) { ((deposits_t *)context)->balance = ((deposits_t *)context)->read[1] + 10; }
static inline void add_10(void *context) { ((deposits_t *)context)->balance += 10; }

static inline void deposit_of_alice(void *context) {
    deposits_t *deposits = context;
    if (deposits->is_right) {
        CHECK_EQUAL(sq_sync(deposits->account, add_10, deposits), 0);
        return;
    }
    CHECK_EQUAL(sq_sync(deposits->account, read_for_alice, deposits), 0);
    CHECK_EQUAL(sq_sync(deposits->account, write_for_alice, deposits), 0);
}

static inline void deposit_of_bob(void *context) {
    deposits_t *deposits = context;
    if (deposits->is_right) {
        CHECK_EQUAL(sq_sync(deposits->account, add_10, deposits), 0);
        return;
    }
    CHECK_EQUAL(sq_sync(deposits->account, read_for_bob, deposits), 0);
    CHECK_EQUAL(sq_sync(deposits->account, write_for_bob, deposits), 0);
}

/* `context`: a bool, whether it is right. */
static inline void make_deposits(sq_pool_t *pool, void *context) {
    deposits_t deposits = { .account = queue_on(pool, "account", 0), .alice = queue_on(pool, "alice", 0),
                            .bob = queue_on(pool, "bob", 0), .is_right = *(const bool *)context };
    CHECK_EQUAL(sq_async(deposits.alice, deposit_of_alice, &deposits), 0);
    CHECK_EQUAL(sq_async(deposits.bob, deposit_of_bob, &deposits), 0);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(deposits.balance == 20);
    sq_queue_release(deposits.account);
    sq_queue_release(deposits.alice);
    sq_queue_release(deposits.bob);
}

#endif
