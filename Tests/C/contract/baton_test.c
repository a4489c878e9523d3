/* baton_test.c: one thread at a time holds a queue's baton; the baton passes from task to task. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include <stdlib.h>

/* Several producers, async and sync mixed. Everything that `step` writes is plain memory: if two threads held the baton at once, or a
 * holder did not see what the one before it wrote, the counts would be wrong, and ThreadSanitizer would report it. */
enum { PRODUCERS = 6, MOST_PRODUCERS = 8 };

typedef struct traffic {
    sq_queue_t *queue;
    size_t per_producer;
    latch_t go;
    size_t inside;                   /* 1 while a task runs */
    size_t overlaps, disorders, ran; /* what must come out as 0, 0 and all */
    size_t next[MOST_PRODUCERS];     /* the number that each producer's next task must have */
} traffic_t;

typedef struct step {
    traffic_t *traffic;
    size_t producer, number;
} step_t;

static void step(void *context) {
    step_t *step = context;
    traffic_t *traffic = step->traffic;
    traffic->overlaps += traffic->inside != 0;
    traffic->inside += 1;
    traffic->disorders += step->number < traffic->next[step->producer];
    traffic->next[step->producer] = step->number + 1;
    traffic->ran += 1;
    traffic->inside -= 1;
}

typedef struct producer {
    traffic_t *traffic;
    size_t index;
    step_t *steps;
    size_t accepted;
} producer_t;

static void *produce(void *argument) {
    producer_t *producer = argument;
    traffic_t *traffic = producer->traffic;
    random_stream_t random = random_start(100 + producer->index);
    latch_wait(&traffic->go, 1);
    for (size_t i = 0; i < traffic->per_producer; i += 1) {
        step_t *mine = &producer->steps[i];
        *mine = (step_t){ traffic, producer->index, i };
        /* In runs, not one by one: a backlog builds up and is then waited for. */
        int error = random_below(&random, 16) == 0 ? sq_sync(traffic->queue, step, mine)
                                                   : sq_async(traffic->queue, step, mine);
        CHECK(error == 0 || error == ENOMEM);
        producer->accepted += error == 0;
    }
    return NULL;
}

/* Returns how many submissions were accepted. Of the allocations meanwhile about one in `fail_one_in` fails; 0: none. */
static size_t drive_failing(size_t producers, size_t per_producer, uint64_t fail_one_in) {
    REQUIRE(producers <= MOST_PRODUCERS);
    traffic_t traffic = { .queue = sq_queue_create("traffic", NULL), .per_producer = per_producer, .go = LATCH_INIT };
    REQUIRE(traffic.queue != NULL);
    producer_t all[MOST_PRODUCERS];
    pthread_t threads[MOST_PRODUCERS];
    for (size_t i = 0; i < producers; i += 1) {
        all[i] = (producer_t){ &traffic, i, malloc(per_producer * sizeof(step_t)), 0 };
        REQUIRE(all[i].steps != NULL);
        threads[i] = spawn(produce, &all[i]);
    }
    if (fail_one_in) {
        fail_some(FAIL_ALLOCATION, fail_one_in);
    }
    latch_bump(&traffic.go);
    size_t accepted = 0;
    for (size_t i = 0; i < producers; i += 1) {
        join(threads[i]);
        accepted += all[i].accepted;
    }
    fail_nothing();
    drain(traffic.queue);
    CHECK_EQUAL(traffic.overlaps, 0);
    CHECK_EQUAL(traffic.disorders, 0);
    CHECK_EQUAL(traffic.ran, accepted);
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(traffic.queue, &stats);
    CHECK_EQUAL(stats.submitted, accepted + 1); /* and the drain */
    CHECK_EQUAL(stats.ran, stats.submitted);
    CHECK_EQUAL(stats.rejected, producers * per_producer - accepted);
    CHECK_EQUAL(stats.depth, 0);
    sq_queue_release(traffic.queue);
    for (size_t i = 0; i < producers; i += 1) {
        free(all[i].steps);
    }
    return accepted;
}

