/* spin_test.c: when a thread looks for what it waits for, and when it sleeps at once. The clocks and the yield are the test's own
 * (--wrap, make/check-own.mk): a yield takes as long as the test says, and this process uses as much of it as the test says. */
#include "harness.h"
#include "platform/mutex.h"
#include "platform/processors.h"
#include "thread/spin.h"
#include "thread/token.h"

#include <sched.h>
#include <time.h>

enum { MILLISECOND = 1000000 };

static bool clock_is_ours;
static uint64_t wall_time = 1000 * (uint64_t)MILLISECOND, process_time, yield_takes, yield_uses;
static unsigned yields;
static sq__token_t *granted_by_yield; /* if not NULL */
static sq__wait_id_t granted_wait;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_sched_yield(void);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    if (!clock_is_ours) {
        return __real_clock_gettime(clock, now);
    }
    uint64_t time = clock == CLOCK_PROCESS_CPUTIME_ID ? process_time : wall_time;
    *now = (struct timespec){ .tv_sec = (time_t)(time / 1000000000), .tv_nsec = (long)(time % 1000000000) };
    return 0;
}

int __wrap_sched_yield(void) {
    yields += 1;
    if (granted_by_yield != NULL) {
        (void)sq__token_grant(granted_by_yield, granted_wait);
    }
    wall_time += yield_takes;
    process_time += yield_uses;
    return 0;
}

static bool yield_of(uint64_t takes, uint64_t uses) {
    yield_takes = takes;
    yield_uses = uses;
    return sq__spin_yield();
}

/* How many looks in a row are left out now. The one after them may take *pauses of 400. */
static unsigned left_out_of(sq__spin_t kind, unsigned *pauses) {
    unsigned count = 0;
    while ((*pauses = sq__spin_begin(kind, 400)) == 0) {
        count += 1;
    }
    return count;
}

static unsigned left_out(void) { return left_out_of(SQ__SPIN_WORKER, &(unsigned){ 0 }); }

TEST(a_caller_in_line_takes_more_pauses_on_many_processors) {
    CHECK_EQUAL(sq__spin_waiter_pauses(1), SQ__WAITER_SPINS);
    CHECK_EQUAL(sq__spin_waiter_pauses(2), SQ__WAITER_SPINS);
    CHECK_EQUAL(sq__spin_waiter_pauses(3), SQ__WAITER_SPINS + SQ__WAITER_SPINS_EACH);
    CHECK_EQUAL(sq__spin_waiter_pauses(64), SQ__WAITER_SPINS + 62 * SQ__WAITER_SPINS_EACH);
}

TEST(looks_that_find_nothing_are_skipped_until_one_finds_something) {
    CHECK_EQUAL(left_out(), 0);
    const unsigned expected[] = { 1, 3, 7, 15, 31, 63, 63 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i += 1) {
        sq__spin_end(SQ__SPIN_WORKER, false);
        CHECK_EQUAL(left_out(), expected[i]);
    }
    CHECK_EQUAL(sq__spin_begin(SQ__SPIN_WAITER, 10), 10); /* each kind has its own record */
    for (int i = 0; i < 10; i += 1) {
        sq__spin_end(SQ__SPIN_WORKER, true);
        CHECK_EQUAL(left_out(), 0);
    }
    sq__spin_end(SQ__SPIN_WORKER, false);
    CHECK_EQUAL(left_out(), 1);
    sq__spin_end(SQ__SPIN_WORKER, true);
}

TEST(a_runner_without_hope_looks_rarely_and_briefly) {
    const unsigned expected[] = { 1, 3, 7, 15, 31, 63, 127 };
    unsigned pauses;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i += 1) {
        sq__spin_end(SQ__SPIN_RUNNER, false);
        CHECK_EQUAL(left_out_of(SQ__SPIN_RUNNER, &pauses), expected[i]);
        CHECK_EQUAL(pauses, 400);
    }
    for (unsigned i = 1; i <= 24; i += 1) {
        sq__spin_end(SQ__SPIN_RUNNER, false);
        CHECK_EQUAL(left_out_of(SQ__SPIN_RUNNER, &pauses), 255);
        CHECK_EQUAL(pauses, i % 8 == 0 ? 400 : 50);
    }
    sq__spin_end(SQ__SPIN_RUNNER, true);
    CHECK_EQUAL(left_out_of(SQ__SPIN_RUNNER, &pauses), 0);
    CHECK_EQUAL(pauses, 400);
    for (int i = 0; i < 10; i += 1) {
        sq__spin_end(SQ__SPIN_RUNNER, true);
    }
}

TEST(a_worker_without_hope_yields_rarely) {
    const unsigned expected[] = { 1, 3, 7, 15, 31, 63, 127, 255, 255 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i += 1) {
        sq__spin_end(SQ__SPIN_WORKER_YIELD, false);
        CHECK_EQUAL(left_out_of(SQ__SPIN_WORKER_YIELD, &(unsigned){ 0 }), expected[i]);
    }
    for (int i = 0; i < 10; i += 1) {
        sq__spin_end(SQ__SPIN_WORKER_YIELD, true);
    }
}

TEST(a_look_that_was_no_gain_counts_as_one_that_found_nothing) {
    const unsigned expected[] = { 3, 7, 15, 31, 63, 63 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i += 1) {
        sq__spin_end(SQ__SPIN_WORKER, true);
        sq__spin_was_vain(SQ__SPIN_WORKER);
        sq__spin_was_vain(SQ__SPIN_WORKER); /* once for each look */
        CHECK_EQUAL(left_out(), expected[i]);
    }
    for (int i = 0; i < 10; i += 1) {
        sq__spin_end(SQ__SPIN_WORKER, true);
    }
    sq__spin_end(SQ__SPIN_WORKER, false);
    sq__spin_was_vain(SQ__SPIN_WORKER);
    CHECK_EQUAL(left_out(), 1);
    sq__spin_end(SQ__SPIN_WORKER, true);
}

