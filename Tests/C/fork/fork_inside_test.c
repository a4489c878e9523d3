/* fork_inside_test.c: forks in a task, and while other threads are inside the library. ThreadSanitizer cannot follow a process
 * with threads through a fork: nothing is tested there. */
#include "fork.h"

#include "include/sq_private.h"
#include "sq_await.h"
#include "sq_group.h"
#include "sq_semaphore.h"

/* A fork from inside a task: the child is in the task. */
typedef struct inside {
    sq_queue_t *queue;
    bool returns; /* the child comes back from the task, and out of the library */
    int status;
} inside_t;

static int ask_own(void *context) {
    inside_t *inside = context;
    int wrong = !CHECK(sq_current_queue() == inside->queue);
    wrong += !CHECK_EQUAL(sq_sync(inside->queue, must_not_run, NULL), EDEADLK);
    size_t ran = 0;
    wrong += !CHECK_EQUAL(sq_sync_or_run(inside->queue, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(ran, 1);
    int error = sq_async(inside->queue, must_not_run, NULL);
    wrong += !CHECK_EQUAL(error, ESTALE);
    return wrong + use_new_queues(NULL);
}

static void fork_inside(void *context) {
    inside_t *inside = context;
    if (!inside->returns) {
        inside->status = in_fork(ask_own, inside);
        return;
    }
    fork_and_return(&inside->status);
}

TEST(a_task_can_fork_and_its_child_is_in_the_task) {
    if (fork_left_out()) {
        return;
    }
    inside_t inside = { make_queue_of("forking", 0), false, -2 };
    CHECK_EQUAL(sq_async(inside.queue, fork_inside, &inside), 0);
    drain(inside.queue);
    CHECK_EQUAL(inside.status, 0);
    inside.status = -2;
    CHECK_EQUAL(sq_sync(inside.queue, fork_inside, &inside), 0);
    CHECK_EQUAL(inside.status, 0);
    sq_queue_release(inside.queue);
}

TEST(a_child_that_returns_from_a_sync_task_continues) {
    if (fork_left_out()) {
        return;
    }
    inside_t inside = { make_queue_of("forking", 0), true, -2 };
    CHECK_EQUAL(sq_sync(inside.queue, fork_inside, &inside), 0);
    if (inside.status == -1) { /* the child */
        size_t ran = 0;
        int error = sq_sync(inside.queue, add_one, &ran);
        bool good = CHECK(error == 0 || error == ESTALE);
        sq_queue_release(inside.queue);
        _exit(good && use_new_queues(NULL) == 0 ? 0 : 1);
    }
    CHECK_EQUAL(inside.status, 0);
    drain(inside.queue);
    sq_queue_release(inside.queue);
}

/* The child's only thread is the copy of the queue's thread, and has no work: the process ends. */
TEST(a_child_that_returns_from_an_async_task_ends) {
    if (fork_left_out()) {
        return;
    }
    if (UNDER_ASAN) {
        note("left out: LeakSanitizer misses the stacks of the parent's other threads");
        return;
    }
    inside_t inside = { make_queue_of("forking", 0), true, -2 };
    CHECK_EQUAL(sq_async(inside.queue, fork_inside, &inside), 0);
    drain(inside.queue);
    CHECK(WIFEXITED(inside.status));
    sq_queue_release(inside.queue);
}

/* A shutdown discards a delayed task, whose function forks. The child comes back out of sq_shutdown: what awaits the end of the queue is the
 * parent's. */
typedef struct awaited_end {
    sq_await_t await;
    int status, ended;
} awaited_end_t;

static void fork_discarded(void *context) { fork_and_return(&((awaited_end_t *)context)->status); }

static void count_end(sq_await_t *await) { ((awaited_end_t *)(void *)await)->ended += 1; }

TEST(a_child_that_returns_from_a_discarded_delayed_task_does_not_end_the_queue) {
    if (fork_left_out()) {
        return;
    }
    sq_pool_t *pool = sq_pool_create_manual("manual");
    REQUIRE(pool != NULL);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create("ending", &options);
    REQUIRE(queue != NULL);
    awaited_end_t ending = { .await = { .ended = count_end }, .status = -2 };
    sq_task_t task = { .run = must_not_run, .discard = fork_discarded, .context = &ending };
    CHECK_EQUAL(sq_async_task_after(queue, 3600ull * 1000000000, &task), 0);
    CHECK_EQUAL(sq__end_await(queue, &ending.await), EINPROGRESS);
    int error = sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
    if (ending.status == -1) { /* the child */
        _exit(CHECK_EQUAL(error, ESTALE) ? ending.ended : 2);
    }
    CHECK_EQUAL(error, 0);
    CHECK_EQUAL(ending.status, 0);
    CHECK_EQUAL(ending.ended, 1);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

static void fork_ended(sq_await_t *await) { fork_and_return(&((awaited_end_t *)(void *)await)->status); }

/* Two awaits end together, and the function of the first one forks: the second one is the parent's. The child's own are called. */
TEST(a_child_that_returns_from_the_function_of_an_await_ends_its_own_awaits_alone) {
    if (fork_left_out()) {
        return;
    }
    awaited_end_t first = { .await = { .ended = fork_ended }, .status = -2 }, second = { .await = { .ended = count_end } };
    sq_group_t *group = sq_group_create("group");
    REQUIRE(group != NULL);
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_await(group, &first.await), EINPROGRESS);
    CHECK_EQUAL(sq_group_await(group, &second.await), EINPROGRESS);
    CHECK_EQUAL(sq_group_leave(group), 0);
    if (first.status == -1) { /* the child */
        awaited_end_t own = { .await = { .ended = count_end } };
        sq_semaphore_t *semaphore = sq_semaphore_create("semaphore", 0);
        int wrong = !CHECK_EQUAL(sq_semaphore_await(semaphore, &own.await), EINPROGRESS);
        wrong += !CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
        wrong += !CHECK_EQUAL(own.ended, 1);
        sq_semaphore_release(semaphore);
        _exit(wrong + second.ended);
    }
    CHECK_EQUAL(first.status, 0);
    CHECK_EQUAL(second.ended, 1);
    sq_group_release(group);
}

/* A fork at any moment: the library's locks are held, tokens lie on its list, waits begin and end. */
typedef struct bustle {
    sq_queue_t *queues[2];
    atomic_bool over;
    atomic_size_t number;
} bustle_t;

static void nest(void *context) {
    bustle_t *bustle = context;
    CHECK_EQUAL(sq_sync(bustle->queues[1], do_nothing, NULL), 0);
}

static void *bustle_about(void *argument) {
    bustle_t *bustle = argument;
    random_stream_t random = random_start(100 + atomic_fetch_add(&bustle->number, 1));
    while (!bustle->over) {
        switch (random_below(&random, 5)) {
        case 0: CHECK_EQUAL(sq_sync(bustle->queues[0], nest, bustle), 0); break;
        case 1: WHATEVER(sq_sync_until(bustle->queues[0], sq_deadline(random_below(&random, 20000)), do_nothing, NULL)); break;
        case 2: CHECK_EQUAL(sq_async_until(bustle->queues[1], SQ_FOREVER, &(sq_task_t){ do_nothing, NULL, NULL }), 0); break;
        case 3: CHECK_EQUAL(sq_suspend(bustle->queues[1]), 0); CHECK_EQUAL(sq_resume(bustle->queues[1]), 0); break;
        default: {
            sq_queue_t *queue = make_queue_of("short-lived", 1);
            CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, do_nothing, NULL), 0);
            CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
            sq_queue_release(queue);
        }
        }
    }
    return NULL;
}

static int use_old_and_new(void *context) {
    bustle_t *bustle = context;
    for (int i = 0; i < 2; i += 1) {
        int error = sq_sync(bustle->queues[i], do_nothing, NULL);
        if (!CHECK(error == 0 || error == ESTALE)) {
            return 1;
        }
        sq_queue_release(bustle->queues[i]); /* the last reference, as the child sees it */
    }
    return use_new_queues(NULL);
}

TEST(a_fork_while_other_threads_are_inside_the_library_leaves_the_child_a_library_that_works) {
    enum { THREADS = 3 };
    if (fork_left_out()) {
        return;
    }
    if (UNDER_ASAN) {
        note("left out: AddressSanitizer's own allocator may be locked in the child");
        return;
    }
    bustle_t bustle = { .queues = { make_queue_of("0", 0), make_queue_of("1", 4) } };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(bustle_about, &bustle);
    }
    for (int i = 0; i < 200; i += 1) {
        if (!CHECK_EQUAL(in_fork(use_old_and_new, &bustle), 0)) {
            break;
        }
    }
    bustle.over = true;
    for (int i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    for (int i = 0; i < 2; i += 1) {
        drain(bustle.queues[i]);
        sq_queue_release(bustle.queues[i]);
    }
}
