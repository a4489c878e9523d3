/* apply_nested_test.c: sq_apply inside itself, inside tasks, in many threads; deadlocks, forks, and iterations that do not return. */
#include "apply.h"
#include "child.h"

enum { OUTER = 20, INNER = 30 };

typedef struct nest {
    sq_pool_t *pool;
    atomic_size_t ran;
    size_t depth;
} nest_t;

static void iterate_nested(void *context, size_t index) {
    nest_t *nest = context;
    (void)index;
    if (nest->depth > 1) {
        nest_t inner = { nest->pool, 0, nest->depth - 1 };
        CHECK_EQUAL(sq_apply(nest->pool, INNER, iterate_nested, &inner), 0);
        nest->ran += inner.ran;
    } else {
        nest->ran += 1;
    }
}

static void nest(void *context) {
    sq_pool_t *pool = context;
    nest_t outer = { pool, 0, 3 };
    CHECK_EQUAL(sq_apply(pool, OUTER, iterate_nested, &outer), 0);
    CHECK_EQUAL(outer.ran, OUTER * INNER * INNER);
}

TEST(nested_loops_end_on_every_pool) {
    for (size_t threads = 0; threads <= 3; threads += 1) {
        sq_pool_t *pool = threads > 0 ? make_pool(threads) : make_manual_pool();
        nest(pool);
        sq_pool_release(pool);
    }
}

