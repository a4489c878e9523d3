/* explore_test.c: exploring the schedules of a test: what is found, what a failure says, and how it is repeated. */
#include "explore.h"

#include "child.h"

static bool wrong = false, right = true;

static const sq_explore_strategy_t strategies[] = { SQ_EXPLORE_RANDOM, SQ_EXPLORE_PCT, SQ_EXPLORE_DEPTH_FIRST };

TEST(each_strategy_finds_an_update_that_is_lost_between_two_syncs) {
    for (size_t i = 0; i < 3; i += 1) {
        sq_explored_t explored = explore("deposits", make_deposits, &wrong, options_of(strategies[i], 1000));
        check_failed(&explored, "deposits.balance == 20 (explore.h:");
        CHECK_EQUAL(explored.choices_that_matter, 1);
        CHECK_AT_MOST(explored.schedules, 100);
        sq_explored_clear(&explored);
    }
}

TEST(a_test_that_is_right_passes_under_every_schedule) {
    check_passed(explore("deposits", make_deposits, &right, options_of(SQ_EXPLORE_RANDOM, 2000)), false);
    check_passed(explore("deposits", make_deposits, &right, options_of(SQ_EXPLORE_PCT, 2000)), false);
    check_passed(explore("deposits", make_deposits, &right, options_of(SQ_EXPLORE_DEPTH_FIRST, 100000)), true);
}

/* Order */

static int ran[12], ran_count;
static unsigned char seen[34650 / 8 + 1]; /* one bit for each order; see number_of_order */

static void run_numbered(void *context) { ran[ran_count++] = (int)(intptr_t)context; }

static void submit_three_times_four(sq_pool_t *pool, void *context) {
    sq_queue_t *queues[3] = { queue_on(pool, "a", 0), queue_on(pool, "b", 0), queue_on(pool, "c", 0) };
    (void)context;
    ran_count = 0;
    for (intptr_t i = 0; i < 12; i += 1) {
        CHECK_EQUAL(sq_async(queues[i % 3], run_numbered, (void *)i), 0);
    }
    CHECK_EQUAL(sq_pool_run(pool), 12);
    for (int i = 0; i < 3; i += 1) {
        sq_queue_release(queues[i]);
    }
}

/* The number of this order among all that keep each queue's own: 12! / (4! 4! 4!) = 34650. */
static size_t number_of_order(void) {
    size_t number = 0;
    int left[3] = { 4, 4, 4 };
    static const size_t factorials[] = { 1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600 };
    for (int i = 0; i < 12; i += 1) {
        int queue = ran[i] % 3, rest = 11 - i;
        CHECK_EQUAL(ran[i] / 3, 4 - left[queue]); /* each queue's tasks in their order */
        for (int other = 0; other < queue; other += 1) {
            if (left[other] > 0) {
                left[other] -= 1;
                number += factorials[rest] / (factorials[left[0]] * factorials[left[1]] * factorials[left[2]]);
                left[other] += 1;
            }
        }
        left[queue] -= 1;
    }
    return number;
}

static void mark_order(sq_pool_t *pool, void *context) {
    submit_three_times_four(pool, context);
    REQUIRE(ran_count == 12);
    size_t number = number_of_order();
    seen[number / 8] |= (unsigned char)(1u << number % 8);
}

TEST(depth_first_runs_each_order_of_three_queues_with_four_tasks_once) {
    sq_explored_t explored = explore("orders", mark_order, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000000));
    size_t orders = 0;
    for (size_t i = 0; i < 34650; i += 1) {
        orders += seen[i / 8] >> i % 8 & 1;
    }
    CHECK_EQUAL(orders, 34650);
    CHECK_EQUAL(explored.schedules, 34650);
    check_passed(explored, true);
}

TEST(a_limit_on_unusual_decisions_ends_depth_first_early_and_completely) {
    sq_explore_options_t options = options_of(SQ_EXPLORE_DEPTH_FIRST, 1000000);
    options.depth = 1;
    sq_explored_t explored = explore("orders", submit_three_times_four, NULL, options);
    CHECK(explored.schedules > 1 && explored.schedules < 100);
    check_passed(explored, true);
}

static void check_schedules(uint64_t most, uint64_t expected) {
    sq_explored_t explored = explore("orders", submit_three_times_four, NULL, options_of(SQ_EXPLORE_RANDOM, most));
    CHECK_EQUAL(explored.schedules, expected);
    sq_explored_clear(&explored);
}

