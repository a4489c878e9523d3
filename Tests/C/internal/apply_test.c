/* apply_test.c: sq_apply runs each iteration once, on its caller and on members that are idle, and waits for no other thread. */
#include "apply.h"
#include "child.h"
#include "inject.h"
#include "include/sq_private.h"
#include "objects/apply_alone.h"
#include "pool/pool.h"

TEST(each_iteration_runs_once_and_is_visible_afterwards) {
    static const size_t counts[] = { 0, 1, 2, 3, 7, 64, 65, 1000, 100000 };
    for (size_t threads = 1; threads <= 3; threads += 1) {
        sq_pool_t *pool = make_pool(threads);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i += 1) {
            check_each_runs_once(pool, counts[i]);
        }
        sq_pool_release(pool);
    }
}

static void must_not_iterate(void *context, size_t index) {
    (void)context, (void)index;
    CHECK(!"an iteration that must not run");
}

TEST(no_function_is_EINVAL_and_no_iteration_calls_nothing) {
    sq_pool_t *pool = make_pool(1);
    CHECK_EQUAL(sq_apply(pool, 3, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_apply(NULL, 0, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_apply(pool, 0, must_not_iterate, NULL), 0);
    sq_pool_release(pool);
}

static void end_the_process(void *context, size_t index) {
    (void)context;
    if (index == 1000) {
        _exit(42);
    }
}

TEST(the_longest_loop_begins_like_any_other) {
    for (int threads = 0; threads < 2; threads += 1) {
        ending_t ending = run_captured("endless", threads ? "pool" : "manual");
        CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 42);
    }
}

TEST(idle_threads_of_the_pool_help) {
    enum { THREADS = 3 };
    sq_pool_t *pool = make_pool(THREADS);
    meeting_t meeting = { .here = LATCH_INIT, .expected = THREADS + 1 };
    CHECK_EQUAL(sq_apply(pool, THREADS + 1, meet, &meeting), 0); /* all at the same time: else it hangs */
    CHECK_EQUAL(latch_value(&meeting.here), THREADS + 1);
    sq_pool_release(pool);
}

/* The first iteration lasts until all others are over. */
typedef struct blocked {
    latch_t over;
    size_t others;
} blocked_t;

static void block_first(void *context, size_t index) {
    blocked_t *blocked = context;
    if (index == 0) {
        latch_wait(&blocked->over, blocked->others);
    } else {
        latch_bump(&blocked->over);
    }
}

TEST(a_blocked_iteration_holds_up_no_other) {
    sq_pool_t *pool = make_pool(1);
    blocked_t blocked = { LATCH_INIT, 999 };
    CHECK_EQUAL(sq_apply(pool, 1000, block_first, &blocked), 0);
    CHECK_EQUAL(latch_value(&blocked.over), 999);
    sq_pool_release(pool);
}

static void become_longer(void *context, size_t index) {
    *(atomic_size_t *)context += 1;
    if (index >= 5000 && index % 1000 == 0) {
        usleep(1000); /* no order depends on it: it makes the iterations differ in length */
    }
}

TEST(iterations_of_different_length_all_run) {
    sq_pool_t *pool = make_pool(2);
    atomic_size_t ran = 0;
    CHECK_EQUAL(sq_apply(pool, 20000, become_longer, &ran), 0);
    CHECK_EQUAL(ran, 20000);
    sq_pool_release(pool);
}

/* After brief loops the next one is not posted to the pool at once, but when it turns out not to be brief (objects/apply_alone.h). */
typedef struct brief {
    meeting_t meeting;
    bool is_long;
} brief_t;

static void be_brief(void *context, size_t index) {
    brief_t *brief = context;
    if (brief->is_long && index == 0) {
        for (sq_time_t end = sq_deadline(1000000); sq_deadline(0) < end;) {
        }
    } else if (brief->is_long) {
        meet(&brief->meeting, index);
    }
}

TEST(a_loop_that_is_long_after_brief_ones_gets_help) {
    sq_pool_t *pool = make_pool(1);
    brief_t brief = { { LATCH_INIT, 2 }, false };
    for (int i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_apply(pool, 3, be_brief, &brief), 0);
    }
    brief.is_long = true;
    CHECK_EQUAL(sq_apply(pool, 3, be_brief, &brief), 0); /* the last two meet: else it hangs */
    CHECK_EQUAL(latch_value(&brief.meeting.here), 2);
    sq_pool_release(pool);
}

