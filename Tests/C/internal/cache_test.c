/* cache_test.c: queues with default options share threads that belong to none of them. */
#include "cached.h"
#include "inject.h"

#include <unistd.h>

enum { MORE_THAN_KEPT = SQ__KEPT_THREADS + 4 };

TEST(a_queue_that_idles_for_long_has_its_thread_when_few_others_idle) {
    end_cached_threads();
    sq_queue_t *queue = sq_queue_create("idles", NULL);
    REQUIRE(queue != NULL);
    place_t first = place_of_next_task(queue);
    for (int round = 0; round < 3; round += 1) {
        await_kept(1);
        place_t next = place_of_next_task(queue);
        CHECK_EQUAL(next.thread, first.thread);
        CHECK_STRING(next.name, "idles");
    }
    CHECK_EQUAL(sq__cache_count().threads, 1);
    CHECK(!sq__cache_count().has_keeper);
    sq_queue_release(queue);
    end_cached_threads();
}

TEST(a_queue_takes_the_thread_of_another_one_that_idles) {
    end_cached_threads();
    sq_queue_t *one = sq_queue_create("one", NULL), *two = sq_queue_create("two", NULL);
    REQUIRE(one != NULL && two != NULL);
    place_t first = place_of_next_task(one);
    uint64_t started = threads_started();
    for (int round = 0; round < 3; round += 1) {
        await_idle(1);
        place_t second = place_of_next_task(two);
        CHECK_EQUAL(second.thread, first.thread);
        CHECK_STRING(second.name, "two");
        await_idle(1);
        place_t again = place_of_next_task(one);
        CHECK_EQUAL(again.thread, first.thread);
        CHECK_STRING(again.name, "one");
    }
    CHECK_EQUAL(threads_started() - started, 1); /* the keeper */
    while (threads_named("sq-keeper") != 1) { /* it is perhaps just being started */
        sched_yield();
    }
    sq_queue_release(one);
    sq_queue_release(two);
    end_cached_threads();
}

TEST(queues_that_come_and_go_one_after_the_other_use_one_thread) {
    end_cached_threads();
    uint64_t started = threads_started();
    for (int round = 0; round < 100; round += 1) {
        await_idle(round > 0);
        sq_queue_release(make_used_queue("comes and goes"));
    }
    CHECK_EQUAL(threads_started() - started, 1);
    CHECK(!sq__cache_count().has_keeper);
    end_cached_threads();
}

/* A sync in the task of another queue that idles: the thread that waits is not used for what it waits for. */
static void sync_onto(void *queue) { CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0); }

TEST(a_task_that_waits_for_another_queue_does_not_take_its_thread) {
    sq_queue_t *one = make_used_queue("waits"), *two = make_used_queue("waited for");
    for (int round = 0; round < 100; round += 1) {
        CHECK_EQUAL(sq_async(one, sync_onto, two), 0);
        CHECK_EQUAL(sq_async(two, do_nothing, NULL), 0);
    }
    drain(one);
    drain(two);
    sq_queue_release(one);
    sq_queue_release(two);
}

TEST(with_each_queue_that_is_released_a_kept_thread_ends) {
    enum { QUEUES = 3 };
    sq_queue_t *queues[QUEUES];
    end_cached_threads();
    hold_t holds[QUEUES];
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = sq_queue_create("released", NULL);
        REQUIRE(queues[i] != NULL);
        hold_async(&holds[i], queues[i]); /* a thread for each */
    }
    for (int i = 0; i < QUEUES; i += 1) {
        hold_end(&holds[i]);
    }
    await_kept(QUEUES);
    CHECK_EQUAL(sq_shutdown(queues[0], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0); /* leaves the cache, too */
    for (unsigned i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
        await_kept(QUEUES - 1 - i);
    }
    CHECK_EQUAL(sq__cache_count().clients, 0);
    while (sq__cache_count().threads > 0 || sq__cache_count().has_keeper) {
        sched_yield();
    }
}

/* More queues than threads are kept; each runs a task that waits until it may end. */
typedef struct crowd {
    sq_queue_t *queues[MORE_THAN_KEPT];
    latch_t entered, leave;
} crowd_t;

static void enter(void *context) {
    crowd_t *crowd = context;
    latch_bump(&crowd->entered);
    latch_wait(&crowd->leave, 1);
}

static void crowd_enters(crowd_t *crowd) {
    for (int i = 0; i < MORE_THAN_KEPT; i += 1) {
        CHECK_EQUAL(sq_async(crowd->queues[i], enter, crowd), 0);
    }
}

