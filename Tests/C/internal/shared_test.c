/* shared_test.c: waits that may be withdrawn share a slot of a long ring, so that polling a stalled queue needs no memory. */
#include "caller.h"
#include "inject.h"
#include "kernel/shared.h"
#include "queue/turn.h"

#include "sq_once.h"
#include "sq_watch.h"

/* A suspended queue with so many tasks that waits share slots of its ring. */
static sq_queue_t *stalled_queue(const char *label, size_t *ran) {
    sq_queue_t *queue = make_queue_of(label, 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    for (unsigned i = 0; i < SQ__SHARED_FROM; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, ran), 0);
    }
    return queue;
}

static void resume_and_drain(sq_queue_t *queue) {
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
}

/* After the test's calls the counts are still right: the depth is what waits, and nothing else. */
static void check_depth(sq_queue_t *queue) {
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    for (size_t i = 1; i <= 3; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_queue_depth(queue), i);
    }
    resume_and_drain(queue);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
}

/* A try that takes a slot. The public calls do not get that far: they return at once where tasks wait. */
static void poll_once(sq_queue_t *queue, uintptr_t kind) {
    CHECK_EQUAL(sq__turn_wait(queue, &(sq__call_t){ .task = { .run = must_not_run }, .kind = kind, .deadline = SQ_NOW, .is_brief = true }),
                ETIMEDOUT);
}

TEST(a_million_polls_of_a_stalled_queue_allocate_nothing) {
    static const uintptr_t kinds[] = { SQ__WAITER, SQ__RUN_ANYWHERE, SQ__AWAITED };
    size_t ran = 0, polls = scaled(1000000);
    sq_queue_t *queue = stalled_queue("polled", &ran);
    poll_once(queue, SQ__WAITER);
    uint64_t before = allocations();
    for (size_t i = 0; i < polls; i += 1) {
        poll_once(queue, kinds[i % 3]);
    }
    CHECK_EQUAL(allocations(), before);
    CHECK_EQUAL(sq_queue_depth(queue), SQ__SHARED_FROM);
    CHECK_EQUAL(stats_now(queue).withdrawn, polls + 1);
    resume_and_drain(queue);
    CHECK_EQUAL(ran, SQ__SHARED_FROM);
    check_outcomes(queue, SQ__SHARED_FROM + 1, 0, polls + 1, 0);
    check_depth(queue);
    sq_queue_release(queue);
}

/* Threads whose polls overlap, and never leave the last slot empty. */
typedef struct poller {
    sq_queue_t *queue;
    size_t polls;
} poller_t;

static void *poll_often(void *argument) {
    poller_t *poller = argument;
    for (size_t i = 0; i < poller->polls; i += 1) {
        CHECK_EQUAL(sq_sync_until(poller->queue, sq_deadline(20000), must_not_run, NULL), ETIMEDOUT);
    }
    return NULL;
}

TEST(polls_that_overlap_take_no_more_places_either) {
    enum { THREADS = 4 };
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("polled by many", &ran);
    poller_t poller = { queue, scaled(20000) };
    caller_t waiting;
    caller_start(&waiting, BY_SYNC_UNTIL, queue, FAR, add_one, &ran);
    wait_for_depth(queue, SQ__SHARED_FROM + 1);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(poll_often, &poller);
    }
    for (int i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    CHECK_AT_MOST(sq__ring_depth(queue), SQ__SHARED_FROM + 1);
    resume_and_drain(queue);
    CHECK_EQUAL(caller_end(&waiting), 0);
    CHECK_EQUAL(ran, SQ__SHARED_FROM + 1);
    check_depth(queue);
    sq_queue_release(queue);
}

/* Starts a call that waits behind all that waits already. */
static void start_behind(caller_t *caller, way_t way, sq_queue_t *queue, sq_time_t deadline, entry_t *entry) {
    size_t depth = sq_queue_depth(queue);
    caller_start(caller, way, queue, deadline, write_entry, entry);
    wait_for_depth(queue, depth + 1);
}