TEST(nested_loops_end_in_tasks_that_fill_the_pool) {
    enum { QUEUES = 4 };
    sq_pool_t *pool = make_pool(2);
    sq_queue_t *queues[QUEUES];
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = queue_on(pool, "task", 0);
        CHECK_EQUAL(sq_async(queues[i], nest, pool), 0);
    }
    for (int i = 0; i < QUEUES; i += 1) {
        CHECK_EQUAL(sq_shutdown(queues[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
}

/* Many short loops: members come too late for most of them (AddressSanitizer, ThreadSanitizer). */
static void *apply_often(void *argument) {
    for (size_t i = 0; i < scaled(3000); i += 1) {
        check_each_runs_once(argument, 2 + i % 7);
    }
    return NULL;
}

TEST(many_callers_share_the_members_and_none_loses_an_iteration) {
    enum { CALLERS = 4 };
    sq_pool_t *pool = make_pool(2);
    pthread_t callers[CALLERS];
    sq_queue_t *queue = queue_on(pool, "other", 0);
    for (int i = 0; i < CALLERS; i += 1) {
        callers[i] = spawn(apply_often, pool);
    }
    size_t ran = 0;
    for (size_t i = 0; i < scaled(3000); i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        CHECK_EQUAL(i % 100 == 0 ? sq_sync(queue, do_nothing, NULL) : 0, 0);
    }
    for (int i = 0; i < CALLERS; i += 1) {
        join(callers[i]);
    }
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(ran, scaled(3000));
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* Waits inside iterations */

typedef struct inside {
    sq_queue_t *queue;
    pthread_t caller;
    latch_t here;
    atomic_int refused;
    char report[1024]; /* of the member's */
    bool is_current[2]; /* on the member; on the caller */
} inside_t;

static void sync_inside(void *context, size_t index) {
    inside_t *inside = context;
    bool is_caller = pthread_equal(pthread_self(), inside->caller);
    (void)index;
    latch_bump(&inside->here);
    latch_wait(&inside->here, 2); /* one is the member's */
    inside->is_current[is_caller] = sq_is_current(inside->queue);
    inside->refused += sq_sync(inside->queue, do_nothing, NULL) == EDEADLK;
    if (!is_caller) {
        snprintf(inside->report, sizeof inside->report, "%s", sq_deadlock_report());
    }
}

static void apply_inside(void *context) {
    inside_t *inside = context;
    sq_pool_t *pool = make_pool(1);
    inside->caller = pthread_self();
    CHECK_EQUAL(sq_apply(pool, 2, sync_inside, inside), 0);
    sq_pool_release(pool);
}

TEST(a_sync_onto_the_callers_queue_is_refused_on_every_thread_and_named) {
    sq_queue_t *queue = make_queue_of("outer", 0);
    inside_t inside = { .queue = queue, .here = LATCH_INIT };
    CHECK_EQUAL(sq_sync(queue, apply_inside, &inside), 0);
    CHECK_EQUAL(inside.refused, 2);
    CHECK(inside.is_current[1] && !inside.is_current[0]);
    CHECK(strstr(inside.report, "runs an iteration of apply on pool \"test pool\" and waits for queue \"outer\"") != NULL);
    CHECK(strstr(inside.report, "runs a task of queue \"outer\" and waits for apply on pool \"test pool\"") != NULL);
    if (strstr(inside.report, "apply") == NULL) {
        note("the report: %s", inside.report);
    }
    sq_queue_release(queue);
}

static void call_back(void *context, size_t index) {
    (void)index;
    CHECK_EQUAL(sq_run_and_wait(context, SQ_FOREVER, do_nothing, NULL), 0);
}

typedef struct calls {
    sq_pool_t *pool;
    sq_queue_t *other;
} calls_t;

static void apply_and_call(void *context) {
    calls_t *calls = context;
    CHECK_EQUAL(sq_apply(calls->pool, 8, call_back, calls->other), 0);
}

/* The permit of a thread that waits inside an iteration, or for its members, runs what it waits for. */
TEST(iterations_may_wait_for_tasks_on_the_same_pool) {
    sq_pool_t *pool = make_pool(2);
    sq_queue_t *first = queue_on(pool, "first", 0), *other = queue_on(pool, "other", 0);
    calls_t calls = { pool, other };
    CHECK_EQUAL(sq_async(first, apply_and_call, &calls), 0);
    CHECK_EQUAL(sq_apply(pool, 8, call_back, other), 0);
    CHECK_EQUAL(sq_shutdown(first, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(first);
    sq_queue_release(other);
    sq_pool_release(pool);
}

/* Forks and iterations that do not return */

static pid_t child;

static void fork_once(void *context, size_t index) {
    (void)index;
    if (pthread_equal(pthread_self(), *(pthread_t *)context) && child == 0) {
        child = fork();
        child = child == 0 ? -1 : child;
    }
}

TEST(a_fork_in_an_iteration_leaves_the_rest_to_the_parent) {
    if (fork_left_out()) {
        return;
    }
    sq_pool_t *pool = make_pool(1);
    pthread_t self = pthread_self();
    int error = 0, status = 0;
    for (child = 0; child == 0;) { /* the member may have run all iterations */
        error = sq_apply(pool, 1000, fork_once, &self);
    }
    if (child == -1) {
        alone_t alone = { self, 0 };
        _exit(error == ESTALE && sq_apply(pool, 10, fork_once, &alone.thread) == 0 ? 0 : 1);
    }
    CHECK_EQUAL(error, 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    sq_pool_release(pool);
}

typedef struct forks {
    pid_t child; /* 0 in the child, too */
    bool has_forked;
    size_t ran;
} forks_t;

static void fork_third(void *context, size_t index) {
    forks_t *forks = context;
    if (index == 3 && !forks->has_forked) {
        forks->has_forked = true;
        forks->child = fork();
    }
    forks->ran += 1;
}

/* As a for loop. */
TEST(a_fork_where_nobody_can_help_runs_the_rest_in_both_processes) {
    if (fork_left_out()) {
        return;
    }
    sq_pool_t *pool = make_manual_pool();
    forks_t forks = { 0 };
    int status = 0, error = sq_apply(pool, 10, fork_third, &forks);
    if (forks.child == 0) {
        _exit(error == 0 && forks.ran == 10 ? 0 : 1);
    }
    CHECK_EQUAL(error, 0);
    CHECK_EQUAL(forks.ran, 10);
    CHECK(waitpid(forks.child, &status, 0) == forks.child);
    CHECK_EQUAL(status, 0);
    sq_pool_release(pool);
}

static void leave(void *has_left, size_t index) {
    (void)index;
    if (!atomic_flag_test_and_set((atomic_flag *)has_left)) {
        pthread_exit(NULL);
    }
    pause(); /* the other thread, until the process ends */
}

int child_main(int count, char **words) {
    no_core_file();
    sq_pool_t *pool = count > 0 && strcmp(words[0], "pool") == 0 ? make_pool(1) : make_manual_pool();
    atomic_flag has_left = ATOMIC_FLAG_INIT;
    return sq_apply(pool, 2, leave, &has_left);
}

TEST(pthread_exit_in_an_iteration_is_reported_and_ends_the_process) {
    static const char *const kinds[] = { "pool", "manual" };
    static const char *const words[] = { "pthread_exit", "left a function that sq_apply runs" };
    for (int i = 0; i < 2; i += 1) {
        ending_t ending = run_captured(kinds[i], NULL);
        check_aborted(&ending, words, 2);
    }
}
