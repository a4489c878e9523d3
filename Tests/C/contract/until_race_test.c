/* until_race_test.c: a sync with a deadline against the grant: it has one outcome. */
#include "caller.h"
#include "inject.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A function that runs after its caller got ETIMEDOUT finds the mark of it: each call has a mark of its own. */
enum { LIVE, RAN, GIVEN_UP };

typedef struct storm {
    sq_queue_t *queue;
    size_t calls;
    atomic_size_t number, in_time, too_late, refused, late_runs, streamed;
    atomic_bool over;
    size_t inside; /* plain: the queue protects it */
} storm_t;

typedef struct mark {
    storm_t *storm;
    atomic_int state;
} mark_t;

/* Some microseconds: the deadlines fall among the turns. */
static void last_a_while(void) {
    for (volatile int i = 0; i < 1500; i += 1) {
    }
}

static void run_marked(void *context) {
    mark_t *mark = context;
    mark->storm->inside += 1;
    last_a_while();
    if (atomic_exchange(&mark->state, RAN) != LIVE) {
        mark->storm->late_runs += 1;
    }
}

static void *wait_shortly(void *argument) {
    storm_t *storm = argument;
    random_stream_t random = random_start(10 + atomic_fetch_add(&storm->number, 1));
    mark_t *marks = calloc(storm->calls, sizeof *marks);
    REQUIRE(marks != NULL);
    for (size_t i = 0; i < storm->calls; i += 1) {
        marks[i].storm = storm;
        int error = sq_sync_until(storm->queue, sq_deadline(random_below(&random, 20001)), run_marked, &marks[i]);
        CHECK(error == 0 || error == ETIMEDOUT);
        int state = LIVE;
        if (error == 0) {
            CHECK_EQUAL(marks[i].state, RAN);
            storm->in_time += 1;
        } else if (CHECK(atomic_compare_exchange_strong(&marks[i].state, &state, GIVEN_UP))) {
            storm->too_late += 1;
        }
    }
    drain(storm->queue); /* no thread reads the marks any more */
    for (size_t i = 0; i < storm->calls; i += 1) {
        storm->late_runs += marks[i].state == LIVE;
    }
    free(marks);
    return NULL;
}

static void count_streamed(void *context) {
    storm_t *storm = context;
    storm->inside += 1;
    last_a_while();
}

static void *stream(void *argument) {
    storm_t *storm = argument;
    const sq_task_t task = { count_streamed, storm, NULL };
    while (!storm->over) {
        CHECK_EQUAL(sq_async_until(storm->queue, SQ_FOREVER, &task), 0);
        storm->streamed += 1;
    }
    return NULL;
}

/* Withdraw against grant against finish. */
TEST(six_threads_that_time_out_after_0_to_20_us_lose_nothing_and_run_nothing_late) {
    enum { THREADS = 6 };
    storm_t storm = { .queue = make_queue_of("storm", 64), .calls = scaled(20000) };
    pthread_t threads[THREADS];
    pthread_t streamer = spawn(stream, &storm);
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(wait_shortly, &storm);
    }
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    storm.over = true;
    join(streamer);
    drain(storm.queue);
    CHECK_EQUAL(storm.late_runs, 0);
    CHECK_EQUAL(storm.in_time + storm.too_late, THREADS * storm.calls);
    CHECK_EQUAL(storm.inside, storm.in_time + storm.streamed);
    sq_queue_stats_t stats = stats_now(storm.queue);
    CHECK_EQUAL(stats.ran, storm.in_time + storm.streamed + THREADS + 1);
    CHECK_EQUAL(stats.discarded, 0);
    CHECK_EQUAL(stats.withdrawn + stats.rejected, storm.too_late); /* rejected: it was too late before it had a place */
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(stats.submitted, stats.ran + stats.withdrawn);
    note("%zu in time, %zu too late (%" PRIu64 " of them a place), %zu async", (size_t)storm.in_time, (size_t)storm.too_late,
         stats.withdrawn, (size_t)storm.streamed);
    sq_queue_release(storm.queue);
}

/* The deadline passes as near as possible to the end of the task in front. Nothing waits behind the call. */
TEST(a_deadline_in_the_moment_of_the_grant_gives_one_outcome) {
    sq_queue_t *queue = make_queue_of("moment", 0);
    random_stream_t random = random_start(20);
    size_t ran = 0, in_time = 0, rounds = scaled(3000);
    for (size_t i = 0; i < rounds; i += 1) {
        size_t before = ran;
        hold_t hold;
        caller_t caller;
        hold_async(&hold, queue);
        caller_start(&caller, BY_SYNC_UNTIL, queue, sq_deadline(random_below(&random, 200000)), add_one, &ran);
        for (uint64_t pauses = random_below(&random, 20000); pauses > 0; pauses -= 1) {
            __asm__ __volatile__("");
        }
        hold_end(&hold);
        int error = caller_end(&caller);
        drain(queue);
        CHECK(error == 0 || error == ETIMEDOUT);
        CHECK_EQUAL(ran, before + (error == 0));
        in_time += error == 0;
    }
    note("%zu of %zu in time", in_time, rounds);
    sq_queue_release(queue);
}

/* A shutdown refuses callers while they time out: each slot has one outcome, and is counted once. */
typedef struct giver_up {
    sq_queue_t *queue;
    uint64_t stream;
    latch_t *go;
    size_t ran, timed_out, shut_down;
} giver_up_t;

static void *time_out_or_be_refused(void *argument) {
    giver_up_t *giver = argument;
    random_stream_t random = random_start(giver->stream);
    latch_wait(giver->go, 1);
    for (;;) {
        size_t ran = 0;
        int error = sq_sync_until(giver->queue, sq_deadline(random_below(&random, 50000)), add_one, &ran);
        CHECK_EQUAL(ran, error == 0);
        giver->ran += error == 0;
        giver->timed_out += error == ETIMEDOUT;
        if (error == ESHUTDOWN) {
            giver->shut_down += 1;
            return NULL;
        }
        CHECK(error == 0 || error == ETIMEDOUT);
    }
}

TEST(a_discard_at_the_moment_of_a_withdrawal_counts_each_place_once) {
    enum { THREADS = 3 };
    for (uint64_t round = 0; round < scaled(500); round += 1) {
        sq_queue_t *queue = make_queue_of("giving up", 0);
        latch_t go = LATCH_INIT;
        giver_up_t givers[THREADS];
        pthread_t threads[THREADS];
        for (uint64_t i = 0; i < THREADS; i += 1) {
            givers[i] = (giver_up_t){ queue, 1000 + round * THREADS + i, &go, 0, 0, 0 };
            threads[i] = spawn(time_out_or_be_refused, &givers[i]);
        }
        latch_bump(&go);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, FAR), 0);
        uint64_t ran = 0, outcomes = 0;
        for (size_t i = 0; i < THREADS; i += 1) {
            join(threads[i]);
            ran += givers[i].ran;
            outcomes += givers[i].ran + givers[i].timed_out + givers[i].shut_down;
        }
        sq_queue_stats_t stats = stats_now(queue);
        CHECK_EQUAL(stats.ran, ran);
        CHECK_EQUAL(stats.ran + stats.withdrawn + stats.discarded + stats.rejected, outcomes);
        CHECK_EQUAL(stats.depth, 0);
        sq_queue_release(queue);
    }
}