/* A rest ends when the first yield is made again. Returns its length in milliseconds. */
static unsigned rest_length(void) {
    unsigned length = 0;
    while (!yield_of(0, 0)) {
        wall_time += MILLISECOND;
        length += 1;
    }
    return length;
}

TEST(after_yields_that_other_programs_used_no_thread_yields_for_a_while) {
    clock_is_ours = true;
    CHECK(yield_of(1000, 0));
    CHECK(yield_of(3 * MILLISECOND, 0)); /* the first long one is not measured */
    CHECK_EQUAL(rest_length(), 0);
    CHECK(yield_of(3 * MILLISECOND, 2 * MILLISECOND)); /* used by this process */
    CHECK_EQUAL(rest_length(), 0);
    const unsigned lengths[] = { 10, 40, 160, 640, 1000, 1000 };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i += 1) {
        CHECK(yield_of(3 * MILLISECOND, MILLISECOND));
        unsigned before = yields;
        CHECK(!yield_of(3 * MILLISECOND, 0));
        CHECK_EQUAL(yields, before);
        CHECK_EQUAL(rest_length(), lengths[i]);
    }
    wall_time += 3000 * (uint64_t)MILLISECOND;
    CHECK(yield_of(3 * MILLISECOND, 0)); /* long after the last rest: as the first one */
    CHECK_EQUAL(rest_length(), 10);
    for (int i = 0; i < 15; i += 1) {
        CHECK(yield_of(1000, 0));
    }
    CHECK(yield_of(3 * MILLISECOND, 0)); /* suspicion is over: not measured */
    CHECK_EQUAL(rest_length(), 0);
    clock_is_ours = false;
}

/* A worker's single yield. */
TEST(a_yield_that_finds_nothing_is_left_out_the_next_time) {
    clock_is_ours = true;
    yield_takes = yield_uses = 0;
    sq__token_t *token = sq__token_acquire();
    sq__wait_id_t wait = sq__token_prepare(token);
    const unsigned expected[] = { 1, 1, 2, 2, 2, 2, 3 }; /* yields so far: one is left out, then three */
    unsigned before = yields;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i += 1) {
        CHECK_EQUAL(sq__token_yield_once(token, wait, SQ__SPIN_WORKER_YIELD), SQ__OPEN);
        CHECK_EQUAL(yields - before, expected[i]);
    }
    while (sq__spin_begin(SQ__SPIN_WORKER_YIELD, 1) == 0) {}
    granted_by_yield = token;
    granted_wait = wait;
    CHECK_EQUAL(sq__token_yield_once(token, wait, SQ__SPIN_WORKER_YIELD), SQ__GRANTED);
    granted_by_yield = NULL;
    CHECK_EQUAL(yields - before, 4);
    CHECK_EQUAL(sq__token_yield_once(token, wait, SQ__SPIN_WORKER_YIELD), SQ__GRANTED); /* decided: no yield */
    CHECK_EQUAL(yields - before, 4);
    sq__token_recycle(token);
    clock_is_ours = false;
}

/* How many waits in a row are over after their first yield, before one is to sleep instead. */
static unsigned yields_before_a_sleep(sq__token_t *token) {
    for (unsigned waits = 0; waits < 10000; waits += 1) {
        unsigned before = yields;
        granted_wait = sq__token_prepare(token);
        sq__outcome_t outcome = sq__token_yield(token, granted_wait, SQ__NEVER);
        if (yields == before) {
            CHECK_EQUAL(outcome, SQ__OPEN);
            return waits;
        }
        CHECK_EQUAL(outcome, SQ__GRANTED);
        CHECK_EQUAL(yields, before + 1);
    }
    return 10000;
}

TEST(a_waiter_that_shares_a_processor_with_whom_it_awaits_sleeps_now_and_then) {
    if (sq__processors_known() == 1) {
        note("one processor: it never sleeps for that");
        return;
    }
    clock_is_ours = true;
    yield_takes = yield_uses = 0;
    sq__token_t *token = granted_by_yield = sq__token_acquire();
    const unsigned expected[] = { 64, 128, 256, 512, 1024, 2048, 4096, 4096 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i += 1) {
        CHECK_EQUAL(yields_before_a_sleep(token), expected[i]);
    }
    sq__spin_end(SQ__SPIN_WAITER, true); /* the awaited thread had another processor */
    CHECK_EQUAL(yields_before_a_sleep(token), 64);
    /* a wait that no yield ends begins a new row */
    for (int i = 0; i < 63; i += 1) {
        granted_by_yield = token;
        granted_wait = sq__token_prepare(token);
        CHECK_EQUAL(sq__token_yield(token, granted_wait, SQ__NEVER), SQ__GRANTED);
    }
    granted_by_yield = NULL;
    sq__wait_id_t wait = sq__token_prepare(token);
    CHECK_EQUAL(sq__token_yield(token, wait, SQ__NEVER), SQ__OPEN);
    CHECK_EQUAL(sq__token_withdraw(token, wait), SQ__WITHDRAWN);
    granted_by_yield = token;
    CHECK_EQUAL(yields_before_a_sleep(token), 128);
    granted_by_yield = NULL;
    sq__token_recycle(token);
    clock_is_ours = false;
}
