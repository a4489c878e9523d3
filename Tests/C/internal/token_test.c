/* token_test.c: threads that wait for their turn: how they are woken, and what remains of them. */
#include "harness.h"
#include "heap.h"
#include "inject.h"
#include "latch.h"

#include "thread/token.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct crowd {
    sq_queue_t *queue;
    latch_t go;
    size_t inside; /* plain: the queue protects it */
} crowd_t;

static void count_inside(void *context) { ((crowd_t *)context)->inside += 1; }

static void *sync_some(void *argument) {
    crowd_t *crowd = argument;
    latch_wait(&crowd->go, 1);
    for (size_t i = 0; i < 4; i += 1) {
        CHECK_EQUAL(sq_sync(crowd->queue, count_inside, crowd), 0);
    }
    return NULL;
}

enum { CROWD = 4 };

/* Four threads that come, wait for each other's turns behind a held queue, and end. */
static void one_round(crowd_t *crowd) {
    pthread_t threads[CROWD];
    crowd->go = (latch_t)LATCH_INIT;
    for (size_t i = 0; i < CROWD; i += 1) {
        threads[i] = spawn(sync_some, crowd);
    }
    hold_t hold;
    hold_sync(&hold, crowd->queue);
    latch_bump(&crowd->go);
    wait_for_depth(crowd->queue, CROWD); /* all of them have had to queue: each has a token */
    hold_end(&hold);
    for (size_t i = 0; i < CROWD; i += 1) {
        join(threads[i]);
    }
}

static long allocated_bytes(void) { return (long)heap_bytes(); }

TEST(thousands_of_short_lived_threads_that_wait_leave_memory_flat) {
    size_t rounds = scaled(4000), warm_up = rounds / 10;
    crowd_t crowd = { .queue = sq_queue_create("crowd", NULL) };
    REQUIRE(crowd.queue != NULL);
    for (size_t i = 0; i < warm_up; i += 1) {
        one_round(&crowd);
    }
    long bytes = live_bytes(), blocks = live_blocks(), allocated = allocated_bytes();
    uint64_t before = allocations();
    for (size_t i = 0; i < rounds; i += 1) {
        one_round(&crowd);
    }
    CHECK_EQUAL(crowd.inside, (rounds + warm_up) * CROWD * 4);
    CHECK_EQUAL(live_bytes(), bytes);
    CHECK_EQUAL(live_blocks(), blocks);
    note("%zu rounds of %d threads: %ld bytes more by mallinfo2, %" PRIu64 " allocations", rounds, CROWD,
         allocated_bytes() - allocated, allocations() - before);
    if (!SANITIZED) {
        CHECK_AT_MOST(allocated_bytes() - allocated, 64 << 10);
    }
    sq_queue_release(crowd.queue);
}

/* What a dump asks. */
TEST(a_wait_seems_open_until_it_is_granted) {
    sq__token_t *token = sq__token_acquire();
    REQUIRE(token != NULL);
    sq__wait_id_t wait_id = sq__token_prepare(token);
    CHECK(sq__token_seems_open(token, wait_id));
    CHECK(sq__token_claim(token, wait_id));
    CHECK(sq__token_seems_open(token, wait_id));
    CHECK(sq__token_grant(token, wait_id));
    CHECK(!sq__token_seems_open(token, wait_id));
    CHECK(sq__token_seems_open(token, sq__token_prepare(token)));
    CHECK(!sq__token_seems_open(token, wait_id));
    sq__token_recycle(token);
}

TEST(a_queue_used_only_with_sync_never_has_a_thread) {
    uint64_t started = threads_started();
    crowd_t crowd = { .queue = sq_queue_create("no thread", NULL) };
    REQUIRE(crowd.queue != NULL);
    for (size_t i = 0; i < 100; i += 1) {
        one_round(&crowd);
    }
    CHECK_EQUAL(threads_started(), started);
    let_threads_end(1);
    CHECK_EQUAL(threads_alive(), 1); /* this test's own */
    sq_queue_release(crowd.queue);
}

/* Twenty callers asleep behind a held queue: each is woken once, in the order in which they came. */
typedef struct caller {
    sq_queue_t *queue;
    size_t *turns;
    size_t turn;
} caller_t;

