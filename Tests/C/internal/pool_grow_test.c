/* pool_grow_test.c: how many threads a pool has, how many queues it carries, and what it does without threads or memory. */
#include "caller.h"
#include "heap.h"
#include "inject.h"
#include "platform/processors.h"
#include "sq_pool.h"
#include "platform/thread.h"
#include "pools.h"

#include <stdlib.h>

/* Growth */

/* The threads that are there besides the pool's: for alarms, and the test. */
enum { OTHERS = 2 };

/* As many as sq_pool.h promises. */
enum { MOST = 64, BLOCKED = MOST - 1, CROWD = MOST + 36 };

/* Where there are more processors a pool has one thread for each. */
static size_t most_workers(void) { return sq__processor_count() > MOST ? sq__processor_count() : MOST; }

typedef struct crowd {
    latch_t gate, entered, left;
    atomic_int inside, most;
} crowd_t;

static void block(void *context) {
    crowd_t *crowd = context;
    int inside = atomic_fetch_add(&crowd->inside, 1) + 1;
    for (int most = crowd->most; most < inside && !atomic_compare_exchange_weak(&crowd->most, &most, inside);) {
    }
    latch_bump(&crowd->entered);
    latch_wait(&crowd->gate, 1);
    atomic_fetch_sub(&crowd->inside, 1);
    latch_bump(&crowd->left);
}

static void open_gate(void *context) { latch_bump(&((crowd_t *)context)->gate); }

TEST(sixty_three_blocked_tasks_do_not_stop_the_64th_which_they_wait_for) {
    sq_pool_t *pool = sq_pool_create("growing", NULL);
    REQUIRE(pool != NULL);
    crowd_t crowd = { LATCH_INIT, LATCH_INIT, LATCH_INIT, 0, 0 };
    sq_queue_t *queues[BLOCKED + 1];
    for (size_t i = 0; i <= BLOCKED; i += 1) {
        queues[i] = queue_on(pool, "", 0);
        CHECK_EQUAL(sq_async(queues[i], i < BLOCKED ? block : open_gate, &crowd), 0);
    }
    latch_wait(&crowd.left, BLOCKED);
    /* Afterwards the pool shrinks to its base size: one thread per processor. */
    let_threads_end(sq__processor_count() + OTHERS);
    CHECK_AT_MOST(threads_alive(), sq__processor_count() + OTHERS);
    size_t ran = 0;
    for (size_t i = 0; i <= BLOCKED; i += 1) {
        CHECK_EQUAL(sq_run_and_wait(queues[i], SQ_FOREVER, add_one, &ran), 0);
        sq_queue_release(queues[i]);
    }
    CHECK_EQUAL(ran, BLOCKED + 1);
    sq_pool_release(pool);
}

TEST(a_pool_grows_to_64_threads_and_no_further) {
    sq_pool_t *pool = sq_pool_create("growing", NULL);
    size_t most = most_workers(), tasks = most + CROWD - MOST;
    sq_queue_t **queues = calloc(tasks, sizeof(sq_queue_t *));
    REQUIRE(pool != NULL && queues != NULL);
    crowd_t crowd = { LATCH_INIT, LATCH_INIT, LATCH_INIT, 0, 0 };
    for (size_t i = 0; i < tasks; i += 1) {
        queues[i] = queue_on(pool, "", 0);
        CHECK_EQUAL(sq_async(queues[i], block, &crowd), 0);
    }
    latch_wait(&crowd.entered, most);
    CHECK_AT_MOST(threads_alive(), most + OTHERS);
    latch_bump(&crowd.gate);
    latch_wait(&crowd.left, tasks);
    CHECK_EQUAL(crowd.most, most);
    for (size_t i = 0; i < tasks; i += 1) {
        sq_queue_release(queues[i]);
    }
    free(queues);
    sq_pool_release(pool);
}

TEST(a_pool_of_three_threads_runs_three_tasks_at_a_time_and_no_more) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 3;
    sq_pool_t *pool = sq_pool_create("three", &options);
    REQUIRE(pool != NULL);
    crowd_t crowd = { LATCH_INIT, LATCH_INIT, LATCH_INIT, 0, 0 };
    sq_queue_t *queues[12];
    for (size_t i = 0; i < 12; i += 1) {
        queues[i] = queue_on(pool, "", 0);
        CHECK_EQUAL(sq_async(queues[i], block, &crowd), 0);
    }
    latch_wait(&crowd.entered, 3);
    latch_bump(&crowd.gate);
    latch_wait(&crowd.left, 12);
    CHECK_EQUAL(crowd.most, 3);
    CHECK_AT_MOST(threads_alive(), 3 + OTHERS);
    for (size_t i = 0; i < 12; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
}

