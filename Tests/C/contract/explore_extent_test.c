/* explore_extent_test.c: how much of all schedules a depth-first search has run, and what it says about that. */
#include "explore.h"

#include <math.h>

static void nothing(void *context) { (void)context; }

/* Two queues with so many tasks each. */
static void submit_twice(sq_pool_t *pool, void *context) {
    sq_queue_t *queues[2] = { queue_on(pool, "a", 0), queue_on(pool, "b", 0) };
    for (int i = 0; i < 2 * *(const int *)context; i += 1) {
        CHECK_EQUAL(sq_async(queues[i % 2], nothing, NULL), 0);
    }
    sq_pool_run(pool);
    sq_queue_release(queues[0]);
    sq_queue_release(queues[1]);
}

/* Of n tasks each: (2n)! / (n! n!) orders. With four they are 70: 1, 4, 12, 18, 18, 12, 4 and 1 with none to seven unusual decisions. */
static sq_explored_t explore_tasks(int tasks, uint64_t schedules, unsigned depth) {
    sq_explore_options_t options = options_of(SQ_EXPLORE_DEPTH_FIRST, schedules);
    options.depth = depth;
    return explore("orders", submit_twice, &tasks, options);
}

static void check_summary(const sq_explored_t *explored, const char *expected) {
    if (!CHECK(explored->summary != NULL && strcmp(explored->summary, expected) == 0)) {
        note("%s", explored->summary != NULL ? explored->summary : "none");
    }
}

TEST(a_search_that_is_complete_knows_the_number_of_schedules) {
    sq_explored_t explored = explore_tasks(4, 1000, 0);
    CHECK(explored.is_complete);
    CHECK_EQUAL(explored.schedules, 70);
    CHECK_EQUAL(explored.known, 70);
    CHECK(explored.estimate == 70);
    CHECK_EQUAL(explored.complete_depth, 7);
    check_summary(&explored, "orders passed\n"
                             "  schedules 70, depth first: complete, there are no others\n");
    sq_explored_clear(&explored);
    CHECK(explored.summary == NULL);
}

TEST(a_search_that_ends_with_the_last_schedule_that_it_may_run_is_complete) {
    check_passed(explore_tasks(4, 70, 0), true);
    check_passed(explore_tasks(4, 69, 0), false);
    check_passed(explore_tasks(4, 17, 2), true);
    check_passed(explore_tasks(4, 16, 2), false);
}

TEST(a_search_that_its_depth_has_cut_says_how_many_are_left_out) {
    sq_explored_t explored = explore_tasks(4, 1000, 2);
    CHECK(explored.is_complete);
    CHECK_EQUAL(explored.schedules, 17);
    CHECK_EQUAL(explored.known, 17);
    CHECK(explored.estimate >= 35);
    CHECK_EQUAL(explored.complete_depth, 2);
    check_summary(&explored, "orders passed\n"
                             "  schedules 17, depth first: complete with at most 2 unusual decisions\n"
                             "  left out  at least 18 with more; about 64 schedules in all (an estimate)\n"
                             "  to raise  the limit of unusual decisions\n");
    sq_explored_clear(&explored);
}

TEST(a_search_that_is_cut_says_how_many_schedules_its_next_round_needs) {
    static const struct {
        uint64_t schedules, known;
        size_t depth;
    } cuts[] = { { 1, 5, 0 }, { 5, 17, 1 }, { 17, 35, 2 }, { 35, 53, 3 }, { 53, 65, 4 } };
    for (size_t i = 0; i < 5; i += 1) { /* exactly a round */
        sq_explored_t explored = explore_tasks(4, cuts[i].schedules, 0);
        CHECK(!explored.is_complete);
        CHECK_EQUAL(explored.known, cuts[i].known);
        CHECK_EQUAL(explored.complete_depth, cuts[i].depth);
        CHECK(explored.estimate >= (double)cuts[i].known);
        sq_explored_clear(&explored);
    }
    sq_explored_t explored = explore_tasks(4, 20, 0); /* within one */
    CHECK(explored.known > 35 && explored.known < 53);
    CHECK_EQUAL(explored.complete_depth, 2);
    CHECK(explored.summary != NULL && strstr(explored.summary, "  complete  with at most 2 unusual decisions\n"
                                                               "  to raise  the number of schedules, to 35: complete with at most 3\n") != NULL);
    CHECK(explored.summary != NULL && strstr(explored.summary, "both orders of two tasks are run") != NULL);
    sq_explored_clear(&explored);
    setenv("SQ_SCHEDULES", "20", true);
    explored = explore_tasks(4, 1000, 0);
    CHECK(explored.summary != NULL && strstr(explored.summary, "  to raise  SQ_SCHEDULES in the environment, to 35:") != NULL);
    sq_explored_clear(&explored);
    unsetenv("SQ_SCHEDULES");
}

