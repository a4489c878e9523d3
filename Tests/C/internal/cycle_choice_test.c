/* cycle_choice_test.c: which wait of a cycle is refused if another one has a deadline, has just ended, or belongs to a call that has begun.
 * cycle_test.c has cycles of all lengths. */
#include "caller.h"
#include "wait/deadlock.h"
#include "wait/wait.h"

enum { LONGEST = 5 };

/* One thread in a task of A sleeps in a wait for B; then a task of B waits for A without a limit. */
typedef struct pair {
    sq_queue_t *a, *b;
    latch_t holds_a, b_may_wait;
    way_t way;
    atomic_int sleeper;
    int first, second; /* what the two waits returned */
    size_t in_a, in_b; /* how often their functions ran */
} pair_t;

static void wait_for_b(void *context) {
    pair_t *pair = context;
    pair->sleeper = gettid();
    latch_bump(&pair->holds_a);
    latch_wait(&pair->b_may_wait, 1);
    pair->first = wait_by(pair->way, pair->b, FAR, add_one, &pair->in_b);
}

static void *hold_a(void *context) {
    CHECK_EQUAL(sq_sync(((pair_t *)context)->a, wait_for_b, context), 0);
    return NULL;
}

static void wait_for_a(void *context) {
    pair_t *pair = context;
    latch_wait(&pair->holds_a, 1);
    if (pair->way == BY_ROOM) {
        CHECK_EQUAL(sq_async(pair->b, do_nothing, NULL), 0);
    }
    latch_bump(&pair->b_may_wait);
    wait_until_asleep(&pair->sleeper);
    pair->second = sq_sync(pair->a, add_one, &pair->in_a);
}

static pair_t run_pair(way_t way, sq_function_t in_b) {
    pair_t pair = { .a = make_queue_of("A", 0), .b = make_queue_of("B", 1), .way = way, .holds_a = LATCH_INIT,
                    .b_may_wait = LATCH_INIT, .first = -1, .second = -1 };
    pthread_t thread = spawn(hold_a, &pair);
    CHECK_EQUAL(sq_sync(pair.b, in_b, &pair), 0);
    join(thread);
    sq_queue_release(pair.a);
    sq_queue_release(pair.b);
    return pair;
}

TEST(a_sync_that_closes_a_cycle_beside_a_sleeping_wait_with_a_deadline_runs) {
    for (way_t way = BY_SYNC_UNTIL; way < WAYS; way += 1) {
        pair_t pair = run_pair(way, wait_for_a);
        CHECK_EQUAL(pair.first, EDEADLK);
        CHECK_EQUAL(pair.in_b, 0);
        CHECK_EQUAL(pair.second, 0);
        CHECK_EQUAL(pair.in_a, 1);
    }
}

TEST(among_equal_deadlines_the_wait_that_closes_the_cycle_is_refused) {
    pair_t pair = run_pair(BY_SYNC, wait_for_a);
    CHECK_EQUAL(pair.first, 0);
    CHECK_EQUAL(pair.in_b, 1);
    CHECK_EQUAL(pair.second, EDEADLK);
    CHECK_EQUAL(pair.in_a, 0);
}

/* The same, but the wait that closes the cycle was refused in another way just before it looks for cycles. */
static void enter_refused(void *context) {
    pair_t *pair = context;
    sq__wait_t wait = { .queue = pair->a };
    sq__edge_t edge;
    latch_wait(&pair->holds_a, 1);
    latch_bump(&pair->b_may_wait);
    wait_until_asleep(&pair->sleeper);
    CHECK_EQUAL(sq__wait_begin(&wait, true), 0);
    CHECK(sq__token_refuse(wait.token, wait.wait_id));
    sq__deadlock_enter(&edge, &wait, SQ_NOW);
    CHECK(!sq__deadlock_leave(&edge));
    sq__wait_cancel(&wait);
}

TEST(no_wait_is_refused_if_the_one_that_would_be_has_just_ended) {
    CHECK_EQUAL(run_pair(BY_SYNC_UNTIL, enter_refused).first, 0);
}

/* Calls that have begun cannot be refused, whatever their deadline was: the thread that syncs back at the end of a chain of
 * them is refused, although it may not be the last to go to sleep. The chain: a task of 0 calls 1, whose function calls 2,
 * ..., whose function syncs onto 0. */
typedef struct chain {
    size_t length;
    sq_queue_t *queues[LONGEST];
    size_t at, refused;
} chain_t;

static void call_next(void *context) {
    chain_t *chain = context;
    chain->at += 1;
    if (chain->at < chain->length) {
        CHECK_EQUAL(sq_run_and_wait(chain->queues[chain->at], chain->at % 2 ? FAR : SQ_FOREVER, call_next, chain), 0);
        return;
    }
    CHECK_EQUAL(sq_sync(chain->queues[0], must_not_run, NULL), EDEADLK);
    chain->refused += 1;
    char last[64];
    snprintf(last, sizeof last, "waits for queue \"queue-%zu\"", chain->length - 1);
    CHECK(strstr(sq_deadlock_report(), "waits for queue \"queue-0\"") != NULL);
    CHECK(strstr(sq_deadlock_report(), last) != NULL);
}

TEST(a_sync_back_onto_a_chain_of_calls_that_have_begun_is_refused) {
    for (size_t round = 0; round < scaled(1000); round += 1) {
        chain_t chain = { .length = 2 + round % (LONGEST - 1) };
        for (size_t i = 0; i < chain.length; i += 1) {
            char label[32];
            snprintf(label, sizeof label, "queue-%zu", i);
            chain.queues[i] = make_queue_of(label, 0);
        }
        CHECK_EQUAL(round % 2 ? sq_sync(chain.queues[0], call_next, &chain)
                              : sq_run_and_wait(chain.queues[0], SQ_FOREVER, call_next, &chain), 0);
        CHECK_EQUAL(chain.refused, 1);
        for (size_t i = 0; i < chain.length; i += 1) {
            sq_queue_release(chain.queues[i]);
        }
        let_threads_end(16);
    }
}
