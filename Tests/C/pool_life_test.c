/* pool_life_test.c: pools and their queues come and go: releases, shutdowns, suspensions, forks, handles that are refused. */
#include "caller.h"
#include "child.h"
#include "inject.h"
#include "sq_pool.h"
#include "pools.h"

static sq_queue_t *try_queue_on(sq_pool_t *pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    return sq_queue_create("on a pool", &options);
}

/* Releases. That threads and memory are gone is seen by the harness. */

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
    int status;
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
        CHECK_EQUAL(stack, asked);
    }
    CHECK_EQUAL(sq_pool_run(pool), 0);
    CHECK_EQUAL(sq_pool_advance(pool, 1000), 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* Forks */

static int use_pools_in_the_child(void *context) {
    estate_t *estate = context;
    int wrong = 0;
    size_t ran = 0;
    errno = 0;
    wrong += !CHECK(try_queue_on(estate->pool) == NULL && errno == ESTALE);
    wrong += !CHECK_EQUAL(sq_async(estate->queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_sync(estate->queue, must_not_run, NULL), ESTALE); /* a task in the parent holds it */
    wrong += !CHECK_EQUAL(sq_pool_run(estate->pool), 0);
    sq_pool_t *const pools[] = { sq_pool_shared(), make_pool(1) };
    wrong += !CHECK(sq_pool_shared() == pools[0]);
    for (size_t i = 0; i < 2; i += 1) {
        sq_queue_t *queue = queue_on(pools[i], "on a pool", 0);
        wrong += !CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        wrong += !CHECK_EQUAL(sq_run_and_wait(queue, FAR, add_one, &ran), 0);
        wrong += !CHECK_EQUAL(ran, 2 * (i + 1));
        sq_queue_release(queue);
    }
    sq_pool_release(pools[1]);
    sq_queue_release(estate->queue);
    sq_pool_release(estate->pool);
    return wrong;
}

/* A task on a pool forks. The child is in the task, on what was a member: waits there leave the parent's pool alone. Then the
 * task returns, and nothing is left to be done: the process ends. */
static void fork_in_a_task(void *context) {
    estate_t *estate = context;
    fflush(stdout);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        watchdog_watch("the child of a fork in a task on a pool");
        size_t ran = 0;
        sq_queue_t *own = sq_queue_create("own", NULL);
        bool good = CHECK(own != NULL) && CHECK_EQUAL(sq_run_and_wait(own, FAR, add_one, &ran), 0) && CHECK_EQUAL(ran, 1);
        sq_queue_release(own);
        sq_pool_release(estate->pool); /* the last reference to a pool of the parent */
        if (!good) {
            _exit(1);
        }
        return;
    }
    while (waitpid(child, &estate->status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
}

TEST(a_task_on_a_pool_can_fork_and_its_child_ends_with_the_task) {
    if (UNDER_TSAN || UNDER_ASAN) {
        note("left out: ThreadSanitizer cannot follow, AddressSanitizer's leak check runs in a child that lost the parent's stacks");
        return;
    }
    sq_pool_t *pool = make_pool(1);
    estate_t estate = { .pool = make_pool(1), .queue = queue_on(pool, "on a pool", 0), .status = -1 };
    CHECK_EQUAL(sq_run_and_wait(estate.queue, SQ_FOREVER, fork_in_a_task, &estate), 0);
    CHECK_EQUAL(estate.status, 0);
    sq_queue_release(estate.queue);
    sq_pool_release(estate.pool);
    sq_pool_release(pool);
}

/* In a process of its own, for the shared pool stays. */
int child_main(int count, char **words) {
    (void)count;
    (void)words;
    estate_t estate = { .pool = sq_pool_shared() };
    estate.queue = queue_on(estate.pool, "on a pool", 0);
    hold_t hold;
    hold_async(&hold, estate.queue);
    int status = in_fork(use_pools_in_the_child, &estate);
    hold_end(&hold);
    sq_pool_t *own = make_pool(2);
    estate_t second = { .pool = own, .queue = queue_on(own, "on a pool", 0) };
    hold_async(&hold, second.queue);
    status |= in_fork(use_pools_in_the_child, &second);
    hold_end(&hold);
    drain(second.queue);
    sq_queue_release(second.queue);
    sq_pool_release(own);
    drain(estate.queue);
    sq_queue_release(estate.queue);
    return status == 0 ? 0 : 1;
}

TEST(in_the_child_of_a_fork_old_pools_refuse_and_new_ones_and_the_shared_one_work) {
    if (UNDER_TSAN) {
        note("left out: ThreadSanitizer does not support threads after a fork of a process with threads");
        return;
    }
    CHECK_EQUAL(run_child((const char *const[]){ "fork", NULL }), 0);
}
