/* explore_outside_test.c: what is not under the control of a schedule: other threads, other queues, state that outlives a run; and
 * memory that is not there. */
#include "explore.h"

#include "inject.h"

static void nothing(void *context) { (void)context; }

/* Tests that are not the same twice */

static int runs;
static void first_task(void *context) { (void)context; }
static void other_task(void *context) { (void)context; }

static void fail_at_the_fifth(sq_pool_t *pool, void *context) {
    (void)pool, (void)context;
    runs += 1;
    SQ_EXPLORE_CHECK(runs != 5);
}

static void alternate(sq_pool_t *pool, void *context) {
    sq_queue_t *queue = queue_on(pool, "queue", 0);
    (void)context;
    runs += 1;
    CHECK_EQUAL(sq_async(queue, first_task, NULL), 0);
    CHECK_EQUAL(sq_async(queue, runs % 2 == 0 ? first_task : other_task, NULL), 0);
    sq_pool_run(pool);
    sq_explore_fail("always");
    sq_queue_release(queue);
}

TEST(a_failure_that_does_not_repeat_is_said_to_be_so_with_the_first_step_that_was_different) {
    runs = 0;
    sq_explored_t explored = explore("fifth", fail_at_the_fifth, NULL, options_of(SQ_EXPLORE_RANDOM, 100));
    CHECK(explored.has_failed && !explored.is_repeatable);
    CHECK_EQUAL(explored.schedules, 5);
    check_reports(&explored, "NOT REPEATABLE: it failed once");
    sq_explored_clear(&explored);
    runs = 0;
    explored = explore("alternate", alternate, NULL, options_of(SQ_EXPLORE_RANDOM, 100));
    CHECK(explored.has_failed && !explored.is_repeatable);
    check_reports(&explored, "NOT REPEATABLE: step 3 was not under control (queue): \"first_task\" when it was repeated first, "
                             "\"other_task\" then");
    sq_explored_clear(&explored);
}

/* Other threads */

static void *submit_from_elsewhere(void *queue) {
    CHECK_EQUAL(sq_async(queue, nothing, NULL), 0);
    return NULL;
}

static void use_a_thread(sq_pool_t *pool, void *context) {
    sq_queue_t *queue = queue_on(pool, "queue", 0);
    (void)context;
    join(spawn(submit_from_elsewhere, queue));
    sq_pool_run(pool);
    sq_explore_fail("to see the report");
    sq_queue_release(queue);
}

TEST(a_thread_from_outside_is_named) {
    sq_explored_t explored = explore("outside", use_a_thread, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "outside   thread \"");
    check_reports(&explored, "does not belong to the test, submitted a task to queue \"queue\"");
    sq_explored_clear(&explored);
}

/* Code that waits for something from outside asks for a step until it comes. */
TEST(a_step_with_nothing_to_do_does_not_count) {
    sq_explore_options_t options = options_of(SQ_EXPLORE_DEPTH_FIRST, 1);
    sq_explored_t explored = SQ_EXPLORED_INIT;
    options.name = "patient";
    options.steps = 10;
    sq_exploration_t *exploration = sq_exploration_create(&options, &explored);
    REQUIRE(exploration != NULL);
    sq_pool_t *pool = sq_exploration_begin_run(exploration);
    REQUIRE(pool != NULL);
    for (int i = 0; i < 100; i += 1) {
        CHECK(!sq_exploration_step(exploration, i % 2 == 0));
    }
    sq_queue_t *queue = queue_on(pool, "queue", 0);
    CHECK_EQUAL(sq_async(queue, nothing, NULL), 0);
    CHECK(sq_exploration_step(exploration, true));
    sq_queue_release(queue);
    CHECK(sq_exploration_end_run(exploration, NULL));
    CHECK(sq_exploration_begin_run(exploration) == NULL);
    CHECK_EQUAL(sq_exploration_finish(exploration, &explored), 0);
    CHECK_EQUAL(explored.schedules, 1);
    CHECK(explored.is_complete);
    sq_explored_clear(&explored);
}