static void crowd_leaves(crowd_t *crowd) {
    latch_bump(&crowd->leave);
    for (int i = 0; i < MORE_THAN_KEPT; i += 1) {
        drain(crowd->queues[i]);
    }
}

/* With as many kept threads as there may be, and the keeper. */
static void crowd_begin(crowd_t *crowd) {
    *crowd = (crowd_t){ .entered = LATCH_INIT, .leave = LATCH_INIT };
    for (int i = 0; i < MORE_THAN_KEPT; i += 1) {
        crowd->queues[i] = sq_queue_create("crowd", NULL);
        REQUIRE(crowd->queues[i] != NULL);
    }
    crowd_enters(crowd);
    latch_wait(&crowd->entered, MORE_THAN_KEPT);
    crowd_leaves(crowd);
    crowd->entered = (latch_t)LATCH_INIT;
    crowd->leave = (latch_t)LATCH_INIT;
    await_kept(SQ__KEPT_THREADS);
    while (sq__cache_count().threads > SQ__KEPT_THREADS) {
        sched_yield();
    }
}

static void crowd_end(crowd_t *crowd) {
    crowd_leaves(crowd);
    for (int i = 0; i < MORE_THAN_KEPT; i += 1) {
        sq_queue_release(crowd->queues[i]);
    }
}

TEST(tasks_of_more_queues_than_threads_are_kept_all_run_at_a_time) {
    crowd_t crowd;
    crowd_begin(&crowd);
    uint64_t started = threads_started();
    crowd_enters(&crowd);
    latch_wait(&crowd.entered, MORE_THAN_KEPT);
    CHECK_EQUAL(threads_started() - started, MORE_THAN_KEPT - SQ__KEPT_THREADS);
    crowd_end(&crowd);
}

TEST(accepted_tasks_for_which_no_thread_starts_run_as_soon_as_one_does) {
    crowd_t crowd;
    crowd_begin(&crowd);
    fail_nth(FAIL_THREAD, 1, true);
    crowd_enters(&crowd);
    latch_wait(&crowd.entered, SQ__KEPT_THREADS);
    await_failures(FAIL_THREAD, 2 * MORE_THAN_KEPT);
    CHECK_EQUAL(latch_value(&crowd.entered), SQ__KEPT_THREADS);
    CHECK_EQUAL(sq__cache_count().in_line, MORE_THAN_KEPT - SQ__KEPT_THREADS);
    fail_nothing();
    latch_wait(&crowd.entered, MORE_THAN_KEPT);
    crowd_end(&crowd);
}

TEST(accepted_tasks_for_which_no_token_can_be_made_run_as_soon_as_one_can) {
    crowd_t crowd;
    crowd_begin(&crowd);
    sq__token_t *tokens[2 * KEPT_WAITERS];
    size_t count = 0;
    fail_nth(FAIL_ALLOCATION, 1, true);
    while ((tokens[count] = sq__token_acquire()) != NULL) { /* those of threads that have ended */
        count += 1;
        REQUIRE(count < sizeof tokens / sizeof tokens[0]);
    }
    crowd_enters(&crowd); /* a task for a free queue needs no memory */
    await_failures(FAIL_ALLOCATION, MORE_THAN_KEPT);
    CHECK_EQUAL(latch_value(&crowd.entered), SQ__KEPT_THREADS);
    while (count > 0) { /* before the famine ends: then no other token is made */
        sq__token_recycle(tokens[--count]);
    }
    latch_wait(&crowd.entered, MORE_THAN_KEPT);
    fail_nothing();
    crowd_end(&crowd);
}

TEST(accepted_tasks_for_which_no_thread_ever_starts_run_on_threads_of_other_queues_that_idle) {
    crowd_t crowd;
    crowd_begin(&crowd);
    fail_nth(FAIL_THREAD, 1, true);
    crowd_enters(&crowd);
    latch_wait(&crowd.entered, SQ__KEPT_THREADS);
    latch_bump(&crowd.leave);
    latch_wait(&crowd.entered, MORE_THAN_KEPT);
    fail_nothing();
    crowd_end(&crowd);
}

