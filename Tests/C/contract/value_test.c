/* value_test.c: values of a queue, and the current one. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "sq_deferred.h"
#include "sq_item.h"
#include "sq_pool.h"
#include "sq_private.h"
#include "sq_shutdown.h"
#include "sq_value.h"

static const char key, other_key, third_key;

static sq_queue_t *make(const char *label) {
    sq_queue_t *queue = sq_queue_create(label, NULL);
    REQUIRE(queue != NULL);
    return queue;
}

static void count(void *value) { *(int *)value += 1; }

TEST(each_key_has_a_value_of_its_own) {
    sq_queue_t *queue = make("values");
    int one = 0, two = 0;
    CHECK(sq_queue_value(queue, &key) == NULL);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, NULL, NULL), 0); /* there is none to remove */
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &one, NULL), 0);
    CHECK(sq_queue_value(queue, &other_key) == NULL);
    CHECK_EQUAL(sq_queue_set_value(queue, &other_key, &two, NULL), 0);
    CHECK(sq_queue_value(queue, &key) == &one);
    CHECK(sq_queue_value(queue, &other_key) == &two);
    int three = 0;
    CHECK_EQUAL(sq_queue_set_value(queue, &third_key, &three, NULL), 0);
    CHECK(sq_queue_value(queue, &key) == &one && sq_queue_value(queue, &third_key) == &three);
    CHECK_EQUAL(sq_queue_set_value(queue, NULL, &two, NULL), EINVAL);
    sq_queue_release(queue);
}

TEST(a_value_is_released_when_it_is_replaced_removed_or_the_queue_is_freed) {
    sq_queue_t *queue = make("values");
    int one = 0, two = 0, three = 0;
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &one, count), 0);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &two, count), 0);
    CHECK(one == 1 && two == 0);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, NULL, count), 0);
    CHECK(two == 1 && sq_queue_value(queue, &key) == NULL);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, NULL, count), 0);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &three, count), 0);
    CHECK_EQUAL(three, 0);
    sq_queue_release(queue);
    CHECK(one == 1 && two == 1 && three == 1);
}

static void bump(void *latch) { latch_bump(latch); }

static void check_not_bumped(void *latch) { CHECK_EQUAL(latch_value(latch), 0); }

TEST(the_last_value_is_released_after_all_tasks) {
    sq_queue_t *queue = make("values");
    latch_t freed = LATCH_INIT;
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &freed, bump), 0);
    for (int i = 0; i < 100; i += 1) {
        CHECK_EQUAL(sq_async(queue, check_not_bumped, &freed), 0);
    }
    sq_queue_release(queue);
    latch_wait(&freed, 1);
}

typedef struct seen {
    const void *key;
    void *value;
} seen_t;

static void look(void *context) {
    seen_t *seen = context;
    seen->value = sq_current_value(seen->key);
}

typedef struct nested {
    sq_queue_t *inner;
    seen_t seen;
} nested_t;

static void nest(void *context) {
    nested_t *nested = context;
    CHECK_EQUAL(sq_sync(nested->inner, look, &nested->seen), 0);
}

TEST(the_current_value_is_that_of_the_innermost_queue_that_has_one) {
    sq_queue_t *outer = make("outer");
    nested_t nested = { .inner = make("inner"), .seen = { .key = &key } };
    int of_outer = 0, of_inner = 0;
    CHECK_EQUAL(sq_queue_set_value(outer, &key, &of_outer, NULL), 0);
    look(&nested.seen);
    CHECK(nested.seen.value == NULL);
    CHECK_EQUAL(sq_sync(outer, nest, &nested), 0);
    CHECK(nested.seen.value == &of_outer);
    CHECK_EQUAL(sq_queue_set_value(nested.inner, &key, &of_inner, NULL), 0);
    CHECK_EQUAL(sq_sync(outer, nest, &nested), 0);
    CHECK(nested.seen.value == &of_inner);
    CHECK_EQUAL(sq_async(outer, nest, &nested), 0);
    drain(outer);
    CHECK(nested.seen.value == &of_inner);
    CHECK_EQUAL(sq_sync(nested.inner, look, &nested.seen), 0);
    look(&nested.seen);
    CHECK(nested.seen.value == NULL);
    sq_queue_release(outer);
    sq_queue_release(nested.inner);
}