/* The first loop that is not brief ends the record of brief ones. It is not posted itself: only one of its two iterations is left when that
 * is known. */
TEST(a_loop_of_two_gets_help_after_one_long_loop) {
    sq_pool_t *pool = make_pool(1);
    for (int before = 1000; before < 1004; before += 1) {
        brief_t brief = { { LATCH_INIT, 1 }, false };
        for (int i = 0; i < before; i += 1) {
            CHECK_EQUAL(sq_apply(pool, 2, be_brief, &brief), 0);
        }
        brief.is_long = true;
        CHECK_EQUAL(sq_apply(pool, 2, be_brief, &brief), 0);
        meeting_t meeting = { LATCH_INIT, 2 };
        CHECK_EQUAL(sq__apply_code(pool, 2, meet, &meeting, (uintptr_t)be_brief), 0);
    }
    sq_pool_release(pool);
}

/* The record is kept for each `code`: that loops of one code were brief says nothing about those of another. */
static void call_other(void *context, size_t index) {
    brief_t *brief = context;
    if (brief->is_long) {
        meet(&brief->meeting, index);
    }
}

TEST(loops_with_one_function_and_different_codes_have_records_of_their_own) {
    sq_pool_t *pool = make_pool(1);
    for (int before = 1000; before < 1004; before += 1) {
        brief_t brief = { { LATCH_INIT, 2 }, false };
        for (int i = 0; i < before; i += 1) {
            CHECK_EQUAL(sq__apply_code(pool, 2, call_other, &brief, 1), 0);
        }
        brief.is_long = true;
        CHECK_EQUAL(sq__apply_code(pool, 2, call_other, &brief, 2), 0); /* the two meet: else it hangs */
    }
    sq_pool_release(pool);
}

/* Where nobody can help */

static void on_this_thread(void *context, size_t index) {
    alone_t *alone = context;
    CHECK_EQUAL(index, alone->ran);
    CHECK(pthread_equal(pthread_self(), alone->thread));
    alone->ran += 1;
}

static void apply_alone(void *context) {
    sq_pool_t *pool = context;
    alone_t alone = { pthread_self(), 0 };
    CHECK_EQUAL(sq_apply(pool, 1000, on_this_thread, &alone), 0);
    CHECK_EQUAL(alone.ran, 1000);
}