TEST(as_long_as_no_keeper_starts_no_queue_loses_its_thread) {
    enum { QUEUES = SQ__KEPT_THREADS + 2 };
    sq_queue_t *queues[QUEUES];
    hold_t holds[QUEUES];
    end_cached_threads();
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = sq_queue_create("keeps", NULL);
        REQUIRE(queues[i] != NULL);
        hold_async(&holds[i], queues[i]);
    }
    CHECK(!sq__cache_count().has_keeper); /* no thread idled when one was needed */
    fail_nth(FAIL_THREAD, 1, true);
    for (int i = 0; i < QUEUES; i += 1) {
        hold_end(&holds[i]);
    }
    await_kept(QUEUES);
    for (int i = 0; i < QUEUES; i += 1) {
        place_t place = place_of_next_task(queues[i]);
        CHECK_STRING(place.name, "keeps");
    }
    fail_nothing();
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
    end_cached_threads();
}

/* Else each of many queues that are created at a time wakes a thread for its one task. */
TEST(no_client_joins_a_thread_while_another_one_that_was_joined_has_yet_to_begin) {
    enum { THREADS = 2 };
    sq_queue_t *queues[THREADS];
    hold_t holds[THREADS];
    sq__client_t *first, *second;
    const sq__thread_kind_t kind = { .name = "joins" };
    end_cached_threads();
    for (int i = 0; i < THREADS; i += 1) {
        queues[i] = sq_queue_create("leaves its thread", NULL);
        REQUIRE(queues[i] != NULL);
        hold_async(&holds[i], queues[i]);
    }
    for (int i = 0; i < THREADS; i += 1) {
        hold_end(&holds[i]);
        drain(queues[i]);
        sq_queue_release(queues[i]);
    }
    await_idle(THREADS);
    REQUIRE(sq__cache_join(&first, never_called, NULL, &kind) == 0);
    REQUIRE(sq__cache_join(&second, never_called, NULL, &kind) == 0);
    CHECK(sq__token_is_open(first->token, first->wait_id)); /* it has joined one of the threads */
    CHECK_EQUAL(second->wait_id, 0);                        /* its first post looks for one */
    sq__cache_leave(second);
    sq__cache_leave(first);
    end_cached_threads();
}

/* Also while its thread is just being started. */
TEST(a_client_may_leave_before_it_was_ever_posted) {
    end_cached_threads();
    for (size_t round = 0; round < scaled(300); round += 1) {
        sq__client_t *client;
        REQUIRE(sq__cache_join(&client, never_called, NULL, &(sq__thread_kind_t){ .name = "leaves" }) == 0);
        if (round % 3 == 0) {
            await_idle(1);
        }
        sq__cache_leave(client);
        if (round % 2 == 0) {
            end_cached_threads();
        }
    }
    end_cached_threads();
    CHECK_EQUAL(sq__cache_count().clients, 0);
}

/* Posts against threads that give up, and are taken: each pause is about as long as the time after which a thread ends. */
TEST(a_task_that_comes_as_the_thread_gives_up_runs_once) {
    enum { QUEUES = 64 };
    random_stream_t random = random_start(0);
    static size_t ran[QUEUES];
    sq_queue_t *queues[QUEUES];
    for (int i = 0; i < QUEUES; i += 1) {
        ran[i] = 0;
        queues[i] = sq_queue_create("gives up", NULL);
        REQUIRE(queues[i] != NULL);
    }
    for (size_t round = 0; round < 6; round += 1) {
        for (int i = 0; i < QUEUES; i += 1) {
            CHECK_EQUAL(sq_async(queues[i], add_one, &ran[i]), 0);
            usleep((useconds_t)random_below(&random, 2 * 500000 / QUEUES));
        }
    }
    for (int i = 0; i < QUEUES; i += 1) {
        drain(queues[i]);
        CHECK_EQUAL(ran[i], 6);
        sq_queue_release(queues[i]);
    }
}

/* Threads that post queues of their own, which come and go, and take each other's threads. */
static void *come_and_go(void *unused) {
    (void)unused;
    for (size_t round = 0; round < scaled(2000); round += 1) {
        size_t ran = 0;
        sq_queue_t *queue = sq_queue_create("rush", NULL);
        REQUIRE(queue != NULL);
        for (size_t i = 0; i < 1 + round % 3; i += 1) {
            CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        }
        drain(queue);
        CHECK_EQUAL(ran, 1 + round % 3);
        sq_queue_release(queue);
    }
    return NULL;
}

TEST(queues_of_many_threads_come_and_go) {
    enum { THREADS = 6 };
    pthread_t posters[THREADS];
    for (size_t i = 0; i < THREADS; i += 1) {
        posters[i] = spawn(come_and_go, NULL);
    }
    for (size_t i = 0; i < THREADS; i += 1) {
        join(posters[i]);
    }
    end_cached_threads();
    CHECK_EQUAL(sq__cache_count().in_line, 0);
}
