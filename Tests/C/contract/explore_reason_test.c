/* explore_reason_test.c: the failure that is reported is the one that was found. */
#include "explore.h"

#include "child.h"

static char found[80]; /* the message of the first run that failed */

static void fail(const char *message) {
    if (found[0] == '\0') {
        snprintf(found, sizeof found, "%s", message);
    }
    sq_explore_fail(message);
}

/* Two unusual decisions lead to one failure, and either of them alone to another. */
static void fail_in_two_ways(sq_pool_t *pool, void *context) {
    size_t one = sq_pool_choose(pool, 8), other = sq_pool_choose(pool, 8);
    (void)context;
    if (one > 0 && other > 0) {
        fail("both");
    } else if (one + other > 0) {
        fail("one of them");
    }
}

TEST(shrinking_does_not_change_the_failure) {
    for (uint64_t seed = 1; seed <= 8; seed += 1) {
        sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 100);
        options.seed = seed;
        found[0] = '\0';
        sq_explored_t explored = explore("ways", fail_in_two_ways, NULL, options);
        check_failed(&explored, found);
        CHECK_STRING(explored.message, found);
        bool needs_both = strcmp(found, "both") == 0;
        CHECK_EQUAL(explored.choices_that_matter, needs_both ? 2 : 1);
        if (needs_both) {
            check_reports(&explored, "other     a similar schedule fails otherwise: one of them");
            check_reports(&explored, "comes first there, the test does not fail in this way.");
        }
        sq_explored_clear(&explored);
    }
}

/* The same condition, on two lines. */
static void fail_in_two_places(sq_pool_t *pool, void *context) {
    size_t one = sq_pool_choose(pool, 8), other = sq_pool_choose(pool, 8);
    bool is_right = one + other == 0;
    if (one > 0 && other > 0) {
        *(int *)context = __LINE__ + 1;
        SQ_EXPLORE_CHECK(is_right);
    } else {
        SQ_EXPLORE_CHECK(is_right);
    }
}

TEST(shrinking_does_not_change_the_line_that_failed) {
    char place[40];
    int line = 0;
    sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 100);
    options.seed = 1; /* whatever SQ_SEED is: the first decisions of this one are both unusual */
    sq_explored_t explored = explore("places", fail_in_two_places, &line, options);
    snprintf(place, sizeof place, "is_right (explore_reason_test.c:%d)", line);
    check_failed(&explored, place);
    CHECK_EQUAL(explored.choices_that_matter, 2);
    sq_explored_clear(&explored);
}

/* The more decisions are unusual, the larger the value; and the order of the words is another one. */
static void fail_with_a_value(sq_pool_t *pool, void *context) {
    char message[80];
    int unusual = 0;
    (void)context;
    for (int i = 0; i < 20; i += 1) {
        unusual += sq_pool_choose(pool, 2) > 0;
    }
    snprintf(message, sizeof message, unusual > 3 ? "anna and ben have %d, at %#x" : "ben and anna have %d, at %#x", 20 - unusual,
             0xa0000 + (unsigned)unusual);
    if (unusual > 0) {
        sq_explore_fail(message);
    }
}

TEST(a_failure_is_shrunk_although_the_values_in_its_message_change) {
    sq_explored_t explored = explore("value", fail_with_a_value, NULL, options_of(SQ_EXPLORE_RANDOM, 100));
    check_failed(&explored, "ben and anna have 19, at 0xa0001");
    CHECK_EQUAL(explored.choices_that_matter, 1);
    sq_explored_clear(&explored);
}

static void fail_once(sq_pool_t *pool, void *context) {
    (void)pool;
    if ((*(int *)context)++ == 2) {
        sq_explore_fail("the third run");
    }
}

TEST(a_failure_that_does_not_repeat_keeps_its_message) {
    int runs = 0;
    sq_explored_t explored = explore("once", fail_once, &runs, options_of(SQ_EXPLORE_RANDOM, 100));
    CHECK(explored.has_failed && !explored.is_repeatable);
    CHECK_STRING(explored.message, "the third run");
    sq_explored_clear(&explored);
}

/* The last of its runs, which draws it, passes. */
static void fail_until_drawn(sq_pool_t *pool, void *context) {
    (void)pool;
    if ((*(int *)context)++ < 3) {
        sq_explore_fail("at first");
    }
}

TEST(a_failure_whose_drawing_passes_is_a_failure) {
    int runs = 0;
    sq_explored_t explored = explore("drawn", fail_until_drawn, &runs, options_of(SQ_EXPLORE_RANDOM, 100));
    CHECK(explored.has_failed && !explored.is_repeatable);
    CHECK_STRING(explored.message, "at first");
    check_reports(&explored, "NOT REPEATABLE: ");
    sq_explored_clear(&explored);
}

/* Without its unusual decision it ends the process. */
static void fail_or_end(sq_pool_t *pool, void *context) {
    (void)context;
    if (sq_pool_choose(pool, 1000) > 0) {
        sq_explore_fail("what was found");
    } else {
        abort();
    }
}

int child_main(int count, char **words) {
    (void)count, (void)words;
    no_core_file();
    if (UNDER_ASAN || UNDER_TSAN) {
        signal(SIGABRT, SIG_DFL); /* the sanitizer's handler would end the process otherwise */
    }
    sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 1);
    options.name = "ends";
    options.seed = 1;
    return sq_explore(&options, fail_or_end, NULL, NULL);
}

TEST(a_schedule_that_ends_the_process_while_a_failure_is_shrunk_reports_both) {
    ending_t ending = run_captured("end", NULL);
    CHECK(WIFSIGNALED(ending.status) && WTERMSIG(ending.status) == SIGABRT);
    CHECK(strstr(ending.text, "sq_explore: ends ends the process by SIGABRT; this schedule does so again:\n"
                              "  replay    SQ_TAPE='ends/1/-/") != NULL);
    CHECK(strstr(ending.text, "It was tried because a similar schedule failed: what was found\n  replay    SQ_TAPE='ends/1/") != NULL);
    note("%s", ending.text);
}