TEST(an_estimate_is_right_within_a_factor_of_four) {
    static const struct {
        int tasks;
        double schedules;
    } programs[] = { { 6, 924 }, { 8, 12870 }, { 10, 184756 } };
    for (size_t i = 0; i < 3; i += 1) {
        sq_explored_t explored = explore_tasks(programs[i].tasks, 500, 0);
        CHECK(explored.estimate >= programs[i].schedules / 4 && explored.estimate <= programs[i].schedules * 4);
        note("%.0f: %.0f", programs[i].schedules, explored.estimate);
        sq_explored_clear(&explored);
    }
    sq_explored_t explored = explore_tasks(1100, 3, 0);
    CHECK(isinf(explored.estimate));
    CHECK(explored.summary != NULL && strstr(explored.summary, "about more than 10^308 in all") != NULL);
    sq_explored_clear(&explored);
}

TEST(the_other_strategies_only_count) {
    int tasks = 4;
    sq_explored_t explored = explore("orders", submit_twice, &tasks, options_of(SQ_EXPLORE_PCT, 20));
    CHECK(!explored.is_complete);
    CHECK_EQUAL(explored.known, 0);
    CHECK_EQUAL(explored.complete_depth, 0);
    CHECK(explored.estimate == 0);
    char expected[100];
    snprintf(expected, sizeof expected, "orders passed\n  schedules 20 (PCT, seed %llu)\n", strtoull(getenv("SQ_SEED"), NULL, 0));
    check_summary(&explored, expected);
    sq_explored_clear(&explored);
}

static void fail_unusually(sq_pool_t *pool, void *context) {
    (void)context;
    if (sq_pool_choose(pool, 2) + sq_pool_choose(pool, 3) == 2) {
        sq_explore_fail("two");
    }
}

TEST(a_failure_has_a_report_in_place_of_a_summary) {
    sq_explored_t explored = explore("unusual", fail_unusually, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 100));
    check_failed(&explored, "two");
    CHECK_EQUAL(explored.schedules, 3);
    CHECK_EQUAL(explored.complete_depth, 0);
    CHECK(explored.summary == NULL);
    sq_explored_clear(&explored);
}

/* A program that was built with an older header has no room behind `report`. */
TEST(a_result_of_the_first_version_is_filled_as_far_as_it_goes) {
    struct {
        sq_explored_t result;
        char behind[16];
    } older;
    int tasks = 4;
    memset(&older, 0xA5, sizeof older);
    const unsigned char *rest = (const unsigned char *)&older.result + offsetof(sq_explored_t, complete_depth);
    memset(&older, 0, offsetof(sq_explored_t, complete_depth));
    older.result.size = offsetof(sq_explored_t, complete_depth);
    sq_explore_options_t options = options_of(SQ_EXPLORE_DEPTH_FIRST, 1000);
    options.name = "older";
    CHECK_EQUAL(sq_explore(&options, submit_twice, &tasks, &older.result), 0);
    CHECK(older.result.is_complete);
    CHECK_EQUAL(older.result.schedules, 70);
    sq_explored_clear(&older.result);
    CHECK_EQUAL(older.result.schedules, 0);
    CHECK_EQUAL(older.result.size, offsetof(sq_explored_t, complete_depth));
    for (size_t i = 0; i < sizeof older.result - older.result.size; i += 1) {
        CHECK_EQUAL(rest[i], 0xA5);
    }
    older.result.size -= 1;
    CHECK_EQUAL(sq_explore(&options, submit_twice, &tasks, &older.result), EINVAL);
}
