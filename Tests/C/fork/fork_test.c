/* fork_test.c: the child of a fork has the queues and none of the threads: the old ones answer, the new ones work, nothing
 * hangs. ThreadSanitizer cannot follow a process with threads through a fork: nothing is tested there. */
#include "fork.h"
#include "cached.h"

/* Every call, on an old queue, in the child. `free`: a sync can have it. Returns how many answers were wrong. */
static int ask_everything(sq_queue_t *queue, bool is_free) {
    const sq_task_t never = { must_not_run, NULL, must_not_run };
    int wrong = 0, expected = is_free ? 0 : ESTALE;
    size_t ran = 0, had = is_free ? 1 : 0;
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    wrong += !CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_async_task(queue, &never), ESTALE);
    wrong += !CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &never), ESTALE);
    wrong += !CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_sync(queue, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(sq_sync_or_run(queue, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(sq_sync_until(queue, SQ_FOREVER, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, add_one, &ran), expected);
    wrong += !CHECK_EQUAL(ran, 4 * had);
    wrong += !CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), ESTALE);
    wrong += !CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), ESTALE);
    wrong += !CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), expected); /* it has not been closed */
    wrong += !CHECK(!sq_is_current(queue));
    wrong += !CHECK(sq_queue_label(queue) != NULL);
    sq_queue_stats(queue, &stats);
    sq_queue_depth(queue);
    sq_queue_release(sq_queue_retain(queue));
    sq_suspend(queue); /* whatever they answer */
    sq_resume(queue);
    int after = sq_sync_until(queue, SQ_FOREVER, do_nothing, NULL);
    wrong += !CHECK(after == 0 || after == ESTALE);
    sq_queue_release(queue);
    return wrong;
}

static int ask_free(void *queue) { return ask_everything(queue, true); }
static int ask_busy(void *queue) { return ask_everything(queue, false); }

TEST(in_the_child_a_free_queue_takes_syncs_and_refuses_the_rest) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *unused = make_queue_of("unused", 0), *bounded = make_queue_of("bounded", 3), *used = make_queue_of("used", 0);
    CHECK_EQUAL(sq_async(used, do_nothing, NULL), 0);
    drain(used);
    while (sq_sync_until(used, SQ_NOW, do_nothing, NULL) != 0) { /* the runner lingers a while */
    }
    CHECK_EQUAL(in_fork(ask_free, unused), 0);
    CHECK_EQUAL(in_fork(ask_free, bounded), 0);
    CHECK_EQUAL(in_fork(ask_free, used), 0);
    sq_queue_t *const queues[] = { unused, bounded, used };
    for (int i = 0; i < 3; i += 1) { /* and nothing has come of it in the parent */
        size_t ran = 0;
        CHECK_EQUAL(sq_async(queues[i], add_one, &ran), 0);
        drain(queues[i]);
        CHECK_EQUAL(ran, 1);
        sq_queue_release(queues[i]);
    }
}

static void check_held(void (*hold_by)(hold_t *, sq_queue_t *), size_t capacity, size_t backlog) {
    sq_queue_t *queue = make_queue_of("held", capacity);
    size_t ran = 0;
    hold_t hold;
    caller_t callers[2];
    hold_by(&hold, queue);
    for (size_t i = 0; i < backlog; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    }
    caller_start(&callers[0], BY_SYNC, queue, SQ_FOREVER, add_one, &ran);
    caller_start(&callers[1], BY_CALL, queue, SQ_FOREVER, add_one, &ran);
    wait_for_depth(queue, backlog + 2);
    CHECK_EQUAL(in_fork(ask_busy, queue), 0);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&callers[0]), 0);
    CHECK_EQUAL(caller_end(&callers[1]), 0);
    drain(queue);
    CHECK_EQUAL(ran, backlog + 2);
    sq_queue_release(queue);
}

TEST(in_the_child_a_queue_that_another_thread_holds_refuses_and_never_hangs) {
    if (fork_left_out()) {
        return;
    }
    check_held(hold_async, 0, 0);
    check_held(hold_async, 0, 300);
    check_held(hold_async, 5, 5);
    check_held(hold_sync, 0, 0);
    check_held(hold_sync, 0, 300);
}

