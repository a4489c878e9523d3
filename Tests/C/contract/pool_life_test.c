/* pool_life_test.c: pools and their queues come and go: releases, shutdowns, suspensions, options that are refused.
 * pool_fork_test.c has the forks. */
#include "caller.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_pool.h"
#include "pools.h"

/* Releases. The harness checks that no thread and no memory is left. */

TEST(a_pool_that_is_never_used_goes_with_its_release) {
    for (size_t i = 0; i < 100; i += 1) {
        sq_pool_release(make_pool(1 + i % 3));
        let_threads_end(8);
    }
    sq_pool_t *pool = make_pool(0);
    CHECK(sq_pool_retain(pool) == pool);
    sq_pool_release(pool);
    sq_pool_release(pool);
    sq_pool_release(NULL);
}

TEST(a_pool_outlives_its_release_while_it_has_queues) {
    for (size_t i = 0; i < 200; i += 1) {
        size_t ran = 0;
        sq_pool_t *pool = make_pool(1 + i % 2);
        sq_queue_t *first = queue_on(pool, "on a pool", 0), *second = queue_on(pool, "on a pool", 0);
        CHECK_EQUAL(sq_async(first, add_one, &ran), 0);
        sq_pool_release(pool);
        CHECK_EQUAL(sq_async(first, add_one, &ran), 0);
        CHECK_EQUAL(sq_async(second, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_sync(first, add_one, &ran), 0);
        CHECK_EQUAL(ran, 3);
        sq_queue_release(second);
        sq_queue_release(first);
        let_threads_end(8);
    }
}

TEST(a_group_and_an_item_do_not_keep_the_pool_that_ran_their_tasks) {
    long before = threads_alive();
    size_t ran = 0;
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queue = queue_on(pool, "on a pool", 0);
    sq_group_t *group = sq_group_create("group");
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ add_one, &ran, NULL });
    REQUIRE(group != NULL && item != NULL);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
    let_threads_end(before);
    CHECK_AT_MOST(threads_alive(), before);
    CHECK_EQUAL(ran, 2);
    sq_group_release(group);
    sq_item_release(item);
}

TEST(accepted_tasks_run_after_the_last_release_of_queue_and_pool) {
    latch_t ran = LATCH_INIT;
    for (size_t i = 1; i <= 200; i += 1) {
        sq_pool_t *pool = make_pool(1);
        sq_queue_t *queue = queue_on(pool, "on a pool", 0);
        for (size_t task = 0; task < 5; task += 1) {
            CHECK_EQUAL(sq_async(queue, (sq_function_t)latch_bump, &ran), 0);
        }
        sq_queue_release(queue);
        sq_pool_release(pool);
        latch_wait(&ran, 5 * i);
        let_threads_end(8);
    }
}

typedef struct estate {
    sq_pool_t *pool;
    sq_queue_t *queue, *other;
    latch_t gone;
} estate_t;

static void give_all_up(void *context) {
    estate_t *estate = context;
    sq_pool_release(estate->pool);
    sq_queue_release(estate->queue);
    sq_queue_release(estate->other);
    latch_bump(&estate->gone);
}

TEST(a_task_can_release_the_last_references_to_its_queue_and_its_pool) {
    for (size_t i = 0; i < 200; i += 1) {
        estate_t estate = { .pool = make_pool(1 + i % 2), .gone = LATCH_INIT };
        estate.queue = queue_on(estate.pool, "on a pool", 0);
        estate.other = queue_on(estate.pool, "on a pool", 0);
        CHECK_EQUAL(sq_async(estate.other, do_nothing, NULL), 0);
        sq_queue_t *queue = estate.queue;
        CHECK_EQUAL(i % 3 ? sq_async(queue, give_all_up, &estate) : sq_sync(queue, give_all_up, &estate), 0);
        latch_wait(&estate.gone, 1);
        let_threads_end(8);
    }
}

static void *release_queue(void *queue) {
    sq_queue_release(queue);
    return NULL;
}

TEST(queues_and_pool_are_released_from_many_threads_at_once) {
    for (size_t i = 0; i < 100; i += 1) {
        sq_pool_t *pool = make_pool(2);
        pthread_t threads[4];
        for (size_t t = 0; t < 4; t += 1) {
            sq_queue_t *queue = queue_on(pool, "on a pool", 0);
            CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
            threads[t] = spawn(release_queue, queue);
        }
        sq_pool_release(pool);
        for (size_t t = 0; t < 4; t += 1) {
            join(threads[t]);
        }
        let_threads_end(8);
    }
}

/* Shutdown and suspension */

