/* watch_life_test.c: the lifetime of watchers: replaced and discarded, concurrently with tasks and the last release; in the child of
 * a fork; without memory or threads. The stalls that they get: watch_test.c. */
#include "child.h"
#include "inject.h"
#include "stall_watcher.h"

#include <stdlib.h>

static int watch_in_child(void *context) {
    stall_watcher_t ward = STALL_WATCHER_INIT;
    const sq_watcher_t watcher = watcher_of(&ward);
    int wrong = !CHECK_EQUAL(sq_queue_watch(context, HOURS, &watcher), ESTALE);
    wrong += !CHECK_EQUAL(sq_queue_watch(context, 0, NULL), ESTALE);
    return wrong + !CHECK_EQUAL(ward.discarded.value, 0);
}

TEST(a_queue_from_before_a_fork_cannot_be_watched) {
    sq_queue_t *queue = make_queue_of("the parent's", 0);
    CHECK_EQUAL(in_fork(watch_in_child, queue), 0);
    sq_queue_release(queue);
}

/* regression: the release looked for the note in a list that the child does not have. */
static int release_in_child(void *queue) {
    sq_queue_t *own = make_queue_of("the child's", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(own, &ward, HOURS);
    sq_queue_release(queue); /* the last reference, as the child sees it */
    sq_queue_release(own);
    latch_wait(&ward.discarded, 1);
    return 0;
}

TEST(a_watched_queue_of_the_parents_can_be_released_in_the_child_of_a_fork) {
    if (UNDER_TSAN) {
        note("left out: ThreadSanitizer does not support threads after a fork of a process with threads");
        return;
    }
    sq_queue_t *queue = make_queue_of("the parent's", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, HOURS);
    CHECK_EQUAL(in_fork(release_in_child, queue), 0);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    latch_wait(&ward.discarded, 1);
    CHECK_EQUAL(ward.discarded.value, 1);
    sq_queue_release(queue);
}

/* regression: the child's only thread, which comes back from the call, gave back a token that no longer existed. If `watches`, another
 * thread of the child watches a queue by then. */
typedef struct splitter {
    bool watches;
    int status;
    latch_t calls;
    stall_watcher_t childs;
} splitter_t;

/* After the thread that forked, the child's first, has come back from the call and ended. */
static void release_later(void *queue) {
    while (thread_state(getpid()) != 'Z') {
        sched_yield();
    }
    sq_queue_release(queue);
}

static void fork_when_called(void *context, const sq_stall_t *stall) {
    splitter_t *splitter = context;
    (void)stall;
    if (fork_and_return(&splitter->status)) {
        if (splitter->watches) {
            sq_queue_t *queue = make_queue_of("the child's", 0);
            watch(queue, &splitter->childs, HOURS);
            CHECK_EQUAL(sq_async(queue, release_later, queue), 0);
        }
        return;
    }
    latch_bump(&splitter->calls);
}

TEST(a_watcher_can_fork_and_its_child_can_return) {
    if (UNDER_TSAN || UNDER_ASAN) {
        return; /* as in fork_test: a child that is the copy of a thread, and ends with it */
    }
    for (int watches = 0; watches < 2; watches += 1) {
        static splitter_t splitter; /* the child's new threads may get the stack of this one */
        splitter = (splitter_t){ .watches = watches, .status = -1, .calls = LATCH_INIT, .childs = STALL_WATCHER_INIT };
        sq_queue_t *queue = make_queue_of("forking", 0);
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_queue_watch(queue, SHORT, &(sq_watcher_t){ fork_when_called, &splitter, NULL }), 0);
        latch_wait(&splitter.calls, 1);
        CHECK_EQUAL(splitter.status, 0);
        CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
        CHECK_EQUAL(sq_resume(queue), 0);
        drain(queue);
        sq_queue_release(queue);
        let_threads_end(1);
    }
}

/* The thread ends with the last one, as the harness checks. */
TEST(watched_queues_can_be_released_in_any_order) {
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int i = 0; i < 6; i += 1) {
        sq_queue_t *queues[3];
        stall_watcher_t wards[3] = { STALL_WATCHER_INIT, STALL_WATCHER_INIT, STALL_WATCHER_INIT };
        for (int k = 0; k < 3; k += 1) {
            queues[k] = make_queue_of("one of three", 0);
            watch(queues[k], &wards[k], HOURS);
        }
        for (int k = 0; k < 3; k += 1) {
            sq_queue_release(queues[orders[i][k]]);
            latch_wait(&wards[orders[i][k]].discarded, 1);
        }
    }
}

TEST(a_watcher_that_is_replaced_is_discarded_once) {
    sq_queue_t *queue = make_queue_of("replaced", 0);
    stall_watcher_t wards[5] = { STALL_WATCHER_INIT, STALL_WATCHER_INIT, STALL_WATCHER_INIT, STALL_WATCHER_INIT, STALL_WATCHER_INIT };
    for (int i = 0; i < 5; i += 1) {
        watch(queue, &wards[i], HOURS);
        if (i > 0) {
            latch_wait(&wards[i - 1].discarded, 1);
        }
    }
    CHECK_EQUAL(wards[4].discarded.value, 0);
    sq_queue_release(queue);
    for (int i = 0; i < 5; i += 1) {
        latch_wait(&wards[i].discarded, 1);
        CHECK_EQUAL(wards[i].discarded.value, 1);
    }
}

/* From inside its call: it ends the watching, and others use queues of their own. */
typedef struct insider {
    sq_queue_t *queue, *other;
    latch_t calls, discarded;
    size_t ran;
} insider_t;