TEST(in_the_child_a_suspended_queue_refuses_and_never_hangs) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("suspended", 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(in_fork(ask_busy, queue), 0);
    for (int i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    }
    CHECK_EQUAL(in_fork(ask_busy, queue), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK_EQUAL(ran, 10);
    sq_queue_release(queue);
}

static int suspend_and_resume(void *context) {
    sq_queue_t **queues = context;
    bool good = true;
    for (int i = 0; i < 2; i += 1) {
        good &= CHECK_EQUAL(sq_suspend(queues[i]), ESTALE);
        good &= CHECK_EQUAL(sq_resume(queues[i]), ESTALE);
    }
    good &= CHECK_EQUAL(sq_sync(queues[0], do_nothing, NULL), 0); /* as free as before */
    return good ? 0 : 1;
}

TEST(in_the_child_a_queue_can_neither_be_suspended_nor_resumed) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queues[2] = { make_queue_of("free", 0), make_queue_of("suspended", 0) };
    CHECK_EQUAL(sq_suspend(queues[1]), 0);
    CHECK_EQUAL(in_fork(suspend_and_resume, queues), 0);
    for (int i = 0; i < 2; i += 1) {
        sq_queue_release(queues[i]);
    }
}

static int ask_ended(void *context) {
    sq_queue_t *queue = context;
    int wrong = 0, error = sq_sync(queue, must_not_run, NULL);
    wrong += !CHECK(error == ESTALE || error == ESHUTDOWN);
    error = sq_async(queue, must_not_run, NULL);
    wrong += !CHECK(error == ESTALE || error == ESHUTDOWN);
    wrong += !CHECK(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) != EDEADLK);
    sq_queue_release(queue);
    return wrong;
}

TEST(in_the_child_a_queue_that_was_shut_down_refuses) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("ended", 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(in_fork(ask_ended, queue), 0);
    sq_queue_release(queue);
}

TEST(in_the_child_new_queues_work) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("parent's", 0);
    hold_t hold;
    hold_async(&hold, queue);
    for (int i = 0; i < 20; i += 1) {
        CHECK_EQUAL(in_fork(use_new_queues, NULL), 0);
    }
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
}

typedef struct forker {
    sq_queue_t *mine, *yours;
    caller_t other;
    latch_t inside;
} forker_t;

static void wait_for_yours(void *context) {
    forker_t *forker = context;
    latch_bump(&forker->inside);
    CHECK_EQUAL(sq_sync(forker->yours, do_nothing, NULL), 0);
}

static void fork_and_cross(void *context) {
    forker_t *forker = context;
    caller_start(&forker->other, BY_SYNC, forker->mine, SQ_FOREVER, wait_for_yours, forker);
    latch_wait(&forker->inside, 1);
    wait_until_asleep(&forker->other.thread_id);
    CHECK_EQUAL(in_fork(use_new_queues, NULL), 0);
    CHECK_EQUAL(sq_sync(forker->mine, must_not_run, NULL), EDEADLK);
}

/* While another thread waits. */
TEST(after_a_fork_the_parent_still_finds_a_cycle_through_a_wait_that_began_before) {
    if (fork_left_out()) {
        return;
    }
    forker_t forker = { .mine = make_queue_of("mine", 0), .yours = make_queue_of("yours", 0), .inside = LATCH_INIT };
    CHECK_EQUAL(sq_sync(forker.yours, fork_and_cross, &forker), 0);
    CHECK_EQUAL(caller_end(&forker.other), 0);
    sq_queue_release(forker.mine);
    sq_queue_release(forker.yours);
}

static int fork_again(void *context) {
    sq_queue_t *mine = make_queue_of("child's", 0);
    int wrong = !CHECK_EQUAL(sq_async(mine, do_nothing, NULL), 0);
    hold_t hold;
    hold_async(&hold, mine);
    wrong += in_fork(ask_busy, mine) != 0;
    hold_end(&hold);
    wrong += in_fork(use_new_queues, NULL) != 0;
    wrong += !CHECK_EQUAL(sq_shutdown(mine, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(mine);
    return wrong + ask_everything(context, true);
}

TEST(the_child_of_a_child_is_one_more) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *queue = make_queue_of("grandparent's", 0);
    CHECK_EQUAL(in_fork(fork_again, queue), 0);
    drain(queue);
    sq_queue_release(queue);
}

/* The child has none of the cache's threads, and none of the queues that could need one. */
static int idle_in_child(void *queue) {
    sq__cache_counts_t counts = sq__cache_count();
    int wrong = !CHECK_EQUAL(counts.clients + counts.threads + counts.kept + counts.has_keeper, 0);
    wrong += ask_everything(queue, true);
    sq_queue_t *mine = make_used_queue("child's");
    await_kept(1);
    size_t ran = 0;
    wrong += !CHECK_EQUAL(sq_async(mine, add_one, &ran), 0);
    drain(mine);
    wrong += !CHECK_EQUAL(ran, 1);
    sq_queue_release(mine);
    end_cached_threads();
    return wrong;
}

TEST(in_the_child_no_idle_thread_of_the_parent_is_used) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_t *idle = make_used_queue("idle"), *other = make_used_queue("other");
    await_idle(sq__cache_count().threads);
    CHECK_EQUAL(in_fork(idle_in_child, idle), 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_async(idle, add_one, &ran), 0);
    drain(idle);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(idle);
    sq_queue_release(other);
}
