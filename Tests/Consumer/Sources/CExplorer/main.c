/* main.c: a C program of another package that explores a test. */
#include <serial_queue.h>
#include <sq_explore.h>
#include <stdio.h>

static void test(sq_pool_t *pool, void *context) {
    (void)context;
    SQ_EXPLORE_CHECK(sq_is_exploring());
    SQ_EXPLORE_CHECK(sq_pool_choose(pool, 3) < 3);
}

int main(void) {
    sq_explored_t explored = SQ_EXPLORED_INIT;
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    options.strategy = SQ_EXPLORE_DEPTH_FIRST;
    options.name = "choices";
    int error = sq_explore(&options, test, NULL, &explored);
    printf("c-explorer: %llu choices\n", (unsigned long long)explored.schedules);
    sq_explored_clear(&explored);
    return error;
}
