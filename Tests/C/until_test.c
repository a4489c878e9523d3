/* until_test.c: a sync that waits no longer than it was told, and whose function is never run once it has given up. */
#include "caller.h"
#include "inject.h"
#include "kernel/baton.h"
#include "kernel/ring.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SOON (sq_deadline(1000000))

TEST(a_free_queue_is_taken_whatever_the_deadline) {
    sq_queue_t *queue = make_queue_of("free", 0);
    const sq_time_t deadlines[] = { SQ_NOW, 1, sq_deadline(0), sq_deadline(1), SQ_FOREVER - 1, SQ_FOREVER };
    size_t ran = 0;
    for (size_t i = 0; i < 6; i += 1) {
        CHECK_EQUAL(sq_sync_until(queue, deadlines[i], add_one, &ran), 0);
        CHECK_EQUAL(ran, i + 1);
    }
    check_outcomes(queue, 6, 0, 0, 0);
    sq_queue_release(queue);
}

static void check_busy(void (*hold_by)(hold_t *, sq_queue_t *)) {
    sq_queue_t *queue = make_queue_of("busy", 0);
    hold_t hold;
    hold_by(&hold, queue);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_sync_until(queue, 1, must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    uint64_t late = 0;
    while (CHECK_EQUAL(sq_sync_until(queue, SOON, must_not_run, NULL), ETIMEDOUT) && stats_now(queue).withdrawn == 0) {
        late += 1; /* it took no place */
    }
    CHECK_EQUAL(sq_queue_depth(queue), 0); /* a place that was given up is not depth */
    hold_end(&hold);
    drain(queue);
    check_outcomes(queue, 2, 0, 1, 2 + late);
    sq_queue_release(queue);
}

TEST(a_busy_queue_is_EAGAIN_now_and_ETIMEDOUT_later_behind_an_async_task) { check_busy(hold_async); }
TEST(a_busy_queue_is_EAGAIN_now_and_ETIMEDOUT_later_behind_a_sync_task) { check_busy(hold_sync); }

TEST(a_sync_until_whose_turn_comes_in_time_runs_on_its_own_thread) {
    sq_queue_t *queue = make_queue_of("in time", 0);
    const sq_time_t deadlines[] = { FAR, SQ_FOREVER - 1, SQ_FOREVER };
    size_t ran = 0;
    for (size_t i = 0; i < 3; i += 1) {
        hold_t hold;
        caller_t caller;
        hold_async(&hold, queue);
        caller_start(&caller, BY_SYNC_UNTIL, queue, deadlines[i], add_one, &ran);
        wait_for_depth(queue, 1);
        CHECK_EQUAL(ran, i);
        hold_end(&hold);
        CHECK_EQUAL(caller_end(&caller), 0);
        CHECK_EQUAL(ran, i + 1);
    }
    sq_queue_release(queue);
}

/* Tasks before and after each place that was given up, over several segments of the ring. */
TEST(places_given_up_between_tasks_leave_the_order_and_no_memory) {
    enum { EACH = 300 };
    sq_queue_t *queue = make_queue_of("between", 0);
    journal_t journal = { 0 };
    static entry_t entries[EACH];
    hold_t hold;
    hold_async(&hold, queue);
    for (int i = 0; i < EACH; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        CHECK_EQUAL(sq_async(queue, write_entry, &entries[i]), 0);
        CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000), must_not_run, NULL), ETIMEDOUT);
    }
    CHECK_EQUAL(sq_queue_depth(queue), EACH);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(journal.count, EACH);
    for (int i = 0; i < EACH; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.ran, EACH + 2);
    CHECK_AT_MOST(stats.withdrawn + stats.rejected, EACH); /* 1 us may pass before the place is taken */
    CHECK_EQUAL(stats.withdrawn + stats.rejected, EACH);
    sq_queue_release(queue);
}

/* The last place before the queue becomes free is one that was given up. */
TEST(a_place_given_up_at_the_end_does_not_keep_the_queue) {
    sq_queue_t *queue = make_queue_of("at the end", 0);
    for (size_t i = 0; i < scaled(300); i += 1) {
        hold_t hold;
        hold_sync(&hold, queue);
        CHECK_EQUAL(sq_sync_until(queue, sq_deadline(100000), must_not_run, NULL), ETIMEDOUT);
        hold_end(&hold);
        size_t ran = 0;
        CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, add_one, &ran), 0); /* free again, or it would be EAGAIN */
        CHECK_EQUAL(ran, 1);
    }
    sq_queue_release(queue);
}

