/* explore_seed_test.c: seeds: which schedules a random search takes. */
#include "explore.h"

enum { SEEDS = 6, SCHEDULES = 200 };

static size_t answers[SEEDS * SCHEDULES], answer_count;

/* An answer that hardly any two schedules have in common. */
static void note_schedule(sq_pool_t *pool, void *context) {
    (void)context;
    answers[answer_count++] = sq_pool_choose(pool, (size_t)1 << 31);
}

static int compare(const void *one, const void *other) {
    size_t a = *(const size_t *)one, b = *(const size_t *)other;
    return (a > b) - (a < b);
}

TEST(searches_with_consecutive_seeds_have_no_schedule_in_common) {
    answer_count = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed += 1) {
        sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, SCHEDULES);
        options.seed = seed;
        check_passed(explore("seeds", note_schedule, NULL, options), false);
    }
    REQUIRE(answer_count == SEEDS * SCHEDULES);
    qsort(answers, answer_count, sizeof answers[0], compare);
    size_t equal = 0;
    for (size_t i = 1; i < answer_count; i += 1) {
        equal += answers[i] == answers[i - 1];
    }
    CHECK_AT_MOST(equal, 2); /* 1,200 of 2^31: chance makes one of them equal in one of 3,000 such tests */
}

static void fail_rarely(sq_pool_t *pool, void *context) {
    (void)context;
    SQ_EXPLORE_CHECK(sq_pool_choose(pool, 40) != 39);
}

TEST(the_seed_of_a_failure_finds_it_in_its_first_schedule) {
    static const sq_explore_strategy_t strategies[] = { SQ_EXPLORE_RANDOM, SQ_EXPLORE_PCT };
    for (size_t i = 0; i < 2; i += 1) {
        sq_explore_options_t options = options_of(strategies[i], 10000);
        options.seed = 5;
        sq_explored_t found = explore("rare", fail_rarely, NULL, options);
        REQUIRE(found.has_failed);
        CHECK(found.schedules > 1);
        options.seed = found.seed;
        sq_explored_t again = explore("rare", fail_rarely, NULL, options);
        CHECK_EQUAL(again.schedules, 1);
        CHECK_EQUAL(again.seed, found.seed);
        CHECK_STRING(again.tape, found.tape);
        sq_explored_clear(&found);
        sq_explored_clear(&again);
    }
}