TEST(the_environment_limits_the_schedules) {
    setenv("SQ_SCHEDULES", "7", true);
    check_schedules(1000, 7);
    check_schedules(5, 5);
    unsetenv("SQ_SCHEDULES");
    check_schedules(9, 9);
}

/* A failure that needs several decisions */

static int order[12], orders;
static void note_number(void *number) { order[orders++] = (int)(intptr_t)number; }

/* Fails if the tasks begin with c, b, c, a, each of which is unusual. */
static void need_four_decisions(sq_pool_t *pool, void *context) {
    sq_queue_t *queues[3];
    (void)context;
    orders = 0;
    for (intptr_t i = 0; i < 3; i += 1) {
        queues[i] = queue_on(pool, (const char *const[]){ "a", "b", "c" }[i], 0);
    }
    for (intptr_t i = 0; i < 12; i += 1) {
        CHECK_EQUAL(sq_async(queues[i % 3], note_number, (void *)(i % 3)), 0);
    }
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(!(order[0] == 2 && order[1] == 1 && order[2] == 2 && order[3] == 0));
    for (int i = 0; i < 3; i += 1) {
        sq_queue_release(queues[i]);
    }
}

TEST(a_failure_is_shrunk_to_the_decisions_that_it_needs) {
    for (uint64_t seed = 1; seed <= 5; seed += 1) {
        sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 100000);
        options.seed = seed;
        sq_explored_t explored = explore("four", need_four_decisions, NULL, options);
        check_failed(&explored, "order[0] == 2");
        CHECK_EQUAL(explored.choices_that_matter, 4);
        sq_explored_clear(&explored);
    }
}

/* What a failure says */

TEST(a_report_has_the_tape_the_timeline_and_what_would_make_the_test_pass) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    options.seed = 1; /* whatever SQ_SEED is: either of the two may be interrupted */
    sq_explored_t explored = explore("deposits", make_deposits, &wrong, options);
    check_reports(&explored, "deposits failed: deposits.balance == 20");
    check_reports(&explored, "1 of 7 matters");
    check_reports(&explored, "SQ_TAPE='deposits/1/");
    check_reports(&explored, "  step  test              alice             bob");
    check_reports(&explored, "[ deposit_of_alice");
    check_reports(&explored, "| sync onto \"account\": read_for_alice");
    check_reports(&explored, " *   3                    |                 [ deposit_of_bob");
    check_reports(&explored, "If the rest of \"deposit_of_alice\" of queue \"alice\" comes first there, the test passes.");
    sq_explored_clear(&explored);
}

/* Tapes */

/* `make_tape` of a failure: to be freed. */
static char *make_tape(void) {
    sq_explored_t explored = explore("deposits", make_deposits, &wrong, options_of(SQ_EXPLORE_RANDOM, 1000));
    REQUIRE(explored.tape != NULL);
    char *tape = explored.tape;
    explored.tape = NULL;
    sq_explored_clear(&explored);
    return tape;
}

TEST(a_tape_repeats_the_failure_and_only_that) {
    char *tape = make_tape();
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    options.tape = tape;
    sq_explored_t explored = explore("deposits", make_deposits, &wrong, options);
    check_failed(&explored, "deposits.balance == 20");
    check_reports(&explored, "[ deposit_of_bob");
    CHECK_EQUAL(explored.schedules, 1);
    CHECK_STRING(explored.tape, tape);
    sq_explored_clear(&explored);
    check_passed(explore("deposits", make_deposits, &right, options), false);
    free(tape);
}

/* Two other tests, while the environment has a tape of "deposits". */
static int explore_others(void) {
    sq_explored_t explored = explore("withdrawals", make_deposits, &right, options_of(SQ_EXPLORE_RANDOM, 10));
    int wrong_things = !CHECK_EQUAL(explored.schedules, 10) + !CHECK(!explored.has_failed);
    sq_explored_clear(&explored);
    explored = explore("dep", make_deposits, &wrong, options_of(SQ_EXPLORE_RANDOM, 1000));
    wrong_things += !CHECK(explored.has_failed && explored.report != NULL && strstr(explored.report, "found by") != NULL);
    sq_explored_clear(&explored);
    return wrong_things;
}