TEST(a_wait_with_a_deadline_is_not_ended_by_wake_ups_without_a_signal) {
    sq_queue_t *queue = make_queue_of("spurious", 0);
    size_t ran = 0;
    hold_t hold;
    caller_t caller;
    hold_async(&hold, queue);
    uint64_t before = spurious_wakes();
    wake_spuriously(1);
    caller_start(&caller, BY_SYNC_UNTIL, queue, FAR, add_one, &ran);
    while (spurious_wakes() < before + 1000) {
        sched_yield();
    }
    CHECK_EQUAL(ran, 0);
    wake_spuriously(0);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

/* It gives up although the signals that come with wake-ups never let it sleep to the end. */
TEST(a_wait_with_a_deadline_ends_in_spite_of_wake_ups_without_a_signal) {
    sq_queue_t *queue = make_queue_of("spurious", 0);
    hold_t hold;
    hold_async(&hold, queue);
    wake_spuriously(2);
    CHECK_EQUAL(sq_sync_until(queue, SOON, must_not_run, NULL), ETIMEDOUT);
    wake_spuriously(0);
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
}

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
    drain(storm->queue); /* nobody looks at the marks any more */
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

/* Withdraw against grant against finish. To see it fail: in sq__token_withdraw, store the word instead of swapping it (a
 * granted wait is then given up: nobody has the baton, and the watchdog barks); or in grant() of baton.c, do not look at what
 * sq__token_grant returns (the same). */
TEST(six_threads_that_give_up_after_0_to_20_us_lose_nothing_and_run_nothing_late) {
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
    note("%zu in time, %zu gave up (%" PRIu64 " of them a place), %zu async", (size_t)storm.in_time, (size_t)storm.too_late,
         stats.withdrawn, (size_t)storm.streamed);
    sq_queue_release(storm.queue);
}

/* The deadline and the end of the task in front, as near to each other as can be had: the last place of all. */
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

/* Shut down with refusals while callers give up: each place has one outcome, and is counted once. */
typedef struct giver_up {
    sq_queue_t *queue;
    uint64_t stream;
    latch_t *go;
    size_t ran, timed_out, shut_down;
} giver_up_t;

static void *give_up_or_be_refused(void *argument) {
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

/* To see it fail: in grant() of baton.c, count `discarded` whatever sq__token_refuse returns. */
TEST(a_discard_in_the_moment_of_giving_up_counts_each_place_once) {
    enum { THREADS = 3 };
    for (uint64_t round = 0; round < scaled(500); round += 1) {
        sq_queue_t *queue = make_queue_of("giving up", 0);
        latch_t go = LATCH_INIT;
        giver_up_t givers[THREADS];
        pthread_t threads[THREADS];
        for (uint64_t i = 0; i < THREADS; i += 1) {
            givers[i] = (giver_up_t){ queue, 1000 + round * THREADS + i, &go, 0, 0, 0 };
            threads[i] = spawn(give_up_or_be_refused, &givers[i]);
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

/* Trying while the runner lingers */

static void *linger(void *argument) {
    sq_queue_t *queue = argument;
    while (!sq__ring_linger(queue)) { /* it leaves most looks out, as they are in vain */
    }
    sq__baton_pass(queue);
    return NULL;
}

/* Nothing runs and nothing waits, but the runner still looks for more work. To see it fail (it hangs): leave out the first
 * condition in try_turn, or do not set `lingers`. */
TEST(a_queue_whose_runner_lingers_is_free_to_a_caller_that_tries) {
    sq_queue_t *queue = make_queue_of("lingering", 0);
    sq__place_t place;
    size_t ran = 0;
    CHECK_EQUAL(sq__ring_take_place(queue, false, &place), 0);
    pthread_t runner = spawn(linger, queue);
    while (sq_sync_until(queue, SQ_NOW, add_one, &ran) != 0) { /* the runner may lose its processor */
    }
    CHECK_EQUAL(ran, 1);
    join(runner);
    CHECK_EQUAL(stats_now(queue).ran, 1);
    sq_queue_release(queue);
}

/* The test is the runner. */
TEST(a_caller_that_tries_gives_up_when_the_runner_does_not_answer) {
    sq_queue_t *queue = make_queue_of("lingering", 0);
    sq__place_t place;
    CHECK_EQUAL(sq__ring_take_place(queue, false, &place), 0);
    CHECK(place.owns);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    check_outcomes(queue, 0, 0, 0, 1);
    sq__store_relaxed(&queue->lingers, true);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_sync_until(queue, 1, must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    sq__store_relaxed(&queue->lingers, false);
    sq__baton_pass(queue);
    check_outcomes(queue, 0, 0, 1, 2);
    sq_queue_release(queue);
}
