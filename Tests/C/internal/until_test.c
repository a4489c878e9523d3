/* until_test.c: a sync with a deadline: it does not wait longer, and after a timeout its function never runs. */
#include "caller.h"
#include "inject.h"
#include "queue/queue_runner.h"
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
    CHECK_EQUAL(sq_queue_depth(queue), 0); /* a place that was withdrawn does not count */
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

/* Tasks before and after each place that was withdrawn, over several segments of the ring. */
TEST(slots_withdrawn_between_tasks_leave_the_order_and_no_memory) {
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

/* The last place before the queue becomes free is one that was withdrawn. */
TEST(a_slot_withdrawn_at_the_end_does_not_keep_the_queue) {
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

/* It times out although spurious wake-ups never let it sleep until the deadline. */
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

/* Trying while the runner lingers */

static void *linger(void *argument) {
    sq_queue_t *queue = argument;
    while (!sq__ring_spin(queue)) { /* it skips most looks, as they find nothing */
    }
    sq__baton_pass(queue);
    return NULL;
}

/* Nothing runs and nothing waits, but the runner still looks for more work. */
TEST(a_queue_whose_runner_lingers_is_free_to_a_caller_that_tries) {
    sq_queue_t *queue = make_queue_of("lingering", 0);
    sq__reserved_t place;
    size_t ran = 0;
    CHECK_EQUAL(sq__ring_reserve(queue, false, &place), 0);
    pthread_t runner = spawn(linger, queue);
    while (sq_sync_until(queue, SQ_NOW, add_one, &ran) != 0) { /* the runner may lose its processor */
    }
    CHECK_EQUAL(ran, 1);
    join(runner);
    CHECK_EQUAL(stats_now(queue).ran, 1);
    sq_queue_release(queue);
}

/* The test is the runner. */
TEST(a_caller_that_tries_stops_when_the_runner_does_not_answer) {
    sq_queue_t *queue = make_queue_of("lingering", 0);
    sq__reserved_t place;
    CHECK_EQUAL(sq__ring_reserve(queue, false, &place), 0);
    CHECK(place.owns);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    check_outcomes(queue, 0, 0, 0, 1);
    (void)sq__add_relaxed(&queue->position, SQ__POSITION_SPINS);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_sync_until(queue, 1, must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    (void)sq__add_relaxed(&queue->position, -SQ__POSITION_SPINS);
    sq__baton_pass(queue);
    check_outcomes(queue, 0, 0, 1, 2);
    sq_queue_release(queue);
}