static size_t drive(size_t producers, size_t per_producer) { return drive_failing(producers, per_producer, 0); }

TEST(six_producers_keep_their_order_and_never_overlap) {
    CHECK_EQUAL(drive(PRODUCERS, 30000), PRODUCERS * 30000);
}

TEST(two_producers_that_catch_up_with_the_runner_keep_their_order) {
    for (size_t round = 0; round < scaled(2000); round += 1) {
        CHECK_EQUAL(drive(2, 20), 40);
        if (round % 16 == 15) {
            let_threads_end(16);
        }
    }
}

TEST(waits_that_end_without_a_signal_change_nothing) {
    uint64_t before = spurious_wakes();
    wake_spuriously(2);
    CHECK_EQUAL(drive(PRODUCERS, scaled(20000)), PRODUCERS * scaled(20000));
    wake_spuriously(0);
    CHECK(spurious_wakes() > before);
}

TEST(memory_that_runs_out_now_and_then_loses_no_accepted_task) {
    size_t accepted = drive_failing(PRODUCERS, 30000, 3);
    note("%zu of %d accepted while every third allocation failed", accepted, PRODUCERS * 30000);
    CHECK(accepted > 0);
}

/* Pure contention in sync: each grant goes to a thread that is about to sleep or already asleep. */
typedef struct contention {
    sq_queue_t *outer, *inner;
    size_t rounds;
    size_t outside, inside; /* of outer's and of inner's tasks */
} contention_t;

static void count_inside(void *context) { ((contention_t *)context)->inside += 1; }

static void nest(void *context) {
    contention_t *contention = context;
    contention->outside += 1;
    CHECK_EQUAL(sq_sync(contention->inner, count_inside, contention), 0);
}

static void *contend(void *argument) {
    contention_t *contention = argument;
    for (size_t i = 0; i < contention->rounds; i += 1) {
        /* Alternately through the outer queue and straight onto the inner one: both are contended. */
        sq_queue_t *queue = i % 2 ? contention->outer : contention->inner;
        CHECK_EQUAL(sq_sync(queue, i % 2 ? nest : count_inside, contention), 0);
    }
    return NULL;
}

TEST(contending_syncs_each_get_their_turn_nested_ones_too) {
    enum { THREADS = 8 };
    contention_t contention = { sq_queue_create("outer", NULL), sq_queue_create("inner", NULL), scaled(20000), 0, 0 };
    REQUIRE(contention.outer != NULL && contention.inner != NULL);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(contend, &contention);
    }
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(contention.outside, THREADS * contention.rounds / 2);
    CHECK_EQUAL(contention.inside, THREADS * contention.rounds);
    sq_queue_release(contention.outer);
    sq_queue_release(contention.inner);
}

/* A starving sync would hang here: async tasks submit themselves again for as long as it waits. */
typedef struct endless {
    sq_queue_t *queue;
    size_t ran;
    bool stop;
} endless_t;

static void again(void *context) {
    endless_t *endless = context;
    endless->ran += 1;
    if (!endless->stop) {
        CHECK_EQUAL(sq_async(endless->queue, again, endless), 0);
    }
}

static void stop(void *context) { ((endless_t *)context)->stop = true; }

TEST(a_sync_waits_only_for_the_tasks_before_it) {
    endless_t endless = { sq_queue_create("endless", NULL), 0, false };
    REQUIRE(endless.queue != NULL);
    for (size_t i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_async(endless.queue, again, &endless), 0);
    }
    for (size_t i = 0; i < 1000; i += 1) {
        drain(endless.queue);
    }
    CHECK_EQUAL(sq_sync(endless.queue, stop, &endless), 0);
    drain(endless.queue);
    CHECK(endless.ran >= 10);
    sq_queue_release(endless.queue);
}