TEST(queues_on_a_pool_are_shut_down_one_by_one) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *drained = queue_on(pool, "on a pool", 0), *discarded = queue_on(pool, "on a pool", 0), *continuing = queue_on(pool, "on a pool", 0);
    hold_t hold;
    size_t ran = 0, lost = 0, on = 0;
    hold_async(&hold, continuing); /* all wait for the one thread */
    for (size_t i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_async(drained, add_one, &ran), 0);
        CHECK_EQUAL(sq_async_task(discarded, &(sq_task_t){ must_not_run, &lost, add_one }), 0);
    }
    CHECK_EQUAL(sq_shutdown(drained, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_shutdown(discarded, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_async(drained, must_not_run, NULL), ESHUTDOWN);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(drained, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_shutdown(discarded, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 10);
    CHECK_EQUAL(lost, 10);
    check_outcomes(drained, 10, 0, 0, 1);
    check_outcomes(discarded, 0, 10, 0, 0);
    CHECK_EQUAL(sq_run_and_wait(continuing, SQ_FOREVER, add_one, &on), 0);
    CHECK_EQUAL(on, 1);
    sq_queue_release(drained);
    sq_queue_release(discarded);
    sq_queue_release(continuing);
    sq_pool_release(pool);
}

TEST(a_suspended_queue_on_a_pool_does_not_hold_up_the_others) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *suspended = queue_on(pool, "on a pool", 0), *other = queue_on(pool, "on a pool", 0);
    size_t held = 0, ran = 0, lost = 0;
    CHECK_EQUAL(sq_suspend(suspended), 0);
    for (size_t i = 0; i < 300; i += 1) {
        CHECK_EQUAL(sq_async(suspended, add_one, &held), 0);
        CHECK_EQUAL(sq_async(other, add_one, &ran), 0);
    }
    drain(other);
    CHECK_EQUAL(ran, 300);
    CHECK_EQUAL(sq_queue_depth(suspended), 300);
    CHECK_EQUAL(sq_resume(suspended), 0);
    drain(suspended);
    CHECK_EQUAL(held, 300);
    CHECK_EQUAL(sq_suspend(suspended), 0);
    CHECK_EQUAL(sq_async_task(suspended, &(sq_task_t){ must_not_run, &lost, add_one }), 0);
    sq_queue_release(suspended);
    drain(other); /* one thread, in turns: the discard came before */
    CHECK_EQUAL(sq_run_and_wait(other, SQ_FOREVER, do_nothing, NULL), 0);
    CHECK_EQUAL(lost, 1);
    sq_queue_release(other);
    sq_pool_release(pool);
}

/* What is refused */

TEST(options_that_make_no_pool_are_EINVAL) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.size -= 1;
    errno = 0;
    CHECK(sq_pool_create("wrong", &options) == NULL && errno == EINVAL);
    options = (sq_pool_options_t)SQ_POOL_OPTIONS_INIT;
    options.stack_size = 1;
    errno = 0;
    CHECK(sq_pool_create("wrong", &options) == NULL && errno == EINVAL);
    options.stack_size = SIZE_MAX / 2; /* the system would say that it has no room */
    errno = 0;
    CHECK(sq_pool_create("wrong", &options) == NULL && errno == EINVAL);
    options = (sq_pool_options_t)SQ_POOL_OPTIONS_INIT;
    options.threads = SIZE_MAX;
    errno = 0;
    CHECK(sq_pool_create("wrong", &options) == NULL && errno == EINVAL);
    options = (sq_pool_options_t)SQ_POOL_OPTIONS_INIT;
    options.service = SQ_SERVICE_BACKGROUND + 1;
    errno = 0;
    CHECK(sq_pool_create("wrong", &options) == NULL && errno == EINVAL);
    errno = 0;
    CHECK(sq_pool_shared_of(SQ_SERVICE_BACKGROUND + 1) == NULL && errno == EINVAL);
}

static void read_name(void *name) { CHECK_EQUAL(pthread_getname_np(pthread_self(), name, 16), 0); }

TEST(the_threads_of_a_pool_have_its_label) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queue = queue_on(pool, "on a pool", 0);
    char name[16] = "";
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, read_name, name), 0);
    CHECK(strcmp(name, "test pool") == 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

static void measure_stack(void *context) {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, context);
    pthread_attr_destroy(&attributes);
}

/* Much more than the default: less may be served from the C library's cache of larger stacks. */
static size_t large_stack(void) {
    pthread_attr_t attributes;
    size_t usual = 0;
    REQUIRE(pthread_getattr_default_np(&attributes) == 0);
    pthread_attr_getstacksize(&attributes, &usual);
    pthread_attr_destroy(&attributes);
    return usual + (32 << 20);
}

TEST(a_pool_without_a_label_and_with_a_stack_of_its_own_works) {
    size_t asked = large_stack();
    sq_pool_options_t options = { sizeof options, 1, asked, SQ_SERVICE_DEFAULT };
    sq_pool_t *pool = sq_pool_create(NULL, &options);
    REQUIRE(pool != NULL);
    sq_queue_t *queue = queue_on(pool, "on a pool", 0);
    size_t stack = 0;
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, measure_stack, &stack), 0);
    if (!SANITIZED) {
        CHECK(stack >= asked); /* musl counts what it adds */
        CHECK_AT_MOST(stack, asked + 65536);
    }
    CHECK_EQUAL(sq_pool_run(pool), 0);
    CHECK_EQUAL(sq_pool_advance(pool, 1000), 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
}