int child_main(int count, char **words) {
    sq_explored_t explored = SQ_EXPLORED_INIT;
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    setenv("SQ_TAPE", words[0], true);
    if (count > 1) {
        return explore_others();
    }
    options.name = "deposits";
    int error = sq_explore(&options, make_deposits, &wrong, &explored);
    int wrong_things = !CHECK_EQUAL(error, EILSEQ) + !CHECK_EQUAL(explored.schedules, 1);
    sq_explored_clear(&explored);
    return wrong_things;
}

TEST(a_tape_in_the_environment_repeats_the_failure_in_another_process) {
    char *tape = make_tape();
    CHECK_EQUAL(run_child((const char *const[]){ tape, NULL }), 0);
    free(tape);
}

TEST(a_tape_of_another_test_in_the_environment_has_no_effect_and_one_line_says_so) {
    char *tape = make_tape();
    ending_t ending = run_captured(tape, "others");
    CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 0);
    CHECK_STRING(ending.text, "sq_explore: SQ_TAPE is of the test \"deposits\", and has no effect on others, such as \"withdrawals\".\n");
    free(tape);
}

static void check_tape(const char *tape, const char *words) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    sq_explored_t explored = SQ_EXPLORED_INIT;
    options.name = "deposits";
    options.tape = tape;
    CHECK_EQUAL(sq_explore(&options, make_deposits, &wrong, &explored), EINVAL);
    check_reports(&explored, words);
    CHECK(!explored.has_failed);
    sq_explored_clear(&explored);
}

TEST(a_tape_without_a_name_in_the_environment_is_refused) {
    setenv("SQ_TAPE", "z2.1", true);
    check_tape(NULL, "the tape is damaged: it does not have the form NAME/1/CHOICES/CHECKSUM");
    unsetenv("SQ_TAPE");
}

TEST(a_tape_that_is_damaged_or_of_another_test_is_refused_with_the_reason) {
    char *tape = make_tape(), damaged[256];
    for (size_t i = 1; i < strlen(tape); i += 1) {
        snprintf(damaged, sizeof damaged, "%s", tape);
        damaged[i] = damaged[i] == '1' ? '2' : '1';
        check_tape(damaged, "the tape is damaged");
        damaged[i] = '\0';
        check_tape(damaged, "the tape is damaged");
    }
    check_tape("withdrawals/1/z2.1/0000", "the tape is damaged: its checksum is wrong");
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    sq_explored_t explored = SQ_EXPLORED_INIT;
    options.name = "withdrawals";
    options.tape = tape;
    CHECK_EQUAL(sq_explore(&options, make_deposits, &wrong, &explored), EINVAL);
    check_reports(&explored, "withdrawals: the tape is of another test");
    sq_explored_clear(&explored);
    free(tape);
}

/* Use */

static void explore_inside(sq_pool_t *pool, void *context) {
    (void)pool;
    CHECK(sq_is_exploring());
    CHECK_EQUAL(sq_explore(NULL, make_deposits, context, NULL), EALREADY);
}

TEST(options_of_an_unknown_size_and_an_exploration_in_another_are_refused) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    options.size += 8;
    CHECK_EQUAL(sq_explore(&options, make_deposits, &right, NULL), EINVAL);
    options.size -= 8;
    check_passed(explore("inside", explore_inside, &right, options_of(SQ_EXPLORE_RANDOM, 2)), false);
    CHECK(!sq_is_exploring());
}

/* The command to replay quotes the tape with apostrophes, and the test's name ends at the first slash. */
TEST(a_name_that_cannot_stand_in_a_tape_is_refused_with_the_reason) {
    static const char *const names[] = { "", "two words", "the_user's_cart", "a/b", "two\nlines" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i += 1) {
        sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
        sq_explored_t explored = SQ_EXPLORED_INIT;
        options.name = names[i];
        CHECK_EQUAL(sq_explore(&options, make_deposits, &right, &explored), EINVAL);
        check_reports(&explored, "the test's name is empty, or has a blank, a slash or an apostrophe");
        sq_explored_clear(&explored);
    }
}

TEST(without_options_the_name_is_the_functions) {
    sq_explored_t explored = SQ_EXPLORED_INIT;
    CHECK_EQUAL(sq_explore(NULL, make_deposits, &wrong, &explored), EILSEQ);
    CHECK(strncmp(explored.tape, "make_deposits/1/", 16) == 0);
    sq_explored_clear(&explored);
}
