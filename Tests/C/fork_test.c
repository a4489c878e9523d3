/* fork_test.c: the child of a fork has the queues and none of the threads: the old ones answer, the new ones work, nothing
 * hangs. ThreadSanitizer cannot follow a process with threads through a fork: nothing is tested there. */
#include "caller.h"
#include "child.h"
#include "inject.h"

/* Every call, on an old queue, in the child. `free`: a sync can have it. Returns how many answers were wrong. */
static int ask_everything(sq_queue_t *queue, bool is_free) {
    const sq_task_t never = { must_not_run, NULL, must_not_run };
    int wrong = 0, expected = is_free ? 0 : ESTALE;
    size_t ran = 0, had = is_free ? 1 : 0;
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    wrong += !CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_async_task(queue, &never), ESTALE);
    wrong += !CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &never), ESTALE);
    wrong += !CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_sync(queue, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(sq_sync_or_run(queue, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(sq_sync_until(queue, SQ_FOREVER, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(ran, 4 * had);
    wrong += !CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), ESTALE);
    wrong += !CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), ESTALE);
    wrong += !CHECK(!sq_is_current(queue));
    wrong += !CHECK(sq_queue_label(queue) != NULL);
    sq_queue_stats(queue, &stats);
    sq_queue_depth(queue);
    sq_queue_release(sq_queue_retain(queue));
    sq_suspend(queue); /* whatever they answer */
    sq_resume(queue);
    int after = sq_sync_until(queue, SQ_FOREVER, do_nothing, NULL);
    wrong += !CHECK(after == 0 || after == ESTALE);
    sq_queue_release(queue);
    return wrong;
}

static int ask_free(void *queue) { return ask_everything(queue, true); }
static int ask_busy(void *queue) { return ask_everything(queue, false); }

TEST(in_the_child_a_free_queue_takes_syncs_and_refuses_the_rest) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *unused = make_queue_of("unused", 0), *bounded = make_queue_of("bounded", 3), *used = make_queue_of("used", 0);
    CHECK_EQUAL(sq_async(used, do_nothing, NULL), 0);
    drain(used);
    while (sq_sync_until(used, SQ_NOW, do_nothing, NULL) != 0) { /* the runner lingers a while */
    }
    CHECK_EQUAL(in_fork(ask_free, unused), 0);
    CHECK_EQUAL(in_fork(ask_free, bounded), 0);
    CHECK_EQUAL(in_fork(ask_free, used), 0);
    sq_queue_t *const queues[] = { unused, bounded, used };
    for (int i = 0; i < 3; i += 1) { /* and nothing has come of it in the parent */
        size_t ran = 0;
        CHECK_EQUAL(sq_async(queues[i], add_one, &ran), 0);
        drain(queues[i]);
        CHECK_EQUAL(ran, 1);
        sq_queue_release(queues[i]);
    }
}

static void check_held(void (*hold_by)(hold_t *, sq_queue_t *), size_t capacity, size_t backlog) {
    sq_queue_t *queue = make_queue_of("held", capacity);
    size_t ran = 0;
    hold_t hold;
    caller_t callers[2];
    hold_by(&hold, queue);
    for (size_t i = 0; i < backlog; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    }
    caller_start(&callers[0], BY_SYNC, queue, SQ_FOREVER, add_one, &ran);
    caller_start(&callers[1], BY_CALL, queue, SQ_FOREVER, add_one, &ran);
    wait_for_depth(queue, backlog + 2);
    CHECK_EQUAL(in_fork(ask_busy, queue), 0);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&callers[0]), 0);
    CHECK_EQUAL(caller_end(&callers[1]), 0);
    drain(queue);
    CHECK_EQUAL(ran, backlog + 2);
    sq_queue_release(queue);
}

/* To see it fail: in sq__baton_pass or sync_in_turn, do not ask whether the queue is stale (the watchdog barks). */
TEST(in_the_child_a_queue_that_another_thread_holds_refuses_and_never_hangs) {
    if (fork_left_out()) {
        return;
    }
    check_held(hold_async, 0, 0);
    check_held(hold_async, 0, 300);
    check_held(hold_async, 5, 5);
    check_held(hold_sync, 0, 0);
    check_held(hold_sync, 0, 300);
}