/* More threads than a pool may grow to, because it was made with them. */
TEST(a_pool_of_65_threads_runs_65_tasks_at_a_time) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = MOST + 1;
    sq_pool_t *pool = sq_pool_create("large", &options);
    REQUIRE(pool != NULL);
    crowd_t crowd = { LATCH_INIT, LATCH_INIT, LATCH_INIT, 0, 0 };
    sq_queue_t *queues[CROWD];
    for (size_t i = 0; i < CROWD; i += 1) {
        queues[i] = queue_on(pool, "", 0);
        CHECK_EQUAL(sq_async(queues[i], block, &crowd), 0);
    }
    latch_wait(&crowd.entered, MOST + 1);
    CHECK_AT_MOST(threads_alive(), MOST + 1 + OTHERS);
    latch_bump(&crowd.gate);
    latch_wait(&crowd.left, CROWD);
    CHECK_EQUAL(crowd.most, MOST + 1);
    for (size_t i = 0; i < CROWD; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
}

/* A task that waits */

typedef struct visitor {
    sq_queue_t *held;
    size_t ran;
    atomic_int thread_id;
    latch_t left;
} visitor_t;

static void visit(void *context) {
    visitor_t *visitor = context;
    visitor->thread_id = gettid();
    CHECK_EQUAL(sq_sync(visitor->held, add_one, &visitor->ran), 0);
    latch_bump(&visitor->left);
}

/* A thread waits in a sync, and so lends its permit; with 63 others the pool may not start a 65th thread for that permit. */
TEST(what_comes_for_the_permit_of_a_task_that_waits_gets_no_65th_thread) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = MOST;
    sq_pool_t *pool = sq_pool_create("waiting", &options);
    sq_queue_t *held = sq_queue_create("held", NULL), *queues[CROWD];
    REQUIRE(pool != NULL && held != NULL);
    hold_t hold;
    hold_async(&hold, held);
    crowd_t crowd = { LATCH_INIT, LATCH_INIT, LATCH_INIT, 0, 0 };
    visitor_t visitor = { held, 0, 0, LATCH_INIT };
    for (size_t i = 0; i < CROWD; i += 1) {
        queues[i] = queue_on(pool, "", 0);
        CHECK_EQUAL(i == 0 ? sq_async(queues[i], visit, &visitor) : sq_async(queues[i], block, &crowd), 0);
    }
    latch_wait(&crowd.entered, BLOCKED);
    wait_for_depth(held, 1);
    wait_until_asleep(&visitor.thread_id);
    CHECK_AT_MOST(threads_alive(), MOST + OTHERS + 1); /* one more: the thread of `held` */
    CHECK_EQUAL(crowd.inside, BLOCKED);
    hold_end(&hold);
    latch_wait(&visitor.left, 1);
    CHECK_EQUAL(visitor.ran, 1);
    latch_bump(&crowd.gate);
    latch_wait(&crowd.left, CROWD - 1);
    for (size_t i = 0; i < CROWD; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_queue_release(held);
    sq_pool_release(pool);
}

/* Many queues: SQ_QUEUES=1000000 for more. */
TEST(a_hundred_thousand_queues_need_64_threads_and_192_bytes_each) {
    const char *chosen = getenv("SQ_QUEUES");
    size_t count = chosen != NULL ? strtoull(chosen, NULL, 0) : 100000;
    sq_pool_t *pool = sq_pool_create("many", NULL);
    sq_queue_t **queues = malloc(count * sizeof *queues);
    size_t *ran = calloc(count, sizeof *ran);
    REQUIRE(pool != NULL && queues != NULL && ran != NULL);
    size_t before = heap_bytes();
    for (size_t i = 0; i < count; i += 1) {
        queues[i] = queue_on(pool, "", 0);
    }
    for (size_t i = 0; i < count; i += 1) {
        CHECK_EQUAL(sq_async(queues[i], add_one, &ran[i]), 0);
    }
    long most = threads_alive();
    size_t wrong = 0;
    for (size_t i = 0; i < count; i += 1) {
        CHECK_EQUAL(sq_run_and_wait(queues[i], SQ_FOREVER, add_one, &ran[i]), 0); /* through the ring: it had a segment */
        CHECK_EQUAL(sq_sync(queues[i], add_one, &ran[i]), 0);
        wrong += ran[i] != 3;
    }
    most = threads_alive() > most ? threads_alive() : most;
    size_t bytes = (heap_bytes() - before) / count;
    note("%zu queues: %zu bytes each, at most %ld threads seen", count, bytes, most);
    CHECK_EQUAL(wrong, 0);
    CHECK_AT_MOST(most, most_workers() + OTHERS);
#ifndef SQ_DEBUG /* which makes queues larger */
    if (!SANITIZED) {
        CHECK_AT_MOST(bytes, 192 + most * 1024 / (long)count); /* a thread's own */
    }
#endif
    for (size_t i = 0; i < count; i += 1) {
        sq_queue_release(queues[i]);
    }
    free(queues);
    free(ran);
    sq_pool_release(pool);
}

