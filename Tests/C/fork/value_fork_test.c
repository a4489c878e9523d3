/* value_fork_test.c: values of queues and forks. */
#include "fork.h"

#include "sq_value.h"

static const char key;

/* Returns how many checks failed. */
static int release_in_child(void *argument) {
    sq_queue_t *queue = argument;
    size_t *released = sq_queue_value(queue, &key);
    int wrong = !CHECK_EQUAL(sq_queue_set_value(queue, &key, NULL, NULL), ESTALE);
    sq_queue_release(queue);
    return wrong + !CHECK_EQUAL(*released, 0);
}

TEST(in_the_child_of_a_fork_a_value_of_the_parent_is_not_released) {
    if (fork_left_out()) {
        return;
    }
    size_t released = 0;
    sq_queue_t *queue = make_queue_of("values", 0);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &released, add_one), 0);
    CHECK_EQUAL(in_fork(release_in_child, queue), 0);
    CHECK_EQUAL(released, 0);
    sq_queue_release(queue);
    CHECK_EQUAL(released, 1);
}

static int use_target(void *argument) {
    sq_queue_t **queues = argument;
    size_t count = 0;
    int wrong = !CHECK_EQUAL(sq_sync(queues[0], add_one, &count), ESTALE); /* free or not */
    wrong += !CHECK_EQUAL(sq_async(queues[0], add_one, &count), ESTALE);
    sq_queue_release(queues[1]);
    sq_queue_release(queues[0]);
    return wrong + !CHECK_EQUAL(count, 0);
}

TEST(the_child_of_a_fork_releases_a_queue_and_its_suspended_target) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    sq_queue_t *queues[2] = { NULL, make_queue_of("target", 0) };
    options.target = queues[1];
    queues[0] = sq_queue_create("child", &options);
    CHECK_EQUAL(sq_suspend(queues[1]), 0);
    CHECK_EQUAL(in_fork(use_target, queues), 0);
    CHECK_EQUAL(sq_resume(queues[1]), 0);
    sq_queue_release(queues[1]);
    sq_queue_release(queues[0]);
}
