/* once_test.c: one call runs the function, the others wait for it, and no thread waits for itself.
 * once_cycle_test.c and once_nested_test.c have the cycles over two threads. */
#include "caller.h"
#include "child.h"
#include "inject.h"

#include <stdlib.h>

typedef struct initializer {
    sq_once_t once;
    latch_t entered, leave;
    size_t ran;
    int inner; /* what the call inside the function returned */
} initializer_t;

#define INITIALIZER_INIT { .once = SQ_ONCE_INIT, .entered = LATCH_INIT, .leave = LATCH_INIT, .inner = -1 }

TEST(a_function_runs_once_and_a_call_after_that_returns_at_once) {
    sq_once_t once = SQ_ONCE_INIT;
    size_t ran = 0;
    CHECK_EQUAL(sq_once(&once, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_once(&once, add_one, &ran), 0);
    CHECK_EQUAL(once.state, SQ_ONCE_DONE);
    CHECK_EQUAL(sq_once(&once, must_not_run, NULL), 0);
    CHECK_EQUAL(sq_once_slow(&once, must_not_run, NULL), 0);
    CHECK_EQUAL(sq_once(&once, NULL, NULL), 0);
    CHECK_EQUAL(ran, 1);
}

static void stay(void *context) {
    initializer_t *initializer = context;
    latch_bump(&initializer->entered);
    latch_wait(&initializer->leave, 1);
    initializer->ran += 1;
}

typedef struct entrant {
    initializer_t *initializer;
    sq_function_t function;
    int error;
    size_t seen;
    pthread_t thread;
    atomic_int thread_id;
} entrant_t;

static void *enter(void *argument) {
    entrant_t *entrant = argument;
    entrant->thread_id = gettid();
    entrant->error = sq_once(&entrant->initializer->once, entrant->function, entrant->initializer);
    entrant->seen = entrant->initializer->ran;
    return NULL;
}

static void entrant_start(entrant_t *entrant, initializer_t *initializer, sq_function_t function) {
    *entrant = (entrant_t){ .initializer = initializer, .function = function, .error = -1 };
    entrant->thread = spawn(enter, entrant);
}

static int entrant_end(entrant_t *entrant) {
    join(entrant->thread);
    return entrant->error;
}

TEST(calls_that_come_while_the_function_runs_return_after_it) {
    enum { LATE = 6 };
    initializer_t initializer = INITIALIZER_INIT;
    entrant_t first, late[LATE];
    entrant_start(&first, &initializer, stay);
    latch_wait(&initializer.entered, 1);
    for (int i = 0; i < LATE; i += 1) {
        entrant_start(&late[i], &initializer, must_not_run);
        wait_until_asleep(&late[i].thread_id);
    }
    latch_bump(&initializer.leave);
    CHECK_EQUAL(entrant_end(&first), 0);
    for (int i = 0; i < LATE; i += 1) {
        CHECK_EQUAL(entrant_end(&late[i]), 0);
        CHECK_EQUAL(late[i].seen, 1);
    }
}

typedef struct rush {
    sq_once_t once;
    size_t ran;
    atomic_int arrived;
} rush_t;

static void *rush_in(void *argument) {
    rush_t *rush = argument;
    rush->arrived += 1;
    while (rush->arrived < 4) {
    }
    CHECK_EQUAL(sq_once(&rush->once, add_one, &rush->ran), 0);
    CHECK_EQUAL(rush->ran, 1);
    return NULL;
}

TEST(of_four_threads_that_call_at_the_same_time_one_runs_the_function) {
    for (size_t i = 0; i < scaled(1000); i += 1) {
        rush_t rush = { .once = SQ_ONCE_INIT };
        pthread_t threads[4];
        for (int t = 0; t < 4; t += 1) {
            threads[t] = spawn(rush_in, &rush);
        }
        for (int t = 0; t < 4; t += 1) {
            join(threads[t]);
        }
        CHECK_EQUAL(rush.ran, 1);
    }
}

static void recurse(void *context) {
    initializer_t *initializer = context;
    initializer->inner = sq_once(&initializer->once, must_not_run, NULL);
    initializer->ran += 1;
}

static void recurse_within_another(void *context) {
    static initializer_t inner = INITIALIZER_INIT;
    initializer_t *initializer = context;
    inner.once = (sq_once_t)SQ_ONCE_INIT;
    CHECK_EQUAL(sq_once(&inner.once, recurse, initializer), 0);
}

TEST(a_call_from_inside_the_own_function_is_refused_and_named) {
    initializer_t initializer = INITIALIZER_INIT;
    char name[32];
    snprintf(name, sizeof name, "once \"%p\"", (void *)&initializer.once);
    CHECK_EQUAL(sq_once(&initializer.once, recurse, &initializer), 0);
    CHECK_EQUAL(initializer.inner, EDEADLK);
    CHECK(strstr(sq_deadlock_report(), name) != NULL);
    CHECK_EQUAL(sq_once(&initializer.once, must_not_run, NULL), 0);
    initializer_t outer = INITIALIZER_INIT;
    CHECK_EQUAL(sq_once(&outer.once, recurse_within_another, &outer), 0);
    CHECK_EQUAL(outer.inner, EDEADLK);
    CHECK_EQUAL(outer.ran, 1);
}

static void leave_thread(void *unused) {
    (void)unused;
    pthread_exit(NULL);
}

static void leave_once(void *unused) {
    (void)unused;
    sq_once_t once = SQ_ONCE_INIT;
    sq_once(&once, leave_thread, NULL);
}

static void *leave_on_a_thread(void *unused) {
    leave_once(unused);
    return NULL;
}

static int leave_in_child(void *unused) {
    join(spawn(leave_on_a_thread, unused));
    return 0;
}

TEST(pthread_exit_in_the_function_is_reported_and_ends_the_process) {
    if (fork_left_out()) {
        return;
    }
    int status = in_fork(leave_in_child, NULL);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* Memory: a process each, as a thread keeps what it waited on. */
static void *wait_without_memory(void *argument) {
    initializer_t *initializer = argument;
    fail_nth(FAIL_ALLOCATION, 1, true);
    int error = sq_once(&initializer->once, must_not_run, NULL);
    CHECK_EQUAL(error, ENOMEM);
    CHECK(fail_nothing() > 0);
    return NULL;
}

int child_main(int count, char **words) {
    (void)count;
    (void)words;
    initializer_t initializer = INITIALIZER_INIT;
    entrant_t first;
    entrant_start(&first, &initializer, stay);
    latch_wait(&initializer.entered, 1);
    join(spawn(wait_without_memory, &initializer));
    latch_bump(&initializer.leave);
    CHECK_EQUAL(entrant_end(&first), 0);
    CHECK_EQUAL(sq_once(&initializer.once, must_not_run, NULL), 0);
    return 0;
}

TEST(a_call_that_has_to_wait_without_memory_is_ENOMEM) { CHECK_EQUAL(run_child((const char *const[]){ "x", NULL }), 0); }

static void recurse_without_memory(void *context) {
    fail_nth(FAIL_ALLOCATION, 1, true);
    recurse(context);
    fail_nothing();
}

static void *once_without_memory(void *argument) {
    initializer_t *initializer = argument;
    CHECK_EQUAL(sq_once(&initializer->once, recurse_without_memory, initializer), 0);
    return NULL;
}

TEST(a_recursion_without_memory_for_its_report_is_refused_too) {
    initializer_t initializer = INITIALIZER_INIT;
    join(spawn(once_without_memory, &initializer));
    CHECK_EQUAL(initializer.inner, EDEADLK);
}

static int call_in_child(void *argument) {
    initializer_t *initializers = argument;
    int wrong = !CHECK_EQUAL(sq_once(&initializers[0].once, must_not_run, NULL), ESTALE); /* runs in the parent */
    wrong += !CHECK_EQUAL(sq_once(&initializers[1].once, must_not_run, NULL), 0);         /* done */
    size_t ran = 0;
    wrong += !CHECK_EQUAL(sq_once(&initializers[2].once, add_one, &ran), 0);              /* fresh */
    return wrong + !CHECK_EQUAL(ran, 1);
}

TEST(in_the_child_of_a_fork_a_once_that_runs_in_the_parent_is_refused) {
    if (fork_left_out()) {
        return;
    }
    initializer_t initializers[3] = { INITIALIZER_INIT, INITIALIZER_INIT, INITIALIZER_INIT };
    entrant_t runner;
    entrant_start(&runner, &initializers[0], stay);
    latch_wait(&initializers[0].entered, 1);
    CHECK_EQUAL(sq_once(&initializers[1].once, do_nothing, NULL), 0);
    CHECK_EQUAL(in_fork(call_in_child, initializers), 0);
    latch_bump(&initializers[0].leave);
    CHECK_EQUAL(entrant_end(&runner), 0);
}

static void fork_inside(void *context) {
    int *status = context;
    fork_and_return(status);
}

TEST(a_function_that_forks_ends_in_both_processes) {
    if (fork_left_out()) {
        return;
    }
    sq_once_t once = SQ_ONCE_INIT;
    int status = 0;
    CHECK_EQUAL(sq_once(&once, fork_inside, &status), 0);
    bool is_done = once.state == SQ_ONCE_DONE && sq_once(&once, must_not_run, NULL) == 0;
    if (status == -1) {
        _exit(!is_done);
    }
    CHECK(is_done);
    CHECK_EQUAL(status, 0);
}
