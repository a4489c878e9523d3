/* explore_progress_test.c: what an exploration writes while it runs, and what ends the process. */
#include "explore.h"

#include "child.h"
#include "sq_semaphore.h"

static void nothing(void *context) { (void)context; }

/* Lasts until the clock says that the next line is due. */
static void last_a_while(sq_pool_t *pool, void *context) {
    (void)pool, (void)context;
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

static void wait_whatever_comes(sq_pool_t *pool, void *context) {
    sq_semaphore_t *semaphore = sq_semaphore_create("never", 0);
    (void)pool, (void)context;
    while (sq_semaphore_wait(semaphore, SQ_FOREVER) != 0) {
    }
}

static void fail_at_once(sq_pool_t *pool, void *context) {
    sq_queue_t *queue = queue_on(pool, "queue", 0);
    (void)context;
    CHECK_EQUAL(sq_async(queue, nothing, NULL), 0);
    sq_pool_run(pool);
    sq_explore_fail("a message");
    sq_queue_release(queue);
}

int child_main(int count, char **words) {
    sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 128);
    (void)count;
    no_core_file();
    options.name = "child";
    options.shows_progress = true;
    options.steps = 100;
    if (strcmp(words[0], "progress") == 0) {
        return sq_explore(&options, last_a_while, NULL, NULL);
    }
    if (strcmp(words[0], "loop") == 0) {
        return sq_explore(&options, wait_whatever_comes, NULL, NULL);
    }
    if (strcmp(words[0], "fail") == 0) {
        return sq_explore(&options, fail_at_once, NULL, NULL) == EILSEQ ? 0 : 1;
    }
    sq_explore_fail("outside of any run");
    return 0;
}

static bool has(const ending_t *ending, const char *words) {
    bool holds = CHECK(strstr(ending->text, words) != NULL);
    if (!holds) {
        note("%s", ending->text);
    }
    return holds;
}

TEST(a_long_exploration_shows_how_far_it_is) {
    ending_t ending = run_captured("progress", NULL);
    CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 0);
    has(&ending, "child: 64 of 128 schedules, ");
    has(&ending, " per second");
}

TEST(without_a_result_a_report_goes_to_stderr) {
    ending_t ending = run_captured("fail", NULL);
    CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 0);
    has(&ending, "child failed: a message");
    has(&ending, "none of 0 matters: it fails in the usual order, too");
    has(&ending, "[ nothing ]");
}

TEST(a_test_that_keeps_waiting_although_it_is_refused_ends_the_process) {
    ending_t ending = run_captured("loop", NULL);
    check_aborted(&ending, (const char *const[]){ "sq_explore: the test does not end", "waits forever: the test waits for semaphore \"never\"" }, 2);
}

TEST(a_failure_outside_of_a_run_ends_the_process) {
    ending_t ending = run_captured("outside", NULL);
    check_aborted(&ending, (const char *const[]){ "outside of any run" }, 1);
}