TEST(in_the_child_a_suspended_queue_refuses_and_never_hangs) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("suspended", 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(in_fork(ask_busy, queue), 0);
    for (int i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    }
    CHECK_EQUAL(in_fork(ask_busy, queue), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK_EQUAL(ran, 10);
    sq_queue_release(queue);
}

static int ask_ended(void *context) {
    sq_queue_t *queue = context;
    int wrong = 0, error = sq_sync(queue, must_not_run, NULL);
    wrong += !CHECK(error == ESTALE || error == ESHUTDOWN);
    error = sq_async(queue, must_not_run, NULL);
    wrong += !CHECK(error == ESTALE || error == ESHUTDOWN);
    wrong += !CHECK(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) != EDEADLK);
    sq_queue_release(queue);
    return wrong;
}

TEST(in_the_child_a_queue_that_was_shut_down_refuses) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("ended", 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(in_fork(ask_ended, queue), 0);
    sq_queue_release(queue);
}

/* New queues in the child: everything once, threads and waits included. */
typedef struct cross {
    sq_queue_t *mine, *yours;
    latch_t *holding;
    int error;
} cross_t;

static void cross_over(void *context) {
    cross_t *cross = context;
    latch_bump(cross->holding);
    latch_wait(cross->holding, 2);
    cross->error = sq_sync(cross->yours, do_nothing, NULL);
}

static void *hold_and_cross(void *argument) {
    cross_t *cross = argument;
    CHECK_EQUAL(sq_sync(cross->mine, cross_over, cross), 0);
    return NULL;
}

static int use_new_queues(void *context) {
    (void)context;
    int wrong = 0;
    size_t ran = 0;
    sq_queue_t *a = make_queue_of("a", 0), *b = make_queue_of("b", 3);
    hold_t hold;
    hold_async(&hold, a);
    for (int i = 0; i < 300; i += 1) {
        wrong += !CHECK_EQUAL(sq_async(a, add_one, &ran), 0);
    }
    wrong += !CHECK_EQUAL(sq_sync_until(a, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    hold_end(&hold);
    wrong += !CHECK_EQUAL(sq_run_and_wait(a, SQ_FOREVER, add_one, &ran), 0);
    for (int i = 0; i < 50; i += 1) {
        wrong += !CHECK_EQUAL(sq_async_until(b, SQ_FOREVER, &(sq_task_t){ do_nothing, NULL, NULL }), 0);
    }
    latch_t holding = LATCH_INIT;
    cross_t crosses[2] = { { a, b, &holding, -1 }, { b, a, &holding, -1 } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i += 1) {
        threads[i] = spawn(hold_and_cross, &crosses[i]);
    }
    for (int i = 0; i < 2; i += 1) {
        join(threads[i]);
    }
    wrong += !CHECK_EQUAL((crosses[0].error == EDEADLK) + (crosses[1].error == EDEADLK), 1);
    wrong += !CHECK_EQUAL((crosses[0].error == 0) + (crosses[1].error == 0), 1);
    wrong += !CHECK_EQUAL(sq_suspend(a), 0);
    wrong += !CHECK_EQUAL(sq_resume(a), 0);
    wrong += !CHECK_EQUAL(sq_shutdown(a, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(sq_shutdown(b, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(ran, 301);
    sq_queue_release(a);
    sq_queue_release(b);
    return wrong;
}

TEST(in_the_child_new_queues_work) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("parent's", 0);
    hold_t hold;
    hold_async(&hold, queue);
    for (int i = 0; i < 20; i += 1) {
        CHECK_EQUAL(in_fork(use_new_queues, NULL), 0);
    }
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
}

static int fork_again(void *context) {
    sq_queue_t *mine = make_queue_of("child's", 0);
    int wrong = !CHECK_EQUAL(sq_async(mine, do_nothing, NULL), 0);
    hold_t hold;
    hold_async(&hold, mine);
    wrong += in_fork(ask_busy, mine) != 0;
    hold_end(&hold);
    wrong += in_fork(use_new_queues, NULL) != 0;
    wrong += !CHECK_EQUAL(sq_shutdown(mine, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(mine);
    return wrong + ask_everything(context, true);
}

TEST(the_child_of_a_child_is_one_more) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("grandparent's", 0);
    CHECK_EQUAL(in_fork(fork_again, queue), 0);
    drain(queue);
    sq_queue_release(queue);
}

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

TEST(a_child_that_returns_from_a_sync_task_goes_on) {
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

/* The child's only thread is the copy of the queue's own, and has nothing left to do: the process ends. */
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
        case 1: sq_sync_until(bustle->queues[0], sq_deadline(random_below(&random, 20000)), do_nothing, NULL); break;
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

/* To see it fail: in fork.c, do not take the token list's lock around the fork, or the lock of the waits (a hang, at times). */
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
