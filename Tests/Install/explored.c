/* explored.c: a program that the installed testing library explores. Prints how many orders two queues can run in. */
#include <serial_queue.h>
#include <sq_explore.h>

#include <stdio.h>

static void nothing(void *context) { (void)context; }

static void two_queues(sq_pool_t *pool, void *context) {
    (void)context;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    for (int i = 0; i < 2; i += 1) {
        sq_queue_t *queue = sq_queue_create("store", &options);
        SQ_EXPLORE_CHECK(queue != NULL && sq_async(queue, nothing, NULL) == 0);
        sq_queue_release(queue);
    }
}

int main(void) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    options.name = "two-queues";
    options.strategy = SQ_EXPLORE_DEPTH_FIRST;
    sq_explored_t explored = SQ_EXPLORED_INIT;
    int error = sq_explore(&options, two_queues, NULL, &explored);
    printf("%d %s orders: %llu\n", error, explored.is_complete ? "all" : "some", (unsigned long long)explored.schedules);
    sq_explored_clear(&explored);
    return error != 0;
}
