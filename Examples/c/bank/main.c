/* main.c: a test of the bank, explored: many schedules instead of the one that happens to run.
 *
 * Two tellers transfer 80 each from an account that has 100. The first version of the bank lets both do it under some schedules;
 * the report shows which. The second version passes them all. */
#include "bank.h"

#include <sq_explore.h>

#include <stdio.h>
#include <string.h>

static sq_queue_t *queue_on(sq_pool_t *pool, const char *label) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    return sq_queue_create(label, &options);
}

/* The test. It makes everything anew, on the pool that it gets. */
static void two_transfers(sq_pool_t *pool, void *is_careful) {
    account_t savings = {queue_on(pool, "savings"), 100}, giro = {queue_on(pool, "giro"), 0};
    transfer_t first = {&savings, &giro, 80, *(bool *)is_careful, false}, second = first;
    sq_queue_t *anna = queue_on(pool, "anna"), *ben = queue_on(pool, "ben");

    sq_async(anna, transfer_run, &first);
    sq_async(ben, transfer_run, &second);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(savings.balance >= 0);
    SQ_EXPLORE_CHECK(savings.balance + giro.balance == 100);

    sq_queue_release(savings.queue);
    sq_queue_release(giro.queue);
    sq_queue_release(anna);
    sq_queue_release(ben);
}

/* Returns what sq_explore returns: 0, or EILSEQ if a schedule failed. */
static int explore(bool is_careful, sq_explore_strategy_t strategy) {
    sq_explored_t explored = SQ_EXPLORED_INIT;
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    options.name = is_careful ? "careful" : "careless";
    options.strategy = strategy;
    options.schedules = 10000;
    int error = sq_explore(&options, two_transfers, &is_careful, &explored);
    if (explored.report != NULL)
        printf("%s\n", explored.report);
    else if (explored.summary != NULL)
        printf("%s", explored.summary);
    else
        printf("%s: %s\n", options.name, sq_error_text(error));
    sq_explored_clear(&explored);
    return error;
}

int main(int count, char *arguments[]) {
    if (count == 2 && strcmp(arguments[1], "careless") == 0) return explore(false, SQ_EXPLORE_RANDOM) != 0;
    if (count == 2 && strcmp(arguments[1], "careful") == 0) return explore(true, SQ_EXPLORE_RANDOM) != 0;
    if (count != 1) {
        fputs("Usage: bank [careless | careful]\n"
              "\n"
              "Explores the schedules of a test of a bank, in one of its two versions, or both. SQ_TAPE repeats a schedule.\n"
              "Exit status: 0; 1 if a schedule has failed (both: if it is not the careless version, and that one alone).\n",
              stderr);
        return 2;
    }
    bool found = explore(false, SQ_EXPLORE_RANDOM) != 0;
    bool passed = explore(true, SQ_EXPLORE_DEPTH_FIRST) == 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("bank: the report cannot be written");
        return 1;
    }
    return found && passed ? 0 : 1;
}
