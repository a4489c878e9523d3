/* pool_fork_test.c: forks of a process with pools and timers, from outside and from their tasks. fork_test.c has the queues. */
#include "include/sq_private.h"
#include "pool/ready.h"
#include "alarm/alarm_set.h"
#include "caller.h"
#include "child.h"
#include "latch.h"
#include "pool/pool.h"
#include "pool_lock.h"
#include "thread/self.h"
#include "pools.h"
#include "sq_barrier.h"

/* In the child the parent's pools run nothing, and can be released. A fork does not take their locks: another thread may hold one
 * at the fork, and then it stays locked in the child. Here the forking thread holds it, so that it is always locked. */
typedef struct house {
    sq_pool_t *pool;
    sq_queue_t *queue;
    int status;
} house_t;

static int use_parents(void *context) {
    house_t *house = context;
    int wrong = !CHECK_EQUAL(sq_pool_run(house->pool), 0);
    wrong += !CHECK_EQUAL(sq_pool_advance(house->pool, 1000), 0);
    wrong += !CHECK_EQUAL(sq_async(house->queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_async_after(house->queue, 0, must_not_run, NULL), ESTALE);
    sq_queue_release(house->queue);
    sq_pool_release(house->pool);
    return wrong;
}

static void check_parents(sq_pool_t *pool) {
    house_t house = { pool, queue_on(pool, "the parent's", 0), -1 };
    sq__mutex_lock(pool_lock_of(pool));
    CHECK_EQUAL(in_fork(use_parents, &house), 0);
    sq__mutex_unlock(pool_lock_of(pool));
    sq_queue_release(house.queue);
    sq_pool_release(pool);
}

TEST(a_pool_of_the_parent_runs_nothing_in_the_child_and_can_be_released) {
    if (!fork_left_out()) {
        check_parents(make_pool(0));
        check_parents(make_manual_pool());
    }
}

/* A task on a pool forks. Either the child waits in the task, for a queue of its own; or the task returns, and the child's only
 * thread has no pool to work for and ends, and the process with it. */
typedef struct forker {
    sq__pool_t *pool; /* whose locks are held at the fork, also that of its clock; NULL: none */
    bool returns;
    pid_t child;
    int status;
} forker_t;

static int wait_in_child(void) {
    sq_queue_t *queue = make_queue_of("the child's", 0);
    hold_t hold;
    hold_sync(&hold, queue);
    int error = sq_sync_until(queue, sq_deadline(2000000), must_not_run, NULL);
    bool good = CHECK_EQUAL(error, ETIMEDOUT);
    hold_end(&hold);
    sq_queue_release(queue);
    return good ? 0 : 1;
}

static void fork_here(void *context) {
    forker_t *forker = context;
    fflush(stdout);
    sq__alarms_t *clock = forker->pool != NULL ? sq__pool_clock(forker->pool) : NULL;
    if (clock != NULL) {
        sq__mutex_lock(&clock->lock);
    }
    if (forker->pool != NULL) {
        sq__mutex_lock(pool_lock_of(forker->pool));
    }
    forker->child = fork();
    REQUIRE(forker->child >= 0);
    if (forker->child == 0) {
        watchdog_watch("the child of a fork in a task of a pool");
        if (!forker->returns) {
            _exit(wait_in_child());
        }
        return;
    }
    if (forker->pool != NULL) {
        sq__mutex_unlock(pool_lock_of(forker->pool));
    }
    if (clock != NULL) {
        sq__mutex_unlock(&clock->lock);
    }
    while (waitpid(forker->child, &forker->status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
}

TEST(a_task_of_a_pool_can_fork_and_its_child_can_wait_or_return) {
    if (fork_left_out() || UNDER_ASAN) {
        return;
    }
    for (int returns = 0; returns < 2; returns += 1) {
        sq_pool_t *pool = make_pool(0);
        sq_queue_t *queue = queue_on(pool, "forking", 0);
        forker_t forker = { .pool = pool, .returns = returns, .status = -1 };
        CHECK_EQUAL(sq_async(queue, fork_here, &forker), 0);
        drain(queue);
        CHECK_EQUAL(forker.status, 0);
        sq_queue_release(queue);
        sq_pool_release(pool);
    }
}

/* The thread that runs a manual pool forks in a task: in the child its call returns, and runs nothing more. */
static int run_pool(sq_queue_t *queue, sq_pool_t *pool) {
    (void)queue;
    return sq_pool_run(pool) > 0 ? 0 : ENOENT;
}

static int wait_for_queue(sq_queue_t *queue, sq_pool_t *pool) {
    (void)pool;
    return sq_sync(queue, do_nothing, NULL);
}

static void run_in_parent(void *context) { CHECK_EQUAL(*(const pid_t *)context, getpid()); }

static void check_manual(int (*run)(sq_queue_t *, sq_pool_t *), int in_child) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "forking", 0), *other = queue_on(pool, "other", 0);
    forker_t forker = { .pool = pool, .returns = true, .child = -1, .status = -1 };
    pid_t parent = getpid();
    CHECK_EQUAL(sq_async(queue, fork_here, &forker), 0);
    CHECK_EQUAL(sq_async(queue, run_in_parent, &parent), 0);
    CHECK_EQUAL(sq_async(other, run_in_parent, &parent), 0);
    int error = run(queue, pool);
    if (forker.child == 0) {
        bool good = CHECK(sq__self()->frame == NULL); /* no task of the thread's is under way any more */
        _exit(CHECK_EQUAL(error, in_child) && good ? 0 : 1);
    }
    CHECK_EQUAL(error, 0);
    CHECK_EQUAL(forker.status, 0);
    sq_pool_run(pool);
    CHECK_EQUAL(stats_now(other).ran, 1);
    sq_queue_release(queue);
    sq_queue_release(other);
    sq_pool_release(pool);
}

TEST(a_task_of_a_manual_pool_can_fork_and_the_child_runs_nothing_more) {
    if (!fork_left_out()) {
        check_manual(run_pool, ENOENT);
        check_manual(wait_for_queue, ESTALE);
    }
}

/* The discard function of the delayed task that was submitted last is called first. */
TEST(a_discard_function_at_the_end_can_fork_and_the_child_calls_no_other) {
    if (fork_left_out()) {
        return;
    }
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = queue_on(pool, "forking", 0);
    forker_t forker = { .returns = true, .child = -1, .status = -1 };
    size_t discarded = 0;
    CHECK_EQUAL(sq_async_task_after(queue, 1000, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_async_task_after(queue, 1000, &(sq_task_t){ must_not_run, &forker, fork_here }), 0);
    int error = sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, FAR);
    if (forker.child == 0) {
        bool good = CHECK_EQUAL(discarded, 0);
        _exit(CHECK_EQUAL(error, ESTALE) && good ? 0 : 1);
    }
    CHECK_EQUAL(error, 0);
    CHECK_EQUAL(forker.status, 0);
    CHECK_EQUAL(discarded, 1);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* What is behind it may start as soon as it is admitted, or as soon as it ends. */
TEST(a_reader_can_fork_and_the_child_runs_nothing_that_is_behind_it) {
    if (fork_left_out()) {
        return;
    }
    for (int is_barrier = 0; is_barrier < 2; is_barrier += 1) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        sq_pool_t *pool = options.pool = sq_pool_create_manual("forking");
        REQUIRE(pool != NULL);
        options.width = SQ_WIDTH_POOL;
        sq_queue_t *queue = sq_queue_create("forking", &options);
        REQUIRE(queue != NULL);
        forker_t forker = { .pool = pool, .returns = true, .child = -1, .status = -1 };
        pid_t parent = getpid();
        CHECK_EQUAL(sq_async(queue, fork_here, &forker), 0);
        CHECK_EQUAL((is_barrier ? sq_async_barrier : sq_async)(queue, run_in_parent, &parent), 0);
        size_t ran = sq_pool_run(pool);
        if (forker.child == 0) {
            _exit(CHECK_EQUAL(ran, 1) ? 0 : 1);
        }
        CHECK_EQUAL(ran, 2);
        CHECK_EQUAL(forker.status, 0);
        sq_queue_release(queue);
        sq_pool_release(pool);
    }
}

TEST(a_firing_can_fork_and_its_child_can_return) {
    if (fork_left_out() || UNDER_ASAN) {
        return;
    }
    sq_queue_t *queue = make_queue_of("forking", 0);
    forker_t forker = { .returns = true, .status = -1 };
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ fork_here, &forker, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    while (stats_now(queue).ran == 0) {
        sched_yield();
    }
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    CHECK_EQUAL(forker.status, 0);
    sq_timer_release(timer);
    sq_queue_release(queue);
}

/* The shared pool, and pools that the child makes */

static sq_queue_t *try_queue_on(sq_pool_t *pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    return sq_queue_create("on a pool", &options);
}

static int use_pools_in_the_child(void *context) {
    house_t *house = context;
    int wrong = 0;
    size_t ran = 0;
    errno = 0;
    wrong += !CHECK(try_queue_on(house->pool) == NULL && errno == ESTALE);
    wrong += !CHECK_EQUAL(sq_async(house->queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_sync(house->queue, must_not_run, NULL), ESTALE); /* a task in the parent holds it */
    wrong += !CHECK_EQUAL(sq_pool_run(house->pool), 0);
    sq_pool_t *const pools[] = { sq_pool_shared(), make_pool(1) };
    wrong += !CHECK(sq_pool_shared() == pools[0]);
    wrong += !CHECK(!sq__pool_is_stale(pools[0]) && !sq__pool_is_stale(sq_pool_shared_of(SQ_SERVICE_UTILITY)));
    for (size_t i = 0; i < 2; i += 1) {
        sq_queue_t *queue = queue_on(pools[i], "on a pool", 0);
        wrong += !CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        wrong += !CHECK_EQUAL(sq_run_and_wait(queue, FAR, add_one, &ran), 0);
        wrong += !CHECK_EQUAL(ran, 2 * (i + 1));
        sq_queue_release(queue);
    }
    sq_pool_release(pools[1]);
    sq_queue_release(house->queue);
    sq_pool_release(house->pool);
    return wrong;
}

/* A task on a pool forks. The child is in the task, on what was a member: waits there do not use the parent's pool. Then the
 * task returns, and nothing is left to be done: the process ends. */
static void fork_in_a_task(void *context) {
    house_t *house = context;
    fflush(stdout);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        watchdog_watch("the child of a fork in a task on a pool");
        size_t ran = 0;
        sq_queue_t *own = sq_queue_create("own", NULL);
        bool good = CHECK(own != NULL) && CHECK_EQUAL(sq_run_and_wait(own, FAR, add_one, &ran), 0) && CHECK_EQUAL(ran, 1);
        sq_queue_release(own);
        sq_pool_release(house->pool); /* the last reference to a pool of the parent */
        if (!good) {
            _exit(1);
        }
        return;
    }
    while (waitpid(child, &house->status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
}

TEST(a_task_on_a_pool_can_fork_and_its_child_ends_with_the_task) {
    if (UNDER_TSAN || UNDER_ASAN) {
        note("left out: ThreadSanitizer cannot follow, AddressSanitizer's leak check runs in a child that lost the parent's stacks");
        return;
    }
    sq_pool_t *pool = make_pool(1);
    house_t house = { .pool = make_pool(1), .queue = queue_on(pool, "on a pool", 0), .status = -1 };
    CHECK_EQUAL(sq_run_and_wait(house.queue, SQ_FOREVER, fork_in_a_task, &house), 0);
    CHECK_EQUAL(house.status, 0);
    sq_queue_release(house.queue);
    sq_pool_release(house.pool);
    sq_pool_release(pool);
}

static int use_shared_pools(void) {
    int wrong = 0;
    for (sq_service_t service = SQ_SERVICE_DEFAULT; service <= SQ_SERVICE_BACKGROUND; service += 1) {
        wrong += !CHECK_EQUAL(sq__pool_service(sq_pool_shared_of(service)), service);
    }
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = 2;
    sq_queue_t *queue = sq_queue_create("concurrent", &options);
    size_t ran = 0;
    if (!CHECK(queue != NULL)) {
        return 1;
    }
    wrong += !CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(ran, 1);
    wrong += !CHECK_EQUAL(sq_queue_width(queue), 2);
    sq_queue_release(queue);
    options.width = SQ_WIDTH_POOL / 2 + 1; /* its lower half is 0 */
    REQUIRE((queue = sq_queue_create("wide", &options)) != NULL);
    wrong += !CHECK_EQUAL(sq_queue_width(queue), SQ_WIDTH_POOL);
    sq_queue_release(queue);
    return wrong == 0 ? 0 : 1;
}

/* In a process of its own, for the shared pools stay. */
int child_main(int count, char **words) {
    if (count > 0 && strcmp(words[0], "shared") == 0) {
        return use_shared_pools();
    }
    house_t house = { .pool = sq_pool_shared() };
    REQUIRE(sq_pool_shared_of(SQ_SERVICE_UTILITY) != NULL);
    house.queue = queue_on(house.pool, "on a pool", 0);
    hold_t hold;
    hold_async(&hold, house.queue);
    int status = in_fork(use_pools_in_the_child, &house);
    status |= sq_pool_shared() == house.pool ? 0 : 1; /* the parent keeps its own */
    hold_end(&hold);
    sq_pool_t *own = make_pool(2);
    house_t second = { .pool = own, .queue = queue_on(own, "on a pool", 0) };
    hold_async(&hold, second.queue);
    status |= in_fork(use_pools_in_the_child, &second);
    hold_end(&hold);
    drain(second.queue);
    sq_queue_release(second.queue);
    sq_pool_release(own);
    drain(house.queue);
    sq_queue_release(house.queue);
    return status == 0 ? 0 : 1;
}

TEST(in_the_child_of_a_fork_old_pools_refuse_and_new_ones_and_the_shared_one_work) {
    if (UNDER_TSAN) {
        note("left out: ThreadSanitizer does not support threads after a fork of a process with threads");
        return;
    }
    CHECK_EQUAL(run_child((const char *const[]){ "fork", NULL }), 0);
}

TEST(each_shared_pool_has_its_class_and_a_concurrent_queue_without_a_pool_is_on_one) {
    CHECK_EQUAL(run_child((const char *const[]){ "shared", NULL }), 0);
}