/* Without threads or memory. Each try has a process of its own: otherwise what the library keeps would save it the call that is to fail. */

static int create_in_want(failure_t what, uint64_t nth, bool forever) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2;
    fail_nth(what, nth, forever);
    errno = 0;
    sq_pool_t *pool = sq_pool_create("want", &options);
    int error = errno;
    uint64_t failed = fail_nothing();
    if (failed > 0) {
        CHECK(pool == NULL);
        CHECK_EQUAL(error, ENOMEM);
        CHECK_AT_MOST(threads_alive(), 1); /* it may be the one for alarms, on its way out */
    }
    sq_pool_release(pool);
    let_threads_end(0);
    CHECK_EQUAL(threads_alive(), 0);
    pool = sq_pool_create("again", &options);
    CHECK(pool != NULL);
    sq_pool_release(pool);
    return failed == 0 ? 2 : 0;
}

/* The first worker is held; the second one, which the next queue needs, cannot be started. The task is accepted, and runs once a thread
 * can be started again, without another call. */
static int submit_in_want(failure_t what, uint64_t nth, bool forever) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2;
    sq_pool_t *pool = sq_pool_create("want", &options);
    REQUIRE(pool != NULL);
    sq_queue_t *held = queue_on(pool, "", 0), *queue = queue_on(pool, "", 0);
    hold_t hold;
    latch_t ran = LATCH_INIT;
    hold_async(&hold, held);
    fail_nth(what, nth, forever);
    int error = sq_async(queue, (sq_function_t)latch_bump, &ran);
    uint64_t failed = fail_nothing();
    CHECK_EQUAL(error, 0);
    latch_wait(&ran, 1); /* while the other thread is still held */
    hold_end(&hold);
    sq_queue_release(held);
    sq_queue_release(queue);
    sq_pool_release(pool);
    return failed == 0 ? 2 : 0;
}

int child_main(int count, char **words) {
    REQUIRE(count == 4);
    failure_t what = words[1][0] == 'm' ? FAIL_ALLOCATION : FAIL_THREAD;
    uint64_t nth = strtoull(words[2], NULL, 0);
    bool forever = words[3][0] == 'f';
    return words[0][0] == 'c' ? create_in_want(what, nth, forever) : submit_in_want(what, nth, forever);
}

/* Runs a child for N = 1, 2, ... until one ends without an Nth call. Returns how many calls failed. */
static int fail_each(const char *call, const char *what, const char *how) {
    for (int nth = 1; nth < 50; nth += 1) {
        char number[16];
        snprintf(number, sizeof number, "%d", nth);
        int status = run_child((const char *const[]){ call, what, number, how, NULL });
        if (status == 2) {
            return nth - 1;
        }
        CHECK_EQUAL(status, 0);
    }
    CHECK(!"more than 49 calls could fail");
    return 0;
}

TEST(each_allocation_and_thread_of_a_pool_can_fail) {
    CHECK(fail_each("create", "memory", "once") >= 5); /* the pool, two threads with what they need */
    CHECK(fail_each("create", "memory", "forever") >= 5);
    CHECK_EQUAL(fail_each("create", "thread", "once"), 2);
    CHECK_EQUAL(fail_each("create", "thread", "forever"), 2);
}

TEST(a_task_is_accepted_and_runs_although_its_pool_cannot_get_another_thread_at_once) {
    CHECK(fail_each("submit", "memory", "once") >= 3); /* the worker, its worker, its thread */
    CHECK(fail_each("submit", "memory", "forever") >= 3);
    CHECK_EQUAL(fail_each("submit", "thread", "once"), 1);
    CHECK_EQUAL(fail_each("submit", "thread", "forever"), 1);
}
