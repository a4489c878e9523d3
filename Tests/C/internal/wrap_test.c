/* wrap_test.c: counters near the limits of 32 bits, and limits. The test sets the fields directly, because counting up to there
 * would take too long; everything else is the queue's normal operation. */
#include "caller.h"
#include "child.h"
#include "inject.h"

#include "kernel/segment.h"
#include "state/state_inline.h"
#include "thread/self.h"
#include "timer/timer_record.h"

TEST(the_number_of_suspensions_has_a_limit_that_is_an_error) {
    sq_queue_t *queue = make_queue_of("limit", 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_suspend(queue), 0);
    queue->suspensions = UINT32_MAX - 1;
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_suspend(queue), EOVERFLOW);
    CHECK_EQUAL(sq_suspend(queue), EOVERFLOW);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    queue->suspensions = 1;
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

TEST(the_number_of_suspensions_of_a_timer_has_a_limit_that_is_an_error) {
    sq_pool_t *pool = sq_pool_create_manual("clock");
    sq_queue_t *queue = sq_queue_create("limit", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool });
    size_t fired = 0;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ .run = add_one, .context = &fired });
    CHECK_EQUAL(sq_timer_start(timer, 1, 0, 0), 0);
    CHECK_EQUAL(sq_timer_suspend(timer), 0);
    timer->suspensions = UINT32_MAX - 1;
    CHECK_EQUAL(sq_timer_suspend(timer), 0);
    CHECK_EQUAL(sq_timer_suspend(timer), EOVERFLOW);
    CHECK_EQUAL(sq_timer_resume(timer), 0);
    CHECK_EQUAL(sq_timer_suspend(timer), 0);
    CHECK_EQUAL(sq_timer_suspend(timer), EOVERFLOW);
    CHECK_EQUAL(sq_pool_advance(pool, 1000), 0);
    timer->suspensions = 1;
    CHECK_EQUAL(sq_timer_resume(timer), 0);
    CHECK_EQUAL(sq_pool_advance(pool, 1000), 1);
    CHECK_EQUAL(fired, 1);
    sq_timer_release(timer);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* The counts of tasks continue beyond 32 bits; those of segments, which the depth is made from, too. */
