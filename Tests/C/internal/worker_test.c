/* worker_test.c: the queue's own thread: when it starts, when it cannot, what it is like. */
#include "cached.h"
#include "child.h"
#include "inject.h"
#include "latch.h"
#include "platform/thread.h"
#include "thread/token.h"
#include "thread/worker.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

TEST(the_thread_starts_with_the_first_async_and_is_the_only_one) {
    sq_queue_t *queue = sq_queue_create("first", NULL);
    REQUIRE(queue != NULL);
    end_cached_threads();
    uint64_t before = threads_started();
    long alive = threads_alive();
    drain(queue);
    CHECK_EQUAL(threads_started(), before);
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(threads_started(), before + 1);
        if (i % 10 == 0) {
            drain(queue);
        }
    }
    CHECK_EQUAL(threads_alive(), alive + 1);
    sq_queue_release(queue);
    let_threads_end(alive);
    CHECK_EQUAL(threads_alive(), alive);
}

/* Many threads each think that theirs is the first async. */
typedef struct rush {
    sq_queue_t *queue;
    latch_t go;
    size_t ran;
    _Atomic size_t accepted;
} rush_t;

static void count_rush(void *context) { ((rush_t *)context)->ran += 1; }

static void *rush_in(void *argument) {
    rush_t *rush = argument;
    latch_wait(&rush->go, 1);
    int error = sq_async(rush->queue, count_rush, rush);
    CHECK(error == 0 || error == ENOMEM);
    rush->accepted += error == 0;
    return NULL;
}

static void one_rush(bool all_accepted) {
    enum { THREADS = 6 };
    rush_t rush = { .queue = sq_queue_create("rush", NULL), .go = LATCH_INIT };
    REQUIRE(rush.queue != NULL);
    end_cached_threads();
    uint64_t before = threads_started();
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(rush_in, &rush);
    }
    latch_bump(&rush.go);
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    drain(rush.queue);
    CHECK_EQUAL(rush.ran, rush.accepted);
    CHECK(!all_accepted || rush.accepted == THREADS);
    CHECK_AT_MOST(threads_started() - before, 1);
    CHECK_EQUAL(threads_started() - before == 1, rush.accepted > 0);
    sq_queue_release(rush.queue);
}

TEST(first_asyncs_from_several_threads_start_one_thread) {
    for (size_t round = 0; round < scaled(1000); round += 1) {
        one_rush(true);
        if (round % 16 == 15) {
            let_threads_end(16);
        }
    }
}

TEST(first_asyncs_from_several_threads_while_no_thread_starts_now_and_then) {
    for (size_t round = 0; round < scaled(1000); round += 1) {
        fail_some(FAIL_THREAD, 2);
        one_rush(false);
        fail_nothing();
        if (round % 16 == 15) {
            let_threads_end(16);
        }
    }
}

static void never(void *context) {
    (void)context;
    CHECK(false);
}

TEST(async_is_refused_while_no_thread_can_be_started_and_nothing_is_lost) {
    sq_queue_t *queue = sq_queue_create("no thread", NULL);
    REQUIRE(queue != NULL);
    end_cached_threads();
    long blocks = live_blocks();
    size_t ran = 0;
    fail_nth(FAIL_THREAD, 1, true);
    for (size_t i = 0; i < 100; i += 1) {
        CHECK_EQUAL(sq_async(queue, never, NULL), ENOMEM);
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ never, NULL, never }), ENOMEM);
        CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    }
    CHECK_EQUAL(ran, 100);
    CHECK_EQUAL(live_blocks(), blocks);
    CHECK_EQUAL(fail_nothing(), 200);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    drain(queue);
    CHECK_EQUAL(ran, 101);
    sq_queue_release(queue);
}

TEST(a_refused_async_during_a_sync_leaves_the_sync_its_queue) {
    sq_queue_t *queue = sq_queue_create("during", NULL);
    REQUIRE(queue != NULL);
    end_cached_threads();
    hold_t hold;
    hold_sync(&hold, queue);
    fail_nth(FAIL_THREAD, 1, false);
    CHECK_EQUAL(sq_async(queue, never, NULL), ENOMEM);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0); /* the second thread starts */
    CHECK_EQUAL(fail_nothing(), 1);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

