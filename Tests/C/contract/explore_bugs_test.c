/* explore_bugs_test.c: the planted bugs of explore_bugs.h and explore_bugs_of_waits.h.
 *
 * Each bug is found in a median of at most 100 random schedules, and shrunk to at most one and a half times the smallest number of
 * unusual decisions, which depth first finds. The right programs pass: SQ_SCHEDULES of them, 2,000 by default. */
#include "explore_bugs_of_waits.h"

static const struct bug {
    const char *name;
    program_t program;
} bugs[] = {
    { "lost_update", lose_update }, { "check_then_act", book_twice },
    { "double_completion", complete_twice }, { "cache_filled_twice", fill_cache },
    { "cancel_against_start", cancel_and_start }, { "shutdown_against_submit", shut_down_and_submit },
    { "assumed_order", assume_order }, { "timeout_against_answer", time_out_and_answer }, { "leaked_waiter", leak_waiter },
    { "unsubscribe_during_notify", unsubscribe_and_notify }, { "read_before_permit", read_before_permit },
    { "cancel_against_run", print_and_cancel },
};

enum { BUGS = sizeof bugs / sizeof bugs[0], SEEDS = 31 };

static int compare(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* The median of the schedules that it takes to find the bug; *matter: the most unusual decisions that were left. */
static uint64_t median_of(const struct bug *bug, sq_explore_strategy_t strategy, size_t *matter) {
    uint64_t taken[SEEDS];
    *matter = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed += 1) {
        sq_explore_options_t options = options_of(strategy, 10000);
        options.seed = 1 + 1000003 * seed;
        sq_explored_t explored = explore(bug->name, bug->program, NULL, options);
        CHECK(explored.has_failed && explored.is_repeatable);
        taken[seed] = explored.schedules;
        *matter = explored.choices_that_matter > *matter ? explored.choices_that_matter : *matter;
        sq_explored_clear(&explored);
    }
    qsort(taken, SEEDS, sizeof taken[0], compare);
    return taken[SEEDS / 2];
}

TEST(each_planted_bug_is_found_in_a_median_of_100_schedules_and_shrunk_to_what_matters) {
    is_right = false;
    for (size_t i = 0; i < BUGS; i += 1) {
        size_t matter, matter_by_priority;
        sq_explored_t smallest = explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000000));
        CHECK(smallest.has_failed && smallest.choices_that_matter > 0); /* the usual schedule does not show it */
        uint64_t random = median_of(&bugs[i], SQ_EXPLORE_RANDOM, &matter);
        uint64_t priority = median_of(&bugs[i], SQ_EXPLORE_PCT, &matter_by_priority);
        note("%-26s random %2llu, PCT %2llu, depth first %2llu schedules; %zu decisions matter, at least %zu", bugs[i].name,
             (unsigned long long)random, (unsigned long long)priority, (unsigned long long)smallest.schedules, matter,
             smallest.choices_that_matter);
        CHECK_AT_MOST(random, 100);
        CHECK_AT_MOST(priority, 100);
        CHECK_AT_MOST(2 * matter, 3 * smallest.choices_that_matter);
        CHECK_AT_MOST(2 * matter_by_priority, 3 * smallest.choices_that_matter);
        sq_explored_clear(&smallest);
    }
}

TEST(without_its_bug_each_program_passes) {
    const char *text = getenv("SQ_SCHEDULES");
    uint64_t schedules = text != NULL ? strtoull(text, NULL, 10) : 2000;
    is_right = true;
    for (size_t i = 0; i < BUGS; i += 1) {
        check_passed(explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_RANDOM, schedules)), false);
        check_passed(explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_PCT, schedules)), false);
        check_passed(explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000000)), true);
    }
}