static void start_a_thread(void *queue) { join(spawn(submit_from_elsewhere, queue)); }

/* The tasks of the first runs run on helpers. */
static void let_a_task_use_a_thread(sq_pool_t *pool, void *context) {
    sq_queue_t *queue = queue_on(pool, "queue", 0), *other = queue_on(pool, "other", 0);
    (void)context;
    CHECK_EQUAL(sq_async(other, start_a_thread, queue), 0);
    sq_pool_run(pool);
    sq_explore_fail("to see the report");
    sq_queue_release(queue);
    sq_queue_release(other);
}

/* A new thread has the name of the one that started it, a helper's. */
TEST(a_thread_that_a_task_has_started_is_not_reported_under_our_own_threads_name) {
    sq_explored_t explored = explore("started", let_a_task_use_a_thread, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "outside   thread (");
    check_reports(&explored, "), which the test has started, submitted a task to queue \"queue\"");
    sq_explored_clear(&explored);
}

static void use_another_queue(sq_pool_t *pool, void *context) {
    sq_queue_t *queue = sq_queue_create("own thread", NULL);
    int value = 0;
    (void)pool, (void)context;
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_async(queue, nothing, NULL), 0);
    CHECK_EQUAL(sq_sync(queue, nothing, &value), 0);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, nothing, NULL), 0);
    sq_explore_fail("to see the report");
    sq_queue_release(queue);
}

TEST(a_queue_that_is_not_on_the_pool_is_waited_for_and_named) {
    sq_explored_t explored = explore("other", use_another_queue, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "outside   the test waited for queue \"own thread\", which is not on its pool");
    sq_explored_clear(&explored);
}

/* A pool that is kept */

static sq_pool_t *kept;

static void keep_pool(sq_pool_t *pool, void *context) {
    (void)context;
    sq_pool_release(kept);
    kept = sq_pool_retain(pool);
}

TEST(a_pool_that_a_test_keeps_is_a_manual_pool_afterwards) {
    size_t ran = 0;
    check_passed(explore("keep", keep_pool, NULL, options_of(SQ_EXPLORE_RANDOM, 3)), false);
    sq_queue_t *queue = queue_on(kept, "later", 0);
    CHECK_EQUAL(sq_async(queue, nothing, &ran), 0);
    CHECK_EQUAL(sq_pool_run(kept), 1);
    CHECK_EQUAL(sq_pool_choose(kept, 5), 0);
    sq_queue_release(queue);
    sq_pool_release(kept);
    kept = NULL;
}

/* Without memory */

/* A test that can do without its queue. */
static void try_something(sq_pool_t *pool, void *context) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    (void)context;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create("queue", &options);
    if (queue != NULL) {
        WHATEVER(sq_async(queue, nothing, NULL));
        WHATEVER(sq_run_and_wait(queue, SQ_FOREVER, nothing, NULL));
        (void)sq_pool_choose(pool, 2);
        sq_pool_run(pool);
        sq_queue_release(queue);
    }
    if (context != NULL) {
        sq_explore_fail("always");
    }
}

/* The nth allocation fails, once or from then on. Nothing leaks (the harness), and the result is one of three. */
static void explore_without_memory(void *context) {
    uint64_t failed;
    int tries = 0, found = 0;
    do {
        sq_explore_options_t options = options_of(SQ_EXPLORE_PCT, 3);
        sq_explored_t explored = SQ_EXPLORED_INIT;
        options.name = "memory";
        tries += 1;
        fail_nth(FAIL_ALLOCATION, (uint64_t)tries, tries % 2);
        int error = sq_explore(&options, try_something, context, &explored);
        failed = fail_nothing();
        CHECK(error == ENOMEM || error == (context != NULL ? EILSEQ : 0));
        found += error != ENOMEM;
        sq_explored_clear(&explored);
    } while (failed > 0);
    CHECK(tries > 5 && found > 0);
}

TEST(each_allocation_of_an_exploration_can_fail) {
    bool fails = true;
    explore_without_memory(NULL);
    explore_without_memory(&fails);
}