/* The name of the thread */

static void read_name(void *context) {
    int error = pthread_getname_np(pthread_self(), context, 16);
    CHECK_EQUAL(error, 0);
}

static void check_name(const char *label, const char *expected) {
    sq_queue_t *queue = sq_queue_create(label, NULL);
    REQUIRE(queue != NULL);
    char name[16] = "";
    CHECK_EQUAL(sq_async(queue, read_name, name), 0);
    drain(queue);
    CHECK_STRING(name, expected);
    sq_queue_release(queue);
}

TEST(the_thread_has_the_label) {
    check_name("store", "store");
    check_name("exactly fifteen", "exactly fifteen");
}

TEST(a_label_that_is_too_long_shows_its_last_component) {
    check_name("com.example.store", "store");
    check_name("com.example.store.writer", "writer");
    check_name("com.example.a-very-long-component", "a-very-long-com");
    check_name("short.label", "short.label");
    check_name("fits.in.fifteen", "fits.in.fifteen");
    check_name("com.example.store.", "com.example.sto"); /* nothing follows the last dot */
}

TEST(the_name_of_a_thread_is_cut_between_characters) {
    check_name("fourteen bytes\xC3\xA9", "fourteen bytes");           /* é would end at byte 16 */
    check_name("thirteen byte\xC3\xA9", "thirteen byte\xC3\xA9");     /* é ends at byte 15 */
    check_name("thirteen byte\xE2\x82\xAC", "thirteen byte");         /* € would end at byte 16 */
    check_name("twelve bytes\xE2\x82\xACuro", "twelve bytes\xE2\x82\xAC");
    check_name("twelve bytes\xF0\x9F\x90\xA2", "twelve bytes");       /* a turtle would end at byte 16 */
    check_name("eleven byte\xF0\x9F\x90\xA2s", "eleven byte\xF0\x9F\x90\xA2");
    check_name("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC",
               "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC");
}

static char program_name[16];

TEST(a_thread_without_a_label_keeps_the_programs_name) {
    pthread_getname_np(pthread_self(), program_name, sizeof program_name);
    check_name(NULL, program_name);
    check_name("", program_name);
}

/* The thread is detached: a joinable thread that is never joined would leak its stack. */
static void read_detached(void *detached) {
    pthread_attr_t attributes;
    REQUIRE(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getdetachstate(&attributes, detached);
    pthread_attr_destroy(&attributes);
}

TEST(the_thread_is_detached) {
    sq_queue_t *queue = sq_queue_create("detached", NULL);
    REQUIRE(queue != NULL);
    int detached = -1;
    CHECK_EQUAL(sq_async(queue, read_detached, &detached), 0);
    drain(queue);
    CHECK_EQUAL(detached, PTHREAD_CREATE_DETACHED);
    sq_queue_release(queue);
}

/* Signals */

/* A worker whose function forks: in the child it ends, and does not reuse its token, whose lock another thread may have held. */
static sq__token_t *token_of_worker;

static void *take_tokens(void *unused) {
    (void)unused;
    while (thread_state(getpid()) != 'Z') { /* the worker */
        sched_yield();
    }
    sq__token_t *token = sq__token_acquire();
    _exit(token != NULL && token != token_of_worker ? 0 : 1);
}

static bool fork_in_worker(void *context) {
    int *status = context;
    if (fork_and_return(status)) {
        spawn(take_tokens, NULL);
    }
    return false;
}

TEST(in_the_child_of_a_fork_no_thread_gets_the_token_of_a_worker_of_the_parent) {
    if (UNDER_TSAN || UNDER_ASAN) {
        note("left out: a sanitizer does not support threads after a fork, or misses the parent's");
        return;
    }
    int status = -2;
    sq__worker_t *worker;
    sq__token_t *token = sq__token_acquire(); /* the list gives the last one back first */
    REQUIRE(token != NULL);
    sq__token_recycle(token);
    long alive = threads_alive();
    REQUIRE(sq__worker_start(&worker, fork_in_worker, &status, &(sq__thread_kind_t){ .name = "forks" }) == 0);
    token_of_worker = token;
    sq__worker_post(worker);
    let_threads_end(alive);
    CHECK_EQUAL(status, 0);
}