TEST(counts_continue_beyond_32_bits) {
    enum { TASKS = 1000 };
    const uint64_t near = UINT32_MAX - 3u;
    sq_queue_t *queue = make_queue_of("counts", 0);
    journal_t journal = { 0 };
    static entry_t entries[TASKS];
    sq__store_relaxed(&queue->ran, near);
    sq__store_relaxed(&queue->tallies[SQ__TALLY_REJECTED], INT32_MAX - 3);
    sq__store_relaxed(&queue->tallies[SQ__TALLY_WITHDRAWN], INT32_MAX - 3);
    sq__store_relaxed(&queue->skipped, INT32_MAX - 3);
    sq__store_relaxed(&queue->position, near * SQ__NEXT_SEGMENT + SQ__SEGMENT_SLOTS);
    sq__store_relaxed(&queue->segments, (uint32_t)near);
    hold_t hold;
    hold_async(&hold, queue);
    for (int i = 0; i < TASKS; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        CHECK_EQUAL(sq_async(queue, write_entry, &entries[i]), 0);
        CHECK_EQUAL(sq_queue_depth(queue), i + 1);
        CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    }
    for (int i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_run_and_wait(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
        CHECK_EQUAL(sq_queue_depth(queue), TASKS);
    }
    hold_end(&hold);
    drain(queue);
    for (int i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.ran, near + TASKS + 2);
    CHECK_EQUAL(stats.withdrawn, (uint64_t)INT32_MAX - 3 + 10);
    CHECK_EQUAL(stats.rejected, (uint64_t)INT32_MAX - 3 + TASKS);
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(stats.submitted, stats.ran + stats.withdrawn);
    sq_queue_release(queue);
}

static void reject(sq_queue_t *queue, int times) {
    for (int i = 0; i < times; i += 1) {
        CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    }
}

/* What the queue has no room for is counted in a record, and in the queue while there is no memory for that; and from 2^32 on the depth, too. */
TEST(counts_continue_without_memory) {
    sq_queue_t *queue = make_queue_of("counts", 0);
    hold_t hold;
    hold_async(&hold, queue);
    time_out_in_a_wait(queue, sq_sync_until); /* has made what such a wait needs */
    sq__store_relaxed(&queue->tallies[SQ__TALLY_REJECTED], INT32_MAX - 3);
    fail_nth(FAIL_ALLOCATION, 1, true);
    reject(queue, 10);
    fail_nothing();
    CHECK_EQUAL(stats_now(queue).rejected, (uint64_t)INT32_MAX - 3 + 10);
    reject(queue, 5);
    CHECK_EQUAL(stats_now(queue).rejected, (uint64_t)INT32_MAX - 3 + 15);
    sq__tallies_t *rest = sq__extra(queue, SQ__EXTRA_TALLIES);
    REQUIRE(rest != NULL);
    CHECK_EQUAL(sq__load_relaxed(&rest->tallies[SQ__TALLY_REJECTED]), 5);
    sq__store_relaxed(&queue->tallies[SQ__TALLY_WITHDRAWN], INT32_MAX);
    sq__store_relaxed(&rest->tallies[SQ__TALLY_WITHDRAWN], (uint64_t)INT32_MAX - 2);
    sq__store_relaxed(&queue->skipped, UINT32_MAX - 4);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    for (int i = 1; i <= 10; i += 1) {
        time_out_in_a_wait(queue, sq_sync_until);
        CHECK_EQUAL(sq_queue_depth(queue), 0);
    }
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    CHECK_EQUAL(stats_now(queue).withdrawn, 2 * (uint64_t)INT32_MAX - 2 + 10);
    CHECK(sq__load_relaxed(&queue->skipped) < 100); /* it went over */
    sq_queue_release(queue);
}

/* A thread that has waited four billion times can still wait. In the word of a token the wait id begins at bit 3. */
static void *wait_beyond_32_bits(void *argument) {
    sq_queue_t *queue = argument;
    sq__token_t *token = sq__self_token();
    REQUIRE(token != NULL);
    _Atomic(uint64_t) *word = (_Atomic(uint64_t) *)(void *)token;
    atomic_store(word, ((uint64_t)UINT32_MAX - 20) << 3);
    sq__self_wait_over(token);
    size_t ran = 0;
    for (int i = 0; i < 40; i += 1) {
        hold_t hold;
        caller_t caller;
        hold_async(&hold, queue);
        caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, add_one, &ran);
        wait_for_depth(queue, 1);
        CHECK_EQUAL(sq_sync_until(queue, sq_deadline(100000), must_not_run, NULL), ETIMEDOUT);
        hold_end(&hold);
        CHECK_EQUAL(caller_end(&caller), 0);
        CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, add_one, &ran), 0);
    }
    CHECK_EQUAL(ran, 80);
    CHECK(atomic_load(word) >> 3 > UINT32_MAX); /* it was its token, and went over */
    return NULL;
}

TEST(a_threads_waits_continue_beyond_32_bits) {
    sq_queue_t *queue = make_queue_of("turns", 0);
    join(spawn(wait_beyond_32_bits, queue));
    sq_queue_release(queue);
}

static int ask_stale(void *queue) {
    size_t ran = 0;
    int wrong = !CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ESTALE);
    sq_queue_t *fresh = make_queue_of("fresh", 0);
    wrong += !CHECK_EQUAL(sq_run_and_wait(fresh, SQ_FOREVER, add_one, &ran), 0);
    wrong += !CHECK_EQUAL(ran, 1);
    sq_queue_release(fresh);
    return wrong;
}

TEST(the_number_of_forks_may_wrap) {
    if (UNDER_TSAN) {
        note("left out: ThreadSanitizer does not support threads after a fork");
        return;
    }
    uint32_t before = sq__load_relaxed(&sq__fork_process);
    sq__store_relaxed(&sq__fork_process, UINT32_MAX);
    sq_queue_t *queue = make_queue_of("stale", 0);
    CHECK_EQUAL(in_fork(ask_stale, queue), 0);
    drain(queue);
    sq_queue_release(queue);
    sq__store_relaxed(&sq__fork_process, before);
}

TEST(references_count_up_to_their_last_bit) {
    sq_queue_t *queue = make_queue_of("references", 0);
    sq__store_relaxed(&queue->references, SQ__PINNED - 2); /* above it is the bit of the queues whose target this is */
    CHECK(sq_queue_retain(queue) == queue);
    sq_queue_release(queue);
    drain(queue);
    sq__store_relaxed(&queue->references, 1);
    sq_queue_release(queue);
}
