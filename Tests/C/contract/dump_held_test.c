/* dump_held_test.c: dumps while locks are held, while what they read comes and goes, and of very many queues. */
#include "caller.h"
#include "child.h"
#include "dump.h"
#include "pools.h"

static void sleep_forever(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
}

/* A thread that holds all locks of the library: those that a fork takes. It stops within the fork, before the process is copied. */
static latch_t forking = LATCH_INIT, leave_fork = LATCH_INIT;
static __thread bool stops_in_fork;

static void stop_in_fork(void) {
    if (stops_in_fork) {
        latch_bump(&forking);
        latch_wait(&leave_fork, 1);
    }
}

static void *fork_and_stop(void *unused) {
    stops_in_fork = true;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return unused;
}

/* The handlers of a fork run in the reverse order of their registration: this one, registered before the library's handler, runs last. */
__attribute__((constructor(101))) static void register_first(void) { pthread_atfork(stop_in_fork, NULL, NULL); }

TEST(a_dump_ends_while_another_thread_holds_every_lock_of_the_library) {
    sq_queue_t *queue = make_queue_of("held", 0), *paused = make_queue_of("paused", 0);
    sq_pool_t *pool = make_pool(1);
    hold_t hold = HOLD_INIT;
    if (UNDER_TSAN) { /* it forks while other threads run */
        sq_queue_release(queue);
        sq_queue_release(paused);
        sq_pool_release(pool);
        note("left out under ThreadSanitizer");
        return;
    }
    CHECK_EQUAL(sq_suspend(paused), 0);
    CHECK_EQUAL(sq_async(queue, sleep_forever, &hold), 0);
    latch_wait(&hold.entered, 1);
    caller_t waiter;
    caller_start(&waiter, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
    dump_until("has waited", "its turn in queue \"held\"", NULL);
    pthread_t forker = spawn(fork_and_stop, NULL);
    latch_wait(&forking, 1);
    const char *text = dump_now();
    CHECK_LINE(text, "has waited", "its turn in queue \"held\"", "runs it");
    CHECK_LINE(text, "runs sleep_forever", "in queue \"held\"", NULL);
    CHECK_LINE(text, "that list was read without its lock", NULL, NULL);
    CHECK_LINE(text, "some suspended queues were left out", NULL, NULL);
    CHECK_LINE(text, "some timers were left out", NULL, NULL);
    CHECK_LINE(text, "the pools, and the queues that wait for one, were left out", NULL, NULL);
    CHECK_LINE(text, "left out: another thread held its lock at each try", NULL, NULL);
    latch_bump(&leave_fork);
    join(forker);
    text = dump_now();
    CHECK(!has_line(text, "left out", NULL, NULL));
    CHECK_LINE(text, "queue \"paused\" 0x", ": suspended 1 time", NULL);
    latch_bump(&hold.leave);
    CHECK_EQUAL(caller_end(&waiter), 0);
    CHECK_EQUAL(sq_resume(paused), 0);
    drain(queue);
    sq_queue_release(queue);
    sq_queue_release(paused);
    sq_pool_release(pool);
}

/* Dumps next to threads that come and go, queues that are made, suspended and freed, and pools. For the sanitizers. */
static atomic_bool is_over;
static void *come_and_go(void *unused) {
    for (int i = 0; !is_over && i < 100000; i += 1) {
        sq_queue_t *queue = make_queue_of("short-lived", 0);
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_resume(queue), 0);
        caller_t caller;
        caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
        CHECK_EQUAL(caller_end(&caller), 0);
        sq_queue_release(queue);
        sq_pool_t *pool = make_pool(1);
        sq_queue_t *pooled = queue_on(pool, "pooled", 0);
        CHECK_EQUAL(sq_async(pooled, do_nothing, NULL), 0);
        sq_pool_release(pool);
        sq_queue_release(pooled);
    }
    return unused;
}

TEST(dumps_meet_the_end_of_threads_queues_and_pools) {
    is_over = false;
    pthread_t others[2] = { spawn(come_and_go, NULL), spawn(come_and_go, NULL) };
    size_t count = scaled(2000);
    for (size_t i = 0; i < count; i += 1) {
        const char *text = dump_now();
        CHECK(strstr(text, "END OF THE DUMP") != NULL);
    }
    is_over = true;
    join(others[0]);
    join(others[1]);
}

/* Each has a task that waits. The time is noted, not checked. */
TEST(a_dump_counts_a_hundred_thousand_active_queues) {
    size_t count = scaled(100000);
    sq_pool_t *pool = make_pool(1);
    sq_queue_t **queues = calloc(count, sizeof *queues);
    sq_queue_t *first = queue_on(pool, "first", 0);
    hold_t hold = HOLD_INIT;
    CHECK_EQUAL(sq_async(first, sleep_forever, &hold), 0);
    latch_wait(&hold.entered, 1);
    for (size_t i = 0; i < count; i += 1) {
        queues[i] = queue_on(pool, "one of many", 0);
        if (i % 2 == 0) {
            CHECK_EQUAL(sq_suspend(queues[i]), 0);
        }
        CHECK_EQUAL(sq_async(queues[i], do_nothing, NULL), 0);
    }
    char expected[80];
    snprintf(expected, sizeof expected, "QUEUES, WHAT STANDS OUT FIRST, THEN THE DEEPEST: %zu\n", count + 1);
    const char *text = dump_now();
    CHECK(strstr(text, expected) != NULL);
    snprintf(expected, sizeof expected, "SUSPENDED QUEUES: %zu\n", (count + 1) / 2);
    CHECK(strstr(text, expected) != NULL);
    const char *end = strstr(text, "END OF THE DUMP");
    REQUIRE(end != NULL);
    note("%zu active queues: %.*s", count, (int)strcspn(end, "\n"), end);
    for (size_t i = 0; i < count; i += 2) {
        CHECK_EQUAL(sq_resume(queues[i]), 0);
    }
    latch_bump(&hold.leave);
    for (size_t i = 0; i < count; i += 1) {
        drain(queues[i]);
        sq_queue_release(queues[i]);
    }
    sq_queue_release(first);
    sq_pool_release(pool);
    free(queues);
}