TEST(on_a_manual_pool_the_caller_runs_all_in_order) {
    sq_pool_t *pool = make_manual_pool();
    apply_alone(pool);
    sq_queue_t *queue = queue_on(pool, "manual", 0);
    CHECK_EQUAL(sq_async(queue, apply_alone, pool), 0);
    CHECK_EQUAL(sq_pool_run(pool), 1);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

TEST(a_task_on_a_pool_of_one_thread_runs_all_itself) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queue = queue_on(pool, "one", 0);
    CHECK_EQUAL(sq_async(queue, apply_alone, pool), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* The member comes when the call has returned, and its context is gone (AddressSanitizer). */
TEST(a_pool_whose_threads_are_busy_helps_nobody_and_comes_too_late) {
    sq_pool_t *pool = make_pool(2);
    sq_queue_t *queues[] = { queue_on(pool, "a", 0), queue_on(pool, "b", 0) };
    hold_t holds[] = { HOLD_INIT, HOLD_INIT };
    for (int i = 0; i < 2; i += 1) {
        hold_async(&holds[i], queues[i]);
    }
    for (int i = 0; i < 100; i += 1) {
        apply_alone(pool);
    }
    for (int i = 0; i < 2; i += 1) {
        hold_end(&holds[i]);
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
}

/* The pool's list does not grow with loops that nobody helps with. */
TEST(loops_on_a_busy_pool_leave_no_memory) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queue = queue_on(pool, "busy", 0);
    hold_t hold = HOLD_INIT;
    hold_async(&hold, queue);
    apply_alone(pool);
    long blocks = live_blocks();
    for (int i = 0; i < 1000; i += 1) {
        apply_alone(pool);
    }
    CHECK_EQUAL(live_blocks(), blocks);
    hold_end(&hold);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* Turns: a member leaves the loop for a queue that waits. */
typedef struct turn {
    sq_queue_t *queue;
    pthread_t caller;
    latch_t came, submitted, ran;
    atomic_size_t over;
    size_t over_at_turn;
} turn_t;

static void take_turn(void *context) {
    turn_t *turn = context;
    turn->over_at_turn = turn->over;
    latch_bump(&turn->ran);
}

static void share(void *context, size_t index) {
    turn_t *turn = context;
    (void)index;
    if (!pthread_equal(pthread_self(), turn->caller)) {
        latch_bump(&turn->came);
        latch_wait(&turn->submitted, 1);
        for (sq_time_t end = sq_deadline(1000000); sq_deadline(0) < end;) { /* it has stayed long enough: STAY (apply.c) */
        }
    } else if (latch_value(&turn->submitted) == 0) {
        latch_wait(&turn->came, 1); /* else the member may take the queue first */
        CHECK_EQUAL(sq_async(turn->queue, take_turn, turn), 0);
        latch_bump(&turn->submitted);
        latch_wait(&turn->ran, 1);
    }
    turn->over += 1;
}

/* The caller is in its first iteration until then, and the member comes from its first one. */
static void check_turn(size_t count) {
    sq_pool_t *pool = make_pool(1);
    turn_t turn = { .queue = queue_on(pool, "turn", 0), .caller = pthread_self(), .came = LATCH_INIT, .submitted = LATCH_INIT, .ran = LATCH_INIT };
    CHECK_EQUAL(sq_apply(pool, count, share, &turn), 0);
    CHECK_EQUAL(turn.over, count);
    CHECK_AT_MOST(turn.over_at_turn, 1);
    sq_queue_release(turn.queue);
    sq_pool_release(pool);
}

TEST(a_queue_on_the_pool_gets_its_turn_between_iterations) { check_turn(1000); }
TEST(a_queue_on_the_pool_gets_its_turn_between_the_iterations_of_a_short_loop) { check_turn(7); /* it is not timed */ }

/* The member of the first meeting has a task to run before the second one. */
typedef struct back {
    sq_queue_t *queue;
    pthread_t caller;
    meeting_t first, second;
    latch_t ran;
} back_t;

static void run_between(void *context) { latch_bump(&((back_t *)context)->ran); }

static void meet_twice(void *context, size_t index) {
    back_t *back = context;
    if (index < 2) {
        if (!pthread_equal(pthread_self(), back->caller)) {
            CHECK_EQUAL(sq_async(back->queue, run_between, back), 0);
        }
        meet(&back->first, index);
    } else {
        latch_wait(&back->ran, 1);
        meet(&back->second, index);
    }
}

TEST(a_member_that_left_for_a_queue_comes_back) {
    sq_pool_t *pool = make_pool(1);
    back_t back = { queue_on(pool, "between", 0), pthread_self(), { LATCH_INIT, 2 }, { LATCH_INIT, 2 }, LATCH_INIT };
    CHECK_EQUAL(sq_apply(pool, 4, meet_twice, &back), 0);
    CHECK_EQUAL(latch_value(&back.second.here), 2);
    sq_queue_release(back.queue);
    sq_pool_release(pool);
}

static void apply_on_shared(void) {
    meeting_t meeting = { LATCH_INIT, 2 };
    check_each_runs_once(NULL, 0);
    check_each_runs_once(NULL, 1000);
    sq__apply_alone_forget(); /* the next loop is posted at once */
    if (sq__pool_helpers(sq_pool_shared()) > 0) { /* there is more than one processor */
        CHECK_EQUAL(sq_apply(NULL, 2, meet, &meeting), 0);
    }
}

int child_main(int count, char **words) {
    sq_pool_t *pool = count > 1 && strcmp(words[1], "pool") == 0 ? make_pool(1) : make_manual_pool();
    if (strcmp(words[0], "shared") == 0) {
        apply_on_shared();
        return 0;
    }
    if (strcmp(words[0], "endless") == 0) {
        return sq_apply(pool, SIZE_MAX, end_the_process, NULL);
    }
    return apply_without_memory((uint64_t)atoi(words[1]), words[0][0] == 't');
}

TEST(without_a_pool_the_shared_one_helps) { CHECK_EQUAL(run_child((const char *const[]){ "shared", NULL }), 0); }

/* A failure happens once or each time: the caller runs what no other thread can. */
TEST(each_allocation_and_thread_creation_can_fail) {
    char number[16];
    for (int nth = 1; nth <= 6; nth += 1) {
        snprintf(number, sizeof number, "%d", nth);
        CHECK_EQUAL(run_child((const char *const[]){ "memory", number, NULL }), 0);
        CHECK_EQUAL(run_child((const char *const[]){ "threads", number, NULL }), 0);
    }
}
