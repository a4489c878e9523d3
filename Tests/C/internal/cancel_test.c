/* cancel_test.c: threads with a cancellation that is pending: no call of the library ends them halfway. Those that wait already
 * when it comes: foreign_test.c. The library asks for the number of processors once in a process, so each test runs in a child. */
#include "caller.h"
#include "child.h"

#include "platform/fatal.h"
#include "platform/processors.h"

typedef struct site {
    sq_queue_t *queue;
    sq_pool_t *pool;
    size_t ran;
} site_t;

static int make_shared_pool(site_t *site) {
    site->pool = sq_pool_shared();
    return site->pool != NULL ? 0 : errno;
}

static int wait_for_turn(site_t *site) { return sq_sync(site->queue, add_one, &site->ran); }

static int wait_for_call(site_t *site) { return sq_run_and_wait(site->queue, SQ_FOREVER, add_one, &site->ran); }

static int break_a_rule(site_t *site) {
    (void)site;
    no_core_file();
    sq__fatal("the last message.");
}

typedef struct cancelled {
    int (*call)(site_t *);
    site_t *site;
    int error;
} cancelled_t;

static void *call_cancelled(void *argument) {
    cancelled_t *cancelled = argument;
    pthread_cancel(pthread_self());
    cancelled->error = cancelled->call(cancelled->site);
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); /* it has come back: now it ends in its own time */
    CHECK_EQUAL(state, PTHREAD_CANCEL_ENABLE);
    return NULL;
}

static void cancelled_start(pthread_t *thread, cancelled_t *cancelled) { *thread = spawn(call_cancelled, cancelled); }

static void cancelled_end(pthread_t thread, const cancelled_t *cancelled) {
    void *result;
    CHECK_EQUAL(pthread_join(thread, &result), 0);
    CHECK(result == NULL); /* not PTHREAD_CANCELED */
    CHECK_EQUAL(cancelled->error, 0);
}

static int do_nothing_in_child(void *unused) {
    (void)unused;
    return 0;
}

static void with_shared_pool(void) {
    site_t site = { 0 };
    cancelled_t cancelled = { make_shared_pool, &site, -1 };
    pthread_t thread;
    cancelled_start(&thread, &cancelled);
    cancelled_end(thread, &cancelled);
    CHECK(sq_pool_shared() == site.pool); /* no cancelled thread kept its lock */
    if (!UNDER_TSAN) {
        CHECK_EQUAL(in_fork(do_nothing_in_child, NULL), 0);
    }
}

static void with_sync(void) {
    site_t site = { .queue = make_queue_of("waited for", 0) };
    cancelled_t cancelled = { wait_for_turn, &site, -1 };
    pthread_t thread;
    hold_t hold = HOLD_INIT;
    hold_sync(&hold, site.queue);
    cancelled_start(&thread, &cancelled);
    wait_for_depth(site.queue, 1);
    hold_end(&hold);
    cancelled_end(thread, &cancelled);
    CHECK_EQUAL(sq_sync(site.queue, add_one, &site.ran), 0);
    CHECK_EQUAL(site.ran, 2);
    sq_queue_release(site.queue);
}

/* Of a manual pool, whose queues have no thread that could ask first. */
static void with_call(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    site_t site = { .pool = sq_pool_create_manual("manual") };
    options.pool = site.pool;
    REQUIRE(site.pool != NULL);
    site.queue = sq_queue_create("called", &options);
    REQUIRE(site.queue != NULL);
    cancelled_t cancelled = { wait_for_call, &site, -1 };
    pthread_t thread;
    CHECK_EQUAL(sq_suspend(site.queue), 0);
    cancelled_start(&thread, &cancelled);
    wait_for_depth(site.queue, 1);
    CHECK_EQUAL(sq_resume(site.queue), 0);
    while (stats_now(site.queue).ran == 0) {
        sq_pool_run(site.pool);
        sched_yield();
    }
    cancelled_end(thread, &cancelled);
    CHECK_EQUAL(site.ran, 1);
    sq_queue_release(site.queue);
    sq_pool_release(site.pool);
}

int child_main(int count, char **words) {
    REQUIRE(count >= 1);
    if (strcmp(words[0], "fatal") == 0) {
        cancelled_t cancelled = { break_a_rule, NULL, -1 };
        pthread_t thread;
        cancelled_start(&thread, &cancelled);
        cancelled_end(thread, &cancelled);
        return 1;
    }
    (strcmp(words[0], "pool") == 0 ? with_shared_pool : strcmp(words[0], "sync") == 0 ? with_sync : with_call)();
    return 0;
}

TEST(a_cancelled_thread_comes_back_from_the_making_of_the_shared_pool) {
    CHECK_EQUAL(run_child((const char *const[]){ "pool", NULL }), 0);
}

TEST(a_cancelled_thread_waits_for_its_turn) { CHECK_EQUAL(run_child((const char *const[]){ "sync", NULL }), 0); }

TEST(a_cancelled_thread_waits_for_its_call) { CHECK_EQUAL(run_child((const char *const[]){ "call", NULL }), 0); }

TEST(a_cancelled_thread_that_breaks_a_rule_ends_the_process) {
    ending_t ending = run_captured("fatal", NULL);
    check_aborted(&ending, (const char *const[]){ "the last message." }, 1);
}
