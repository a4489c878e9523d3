/* service_test.c: classes of service: what a pool's threads get, what sq_pool_granted says, and what a refusal does. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* SCHED_BATCH, seccomp */
#endif
#include "child.h"
#include "harness.h"
#include "inject.h"
#include "refuse.h"
#include "sq_async.h"
#include "sq_loop.h"
#include "sq_pool.h"
#include "sq_queue.h"
#include "sq_shutdown.h"
#include "sq_sync.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct seen {
    int nice, policy;
} seen_t;

static void look(void *context) {
    seen_t *seen = context;
    seen->nice = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
    seen->policy = (int)syscall(SYS_sched_getscheduler, 0);
}

static sq_pool_t *pool_of(sq_service_t service) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 1;
    options.service = service;
    sq_pool_t *pool = sq_pool_create("class", &options);
    REQUIRE(pool != NULL);
    return pool;
}

/* What a task on a pool of this class sees of its thread. */
static seen_t seen_by_a_task(sq_pool_t *pool) {
    seen_t seen = { 0 };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create("looks", &options);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_async(queue, look, &seen), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
    return seen;
}

static int larger(int one, int other) { return one > other ? one : other; }

TEST(the_threads_of_a_class_have_what_granted_says) {
    const int least[] = { [SQ_SERVICE_DEFAULT] = 0, [SQ_SERVICE_INTERACTIVE] = 0, [SQ_SERVICE_UTILITY] = 5, [SQ_SERVICE_BACKGROUND] = 10 };
    const int own = getpriority(PRIO_PROCESS, (id_t)getpid());
    for (sq_service_t service = SQ_SERVICE_DEFAULT; service <= SQ_SERVICE_BACKGROUND; service += 1) {
        sq_pool_t *pool = pool_of(service);
        sq_pool_granted_t granted = SQ_POOL_GRANTED_INIT;
        CHECK_EQUAL(sq_pool_granted(pool, &granted), 0);
        seen_t seen = seen_by_a_task(pool);
        CHECK_EQUAL(granted.service, service);
        CHECK_EQUAL(seen.nice, granted.nice);
        CHECK_EQUAL(seen.policy == SCHED_BATCH, granted.batch);
        CHECK_EQUAL(granted.nice, larger(own, least[service]));
        CHECK_EQUAL(granted.batch, service == SQ_SERVICE_BACKGROUND);
        if (service == SQ_SERVICE_INTERACTIVE && granted.slice != 0) {
            CHECK_EQUAL(granted.complete, granted.slice == 500000);
        } else if (service != SQ_SERVICE_INTERACTIVE) {
            CHECK(granted.complete);
        }
        sq_pool_release(pool);
    }
}

TEST(without_a_thread_to_ask_granted_fails_and_fills_in_nothing) {
    sq_pool_t *pool = pool_of(SQ_SERVICE_UTILITY);
    sq_pool_granted_t granted = SQ_POOL_GRANTED_INIT;
    fail_nth(FAIL_THREAD, 1, true);
    int error = sq_pool_granted(pool, &granted);
    CHECK(fail_nothing() > 0);
    CHECK_EQUAL(error, ENOMEM);
    CHECK_EQUAL(granted.service, SQ_SERVICE_DEFAULT);
    sq_pool_release(pool);
}

typedef struct refusal {
    long call;
    unsigned error;
} refusal_t;

static int use_a_refused_class(void *context) {
    const refusal_t *refusal = context;
    const int own = getpriority(PRIO_PROCESS, (id_t)getpid());
    refuse(refusal->call, refusal->error);
    int wrong = 0;
    for (sq_service_t service = SQ_SERVICE_INTERACTIVE; service <= SQ_SERVICE_BACKGROUND; service += 1) {
        sq_pool_t *pool = pool_of(service);
        sq_pool_granted_t granted = SQ_POOL_GRANTED_INIT;
        wrong += !CHECK_EQUAL(sq_pool_granted(pool, &granted), 0);
        /* Under nice, a thread has from the start what this class asks for. */
        bool has_it = service == SQ_SERVICE_UTILITY && own >= 5 && refusal->call != SYS_sched_getattr;
        wrong += !CHECK_EQUAL(granted.complete, has_it);
        wrong += !CHECK_EQUAL(seen_by_a_task(pool).nice, own);
        sq_pool_release(pool);
    }
    return wrong;
}

TEST(a_refusal_degrades_and_is_reported) {
    if (fork_left_out()) {
        return;
    }
    const refusal_t refusals[] = {
        { SYS_sched_setattr, EPERM }, { SYS_sched_setattr, ENOSYS }, { SYS_sched_setattr, EINVAL }, { SYS_sched_getattr, ENOSYS }
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i += 1) {
        refusal_t refusal = refusals[i];
        CHECK_EQUAL(in_fork(use_a_refused_class, &refusal), 0);
    }
}

static int use_the_shared_pools(void *unused) {
    sq_pool_t *pools[4];
    int wrong = 0;
    (void)unused;
    for (int i = 0; i < 4; i += 1) {
        pools[i] = sq_pool_shared_of((sq_service_t)i);
        REQUIRE(pools[i] != NULL);
        wrong += !CHECK(sq_pool_shared_of((sq_service_t)i) == pools[i]);
        for (int j = 0; j < i; j += 1) {
            wrong += !CHECK(pools[j] != pools[i]);
        }
    }
    wrong += !CHECK(sq_pool_shared() == pools[SQ_SERVICE_DEFAULT]);
    wrong += !CHECK_EQUAL(seen_by_a_task(pools[SQ_SERVICE_BACKGROUND]).policy, SCHED_BATCH);
    return wrong;
}

/* In a child, because shared pools stay. */
TEST(each_class_has_one_shared_pool) {
    if (!fork_left_out()) {
        CHECK_EQUAL(in_fork(use_the_shared_pools, NULL), 0);
    }
}

TEST(what_is_no_class_is_refused) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.service = (sq_service_t)(SQ_SERVICE_BACKGROUND + 1);
    errno = 0;
    CHECK(sq_pool_create("none", &options) == NULL);
    CHECK_EQUAL(errno, EINVAL);
    errno = 0;
    CHECK(sq_pool_shared_of((sq_service_t)-1) == NULL);
    CHECK_EQUAL(errno, EINVAL);
}

TEST(granted_refuses_an_unknown_size_and_pools_without_threads) {
    sq_pool_granted_t granted = SQ_POOL_GRANTED_INIT;
    sq_pool_t *manual = sq_pool_create_manual("manual"), *loop = sq_pool_create_loop("loop"), *pool = pool_of(SQ_SERVICE_UTILITY);
    CHECK_EQUAL(sq_pool_granted(manual, &granted), EINVAL);
    CHECK_EQUAL(sq_pool_granted(loop, &granted), EINVAL);
    granted.size -= 1;
    CHECK_EQUAL(sq_pool_granted(pool, &granted), EINVAL);
    CHECK_EQUAL(granted.nice, 0); /* nothing was written */
    sq_pool_release(manual);
    sq_pool_release(loop);
    sq_pool_release(pool);
}