static void take_turn(void *context) {
    caller_t *caller = context;
    caller->turn = *caller->turns;
    *caller->turns += 1;
}

static void *sync_turn(void *argument) {
    caller_t *caller = argument;
    CHECK_EQUAL(sq_sync(caller->queue, take_turn, caller), 0);
    return NULL;
}

TEST(callers_in_sync_get_their_turns_in_the_order_of_their_calls) {
    enum { CALLERS = 20 };
    sq_queue_t *queue = sq_queue_create("callers", NULL);
    REQUIRE(queue != NULL);
    for (size_t round = 0; round < scaled(200); round += 1) {
        size_t turns = 0;
        caller_t callers[CALLERS];
        pthread_t threads[CALLERS];
        hold_t hold;
        if (round % 2) {
            hold_async(&hold, queue);
        } else {
            hold_sync(&hold, queue);
        }
        for (size_t i = 0; i < CALLERS; i += 1) {
            callers[i] = (caller_t){ queue, &turns, 0 };
            threads[i] = spawn(sync_turn, &callers[i]);
            wait_for_depth(queue, i + 1);
        }
        hold_end(&hold);
        for (size_t i = 0; i < CALLERS; i += 1) {
            join(threads[i]);
            CHECK_EQUAL(callers[i].turn, i);
        }
    }
    sq_queue_release(queue);
}

/* A task on a runner that waits for another queue needs a token besides the one that its runner sleeps on. */
typedef struct pair {
    sq_queue_t *first, *second;
    size_t ran;
} pair_t;

static void count_second(void *context) { ((pair_t *)context)->ran += 1; }

static void sync_second(void *context) {
    pair_t *pair = context;
    CHECK_EQUAL(sq_sync(pair->second, count_second, pair), 0);
}

TEST(a_task_of_a_runner_can_wait_for_another_queue_while_posts_come_in) {
    pair_t pair = { sq_queue_create("first", NULL), sq_queue_create("second", NULL), 0 };
    REQUIRE(pair.first != NULL && pair.second != NULL);
    size_t rounds = scaled(2000);
    for (size_t i = 0; i < rounds; i += 1) {
        hold_t hold;
        hold_async(&hold, pair.second);
        CHECK_EQUAL(sq_async(pair.first, sync_second, &pair), 0);
        wait_for_depth(pair.second, 1); /* it stands in its wait now */
        CHECK_EQUAL(sq_async(pair.first, sync_second, &pair), 0);
        hold_end(&hold);
        drain(pair.first);
    }
    CHECK_EQUAL(pair.ran, 2 * rounds);
    sq_queue_release(pair.first);
    sq_queue_release(pair.second);
}

/* Signals whose handlers return, without SA_RESTART: a wait in the system is interrupted and must continue. */
static atomic_size_t signals_taken;
static void take_signal(int number) {
    (void)number;
    signals_taken += 1;
}

static void *sync_count(void *argument) {
    crowd_t *crowd = argument;
    CHECK_EQUAL(sq_sync(crowd->queue, count_inside, crowd), 0);
    return NULL;
}

TEST(a_waiting_sync_survives_signals) {
    struct sigaction action = { .sa_handler = take_signal }, before;
    sigaction(SIGUSR1, &action, &before);
    crowd_t crowd = { .queue = sq_queue_create("signals", NULL) };
    REQUIRE(crowd.queue != NULL);
    hold_t hold;
    hold_async(&hold, crowd.queue);
    pthread_t waiter = spawn(sync_count, &crowd);
    wait_for_depth(crowd.queue, 1);
    enum { SIGNALS = 200 };
    for (size_t i = 0; i < SIGNALS; i += 1) {
        size_t taken = signals_taken;
        pthread_kill(waiter, SIGUSR1);
        while (signals_taken == taken) { /* each one, in the wait */
            sched_yield();
        }
    }
    CHECK_EQUAL(crowd.inside, 0);
    hold_end(&hold);
    join(waiter);
    CHECK_EQUAL(crowd.inside, 1);
    CHECK_EQUAL(signals_taken, SIGNALS);
    sigaction(SIGUSR1, &before, NULL);
    sq_queue_release(crowd.queue);
}