/* An async task begins a chain: on a manual pool it may run on top of a task of another queue, whose values are not its own. */
TEST(a_task_that_runs_on_top_of_another_has_not_its_values) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *below = make("below"), *above = sq_queue_create("above", &options);
    seen_t seen = { .key = &key, .value = &seen };
    int value = 0;
    CHECK_EQUAL(sq_queue_set_value(below, &key, &value, NULL), 0);
    CHECK_EQUAL(sq_async(above, look, &seen), 0);
    nested_t nested = { .inner = above, .seen = { .key = &key } };
    CHECK_EQUAL(sq_sync(below, nest, &nested), 0);
    CHECK(seen.value == NULL);
    CHECK(nested.seen.value == &value);
    sq_queue_release(below);
    sq_queue_release(above);
    sq_pool_release(pool);
}

TEST(a_discard_function_has_the_values_of_its_queue) {
    sq_queue_t *queue = make("values");
    seen_t seen = { .key = &key };
    int value = 0;
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &value, NULL), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ .run = do_nothing, .context = &seen, .discard = look }), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK(seen.value == &value);
    CHECK(sq_queue_value(queue, &key) == &value);
    sq_queue_release(queue);
}

static void look_outside(void *seen) { CHECK(sq_current_value(((seen_t *)seen)->key) == NULL); }

TEST(a_discard_function_outside_of_tasks_has_no_values) {
    seen_t seen = { .key = &key };
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ .run = do_nothing, .context = &seen, .discard = look_outside });
    CHECK_EQUAL(sq_item_cancel(item), 0);
    sq_item_release(item);
}

/* As Swift takes a reference. */
TEST(a_reference_is_taken_to_a_value_that_there_is) {
    sq_queue_t *queue = make("values");
    int value = 0;
    CHECK_EQUAL(sq_queue_set_value(queue, &other_key, &value, NULL), 0);
    CHECK(sq__queue_value(queue, &key, count) == NULL);
    CHECK(sq__queue_value(queue, &other_key, count) == &value);
    CHECK_EQUAL(value, 1);
    sq_queue_release(queue);
}

TEST(without_memory_nothing_changes) {
    sq_queue_t *queue = make("values");
    int one = 0, two = 0;
    for (uint64_t nth = 1; nth <= 3; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        CHECK_EQUAL(sq_queue_set_value(queue, &key, &one, count), ENOMEM);
        CHECK_EQUAL(fail_nothing(), 1);
        CHECK(sq_queue_value(queue, &key) == NULL);
    }
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &one, count), 0);
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, &two, count), ENOMEM);
    fail_nothing();
    CHECK(sq_queue_value(queue, &key) == &one && one == 0 && two == 0);
    CHECK_EQUAL(sq_queue_set_value(queue, &key, NULL, NULL), 0);
    CHECK_EQUAL(one, 1);
    sq_queue_release(queue);
}

static void *set_and_get(void *context) {
    sq_queue_t *queue = context;
    static int values[64];
    for (int i = 0; i < 2000; i += 1) {
        CHECK_EQUAL(sq_queue_set_value(queue, &key, &values[i % 64], NULL), 0);
        CHECK(sq_queue_value(queue, &key) != NULL);
    }
    return NULL;
}

TEST(any_thread_may_set_and_get) {
    sq_queue_t *queue = make("values");
    pthread_t threads[3];
    for (int i = 0; i < 3; i += 1) {
        threads[i] = spawn(set_and_get, queue);
    }
    for (int i = 0; i < 3; i += 1) {
        join(threads[i]);
    }
    sq_queue_release(queue);
}