static void end_the_watching(void *context, const sq_stall_t *stall) {
    insider_t *insider = context;
    CHECK_EQUAL(stall->kind, SQ_STALL_RUNNING);
    CHECK_EQUAL(sq_sync(insider->other, add_one, &insider->ran), 0);
    CHECK_EQUAL(sq_queue_watch(insider->queue, 0, NULL), 0);
    CHECK_EQUAL(insider->discarded.value, 0); /* not while it is being called */
    latch_bump(&insider->calls);
}

static void discard_and_end_another(void *context) {
    insider_t *insider = context;
    CHECK_EQUAL(sq_queue_watch(insider->other, 0, NULL), 0);
    latch_bump(&insider->discarded);
}

TEST(a_watcher_can_end_the_watching_and_use_other_queues) {
    insider_t insider = { make_queue_of("watched", 0), make_queue_of("other", 0), LATCH_INIT, LATCH_INIT, 0 };
    stall_watcher_t other = STALL_WATCHER_INIT;
    watch(insider.other, &other, HOURS);
    CHECK_EQUAL(sq_queue_watch(insider.queue, SHORT, &(sq_watcher_t){ end_the_watching, &insider, discard_and_end_another }), 0);
    hold_t hold;
    hold_sync(&hold, insider.queue);
    latch_wait(&insider.calls, 1);
    latch_wait(&insider.discarded, 1);
    latch_wait(&other.discarded, 1);
    hold_end(&hold);
    CHECK_EQUAL(insider.ran, 1);
    sq_queue_release(insider.queue);
    sq_queue_release(insider.other);
}

/* Watching, replacing and ending, against tasks and the last release. */
typedef struct turmoil {
    sq_queue_t *queue;
    stall_watcher_t wards[64];
    size_t from;
} turmoil_t;

static void *watch_again(void *argument) {
    turmoil_t *turmoil = argument;
    for (size_t i = 0; i < 32; i += 1) {
        watch(turmoil->queue, &turmoil->wards[turmoil->from + i], i % 2 ? 1 : HOURS);
        if (i % 3 == 0) {
            CHECK_EQUAL(sq_queue_watch(turmoil->queue, 0, NULL), 0);
        }
    }
    sq_queue_release(turmoil->queue);
    return NULL;
}

TEST(watching_races_with_tasks_and_the_last_release_and_each_watcher_is_discarded_once) {
    for (size_t round = 0; round < scaled(100); round += 1) {
        static turmoil_t turmoil, second;
        turmoil = (turmoil_t){ .queue = make_queue_of("turmoil", 0) };
        second = (turmoil_t){ .queue = sq_queue_retain(turmoil.queue), .from = 32 };
        for (size_t i = 0; i < 64; i += 1) {
            turmoil.wards[i] = (stall_watcher_t)STALL_WATCHER_INIT;
            second.wards[i] = (stall_watcher_t)STALL_WATCHER_INIT;
        }
        sq_queue_retain(turmoil.queue);
        pthread_t threads[2] = { spawn(watch_again, &turmoil), spawn(watch_again, &second) };
        for (size_t i = 0; i < 200; i += 1) {
            CHECK_EQUAL(i % 2 ? sq_async(turmoil.queue, do_nothing, NULL) : sq_sync(turmoil.queue, do_nothing, NULL), 0);
        }
        sq_queue_release(turmoil.queue);
        join(threads[0]);
        join(threads[1]);
        for (size_t i = 0; i < 32; i += 1) {
            latch_wait(&turmoil.wards[i].discarded, 1);
            latch_wait(&second.wards[32 + i].discarded, 1);
            CHECK_EQUAL(turmoil.wards[i].discarded.value, 1);
            CHECK_EQUAL(second.wards[32 + i].discarded.value, 1);
        }
        let_threads_end(1);
    }
}

/* PROGRAM --child WHAT N: the Nth allocation, or thread creation, of a watch fails, in a fresh process. */
int child_main(int count, char **words) {
    REQUIRE(count == 2);
    sq_queue_t *queue = make_queue_of("famine", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    const sq_watcher_t watcher = watcher_of(&ward);
    failure_t what = (failure_t)strtoul(words[0], NULL, 10);
    fail_nth(what, strtoull(words[1], NULL, 10), true);
    int error = sq_queue_watch(queue, HOURS, &watcher);
    uint64_t failures = fail_nothing();
    if (error != 0) {
        CHECK_EQUAL(error, ENOMEM);
        CHECK_EQUAL(ward.discarded.value, 0); /* nothing was done: the context is the caller's */
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_queue_watch(queue, SHORT, &watcher), 0);
        latch_wait(&ward.calls, 1);
        CHECK_EQUAL(sq_resume(queue), 0);
    }
    CHECK_EQUAL(error == 0, failures == 0);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, do_nothing, NULL), 0);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
    let_threads_end(0);
    return failures > 0 ? 0 : 2;
}

TEST(each_allocation_and_thread_creation_of_a_watch_can_fail) {
    size_t sites = 0;
    for (int what = FAIL_ALLOCATION; what <= FAIL_THREAD; what += 1) {
        for (size_t nth = 1;; nth += 1) {
            char words[2][24];
            snprintf(words[0], sizeof words[0], "%d", what);
            snprintf(words[1], sizeof words[1], "%zu", nth);
            int status = run_child((const char *const[]){ words[0], words[1], NULL });
            CHECK(status == 0 || status == 2);
            if (status != 0) {
                break;
            }
            sites += 1;
        }
    }
    note("%zu sites", sites);
    CHECK(sites >= 4);
}