TEST(threads_that_share_a_slot_keep_their_order_with_the_tasks_around_it) {
    enum { EACH = 3, ALL = 5 * EACH };
    static const way_t ways[] = { BY_SYNC_UNTIL, BY_CALL, BY_SYNC_UNTIL };
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("in order", &ran);
    journal_t journal = { 0 };
    entry_t entries[ALL];
    caller_t callers[ALL];
    for (int i = 0; i < ALL; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        if (i % 5 == 3) {
            CHECK_EQUAL(sq_async(queue, write_entry, &entries[i]), 0);
        } else if (i % 5 == 4) {
            start_behind(&callers[i], BY_SYNC, queue, SQ_FOREVER, &entries[i]);
        } else {
            start_behind(&callers[i], ways[i % 5], queue, FAR, &entries[i]);
        }
    }
    CHECK_EQUAL(sq__ring_depth(queue), SQ__SHARED_FROM + EACH * 3); /* three in one slot, each time */
    CHECK_EQUAL(sq_queue_depth(queue), SQ__SHARED_FROM + ALL);
    CHECK_EQUAL(stats_now(queue).submitted, SQ__SHARED_FROM + ALL);
    resume_and_drain(queue);
    for (int i = 0; i < ALL; i += 1) {
        CHECK(i % 5 == 3 || caller_end(&callers[i]) == 0);
    }
    CHECK_EQUAL(journal.count, ALL);
    for (int i = 0; i < ALL; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    check_outcomes(queue, SQ__SHARED_FROM + ALL + 1, 0, 0, 0);
    check_depth(queue);
    sq_queue_release(queue);
}

/* Such a wait may be refused because of a deadlock, again and again. */
static void sync_in_once(void *context) { CHECK_EQUAL(sq_sync(context, do_nothing, NULL), 0); }

static void *wait_in_once(void *queue) {
    sq_once_t once = SQ_ONCE_INIT;
    CHECK_EQUAL(sq_once(&once, sync_in_once, queue), 0);
    return NULL;
}

TEST(a_wait_without_a_deadline_shares_a_slot_if_it_comes_from_a_task_or_a_once) {
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("waited for", &ran);
    sq_queue_t *other = make_queue_of("waits", 0);
    poll_once(queue, SQ__WAITER);
    CHECK_EQUAL(sq_async(other, sync_in_once, queue), 0);
    wait_for_depth(queue, SQ__SHARED_FROM + 1);
    pthread_t thread = spawn(wait_in_once, queue);
    wait_for_depth(queue, SQ__SHARED_FROM + 2);
    CHECK_EQUAL(sq__ring_depth(queue), SQ__SHARED_FROM + 1);
    resume_and_drain(queue);
    join(thread);
    drain(other);
    sq_queue_release(other);
    sq_queue_release(queue);
}

/* In the middle, at the end and at the beginning of the list. */
TEST(a_thread_that_times_out_leaves_the_others_in_the_list) {
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("left", &ran);
    journal_t journal = { 0 };
    entry_t entries[] = { { &journal, 0 }, { &journal, 1 } };
    caller_t callers[2];
    poll_once(queue, SQ__WAITER);
    start_behind(&callers[0], BY_SYNC_UNTIL, queue, FAR, &entries[0]);
    poll_once(queue, SQ__AWAITED);
    poll_once(queue, SQ__RUN_ANYWHERE);
    start_behind(&callers[1], BY_CALL, queue, FAR, &entries[1]);
    poll_once(queue, SQ__WAITER);
    CHECK_EQUAL(sq__ring_depth(queue), SQ__SHARED_FROM + 1);
    CHECK_EQUAL(sq_queue_depth(queue), SQ__SHARED_FROM + 2);
    resume_and_drain(queue);
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(caller_end(&callers[i]), 0);
        CHECK_EQUAL(journal.entries[i], i);
    }
    check_outcomes(queue, SQ__SHARED_FROM + 3, 0, 4, 0);
    check_depth(queue);
    sq_queue_release(queue);
}

TEST(a_discarding_shutdown_refuses_all_that_share_a_slot) {
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("discarded", &ran);
    caller_t callers[3];
    for (int i = 0; i < 3; i += 1) {
        caller_start(&callers[i], i == 1 ? BY_CALL : BY_SYNC_UNTIL, queue, FAR, must_not_run, NULL);
        wait_for_depth(queue, SQ__SHARED_FROM + 1 + (size_t)i);
    }
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, FAR), 0);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(caller_end(&callers[i]), ESHUTDOWN);
    }
    CHECK_EQUAL(ran, 0);
    check_outcomes(queue, 0, SQ__SHARED_FROM, 3, 0);
    sq_queue_release(queue);
}

/* A thread that joined a slot would wait for a queue that has ended. */
TEST(no_submission_joins_a_slot_of_a_closed_queue) {
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("closed", &ran);
    poll_once(queue, SQ__WAITER);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq__turn_wait(queue, &(sq__call_t){ .kind = SQ__WAITER, .deadline = 1 }), ESHUTDOWN);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, FAR), 0);
    CHECK_EQUAL(ran, SQ__SHARED_FROM);
    check_outcomes(queue, SQ__SHARED_FROM, 0, 1, 1);
    sq_queue_release(queue);
}

TEST(a_wait_that_finds_no_memory_for_a_shared_slot_is_refused) {
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("famine", &ran);
    poll_once(queue, SQ__WAITER); /* the thread has its token */
    sq_queue_t *fresh = make_queue_of("famine", 0);
    fail_nth(FAIL_ALLOCATION, 1, true);
    CHECK_EQUAL(sq_suspend(fresh), 0); /* also without memory for the record that a shared slot needs, too */
    CHECK_EQUAL(fail_nothing(), 1);
    for (unsigned i = 0; i < SQ__SHARED_FROM; i += 1) {
        CHECK_EQUAL(sq_async(fresh, add_one, &ran), 0);
    }
    fail_nth(FAIL_ALLOCATION, 1, true);
    CHECK_EQUAL(sq__turn_wait(fresh, &(sq__call_t){ .kind = SQ__WAITER, .deadline = 1 }), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    poll_once(fresh, SQ__WAITER);
    resume_and_drain(fresh);
    check_outcomes(fresh, SQ__SHARED_FROM + 1, 0, 1, 1);
    sq_queue_release(fresh);
    resume_and_drain(queue);
    sq_queue_release(queue);
}

static void count_stall(void *context, const sq_stall_t *stall) {
    CHECK_EQUAL(stall->kind, SQ_STALL_WAITING);
    CHECK_AT_MOST(stall->depth, SQ__SHARED_FROM + 1); /* a poll may be under way */
    latch_bump(context);
}

/* Polls do not pass for progress. */
TEST(a_stall_is_reported_while_the_queue_is_polled) {
    size_t ran = 0;
    sq_queue_t *queue = stalled_queue("polled and watched", &ran);
    latch_t reported = LATCH_INIT;
    CHECK_EQUAL(sq_queue_watch(queue, 20000000, &(sq_watcher_t){ .stalled = count_stall, .context = &reported }), 0);
    while (latch_value(&reported) == 0) {
        poll_once(queue, SQ__WAITER);
    }
    resume_and_drain(queue);
    sq_queue_release(queue);
}
