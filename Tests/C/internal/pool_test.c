/* pool_test.c: queues on a pool keep every promise of a queue. Growth and numbers: pool_grow_test.c. */
#include "caller.h"
#include "sq_pool.h"
#include "platform/clock.h"
#include "pool/pool.h"
#include "pools.h"

/* Order, exactly once, mixed calls */

enum { SUBMITTERS = 3, ROUNDS = 4000 };

typedef struct ledger {
    sq_queue_t *queue;
    size_t next[SUBMITTERS]; /* the queue's: what each submitter's next task must be */
    size_t ran, disorders;
    int inside;
} ledger_t;

typedef struct item {
    ledger_t *ledger;
    size_t submitter, number;
} item_t;

static void take_item(void *context) {
    item_t *item = context;
    ledger_t *ledger = item->ledger;
    ledger->disorders += ledger->inside++ != 0 || ledger->next[item->submitter] != item->number;
    ledger->next[item->submitter] = item->number + 1;
    ledger->ran += 1;
    ledger->inside -= 1;
}

typedef struct submitter {
    ledger_t *ledgers;
    size_t which;
    item_t items[2][ROUNDS];
} submitter_t;

/* Submits to two queues alternately, by all calls in turn. When a call that waits has returned, all of this thread's earlier tasks have run. */
static void *submit_all(void *argument) {
    submitter_t *me = argument;
    for (size_t i = 0; i < ROUNDS; i += 1) {
        ledger_t *ledger = &me->ledgers[i % 2];
        item_t *item = &me->items[i % 2][i / 2];
        *item = (item_t){ ledger, me->which, i / 2 };
        switch (i / 2 % 7) {
        case 2:
            CHECK_EQUAL(sq_sync(ledger->queue, take_item, item), 0);
            CHECK_EQUAL(ledger->next[me->which], i / 2 + 1); /* no other thread writes there now */
            break;
        case 5:
            CHECK_EQUAL(sq_run_and_wait(ledger->queue, SQ_FOREVER, take_item, item), 0);
            CHECK_EQUAL(ledger->next[me->which], i / 2 + 1);
            break;
        case 6:
            CHECK_EQUAL(sq_async_task(ledger->queue, &(sq_task_t){ take_item, item, must_not_run }), 0);
            break;
        default:
            CHECK_EQUAL(sq_async(ledger->queue, take_item, item), 0);
        }
    }
    return NULL;
}

static void check_order(size_t threads) {
    static submitter_t submitters[SUBMITTERS];
    sq_pool_t *pool = make_pool(threads);
    ledger_t ledgers[2] = { { .queue = queue_on(pool, "first", 0) }, { .queue = queue_on(pool, "second", 0) } };
    pthread_t running[SUBMITTERS];
    for (size_t i = 0; i < SUBMITTERS; i += 1) {
        submitters[i].ledgers = ledgers;
        submitters[i].which = i;
        running[i] = spawn(submit_all, &submitters[i]);
    }
    for (size_t i = 0; i < SUBMITTERS; i += 1) {
        join(running[i]);
    }
    for (size_t i = 0; i < 2; i += 1) {
        drain(ledgers[i].queue);
        CHECK_EQUAL(ledgers[i].ran, SUBMITTERS * ROUNDS / 2);
        CHECK_EQUAL(ledgers[i].disorders, 0);
        sq_queue_release(ledgers[i].queue);
    }
    sq_pool_release(pool);
}

TEST(on_a_pool_of_one_thread_each_task_runs_once_in_order_and_alone) { check_order(1); }
TEST(on_a_pool_of_two_threads_each_task_runs_once_in_order_and_alone) { check_order(2); }
TEST(on_a_pool_that_may_grow_each_task_runs_once_in_order_and_alone) { check_order(0); }

/* One thread */

typedef struct shared {
    pthread_t thread;
    char name[16];
    size_t ran, others;
    int inside;
} shared_t;

static void share(void *context) {
    shared_t *shared = context;
    if (shared->ran++ == 0) {
        shared->thread = pthread_self();
        pthread_getname_np(pthread_self(), shared->name, sizeof shared->name);
    }
    shared->others += shared->inside++ != 0 || !pthread_equal(shared->thread, pthread_self());
    sched_yield();
    shared->inside -= 1;
}

TEST(two_queues_on_a_pool_of_one_thread_share_it_and_never_run_at_once) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queues[2] = { queue_on(pool, "one", 0), queue_on(pool, "other", 0) };
    shared_t shared = { .ran = 0 }; /* of both: ThreadSanitizer would see it if they ran on two threads */
    for (size_t i = 0; i < 2000; i += 1) {
        CHECK_EQUAL(sq_async(queues[i % 2], share, &shared), 0);
    }
    CHECK_EQUAL(sq_run_and_wait(queues[0], SQ_FOREVER, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_run_and_wait(queues[1], SQ_FOREVER, do_nothing, NULL), 0);
    CHECK_EQUAL(shared.ran, 2000);
    CHECK_EQUAL(shared.others, 0);
    CHECK_STRING(shared.name, "test pool");
    sq_queue_release(queues[0]);
    sq_queue_release(queues[1]);
    sq_pool_release(pool);
}

/* Fair turns. One thread, and both queues only ever run on it, so plain counts are enough. */
typedef struct flood {
    sq_queue_t *flooded, *other;
    size_t ran, asked_at, asked, worst;
    bool pending;
    atomic_bool over;
    latch_t gate, enough;
} flood_t;

enum { PROBES = 200 };

static void probe(void *context) {
    flood_t *flood = context;
    size_t waited = flood->ran - flood->asked_at;
    flood->worst = waited > flood->worst ? waited : flood->worst;
    flood->pending = false;
    if (flood->asked == PROBES) {
        latch_bump(&flood->enough);
    }
}

static void flood_task(void *context) {
    flood_t *flood = context;
    flood->ran += 1;
    if (!flood->pending && flood->asked < PROBES) {
        flood->asked_at = flood->ran;
        flood->asked += 1;
        flood->pending = true;
        CHECK_EQUAL(sq_async(flood->other, probe, flood), 0);
    }
}

static void wait_at_the_gate(void *context) { latch_wait(&((flood_t *)context)->gate, 1); }

static void *keep_flooding(void *argument) {
    flood_t *flood = argument;
    while (!flood->over) {
        for (size_t i = 0; i < 100; i += 1) {
            CHECK_EQUAL(sq_async(flood->flooded, flood_task, flood), 0);
        }
        while (!flood->over && sq_queue_depth(flood->flooded) > 20000) {
            sched_yield();
        }
    }
    return NULL;
}

TEST(a_queue_flooded_by_four_producers_does_not_keep_another_waiting_for_more_than_a_batch) {
    sq_pool_t *pool = make_pool(1);
    flood_t flood = { .flooded = queue_on(pool, "flooded", 0), .other = queue_on(pool, "other", 0), .gate = LATCH_INIT, .enough = LATCH_INIT };
    pthread_t producers[4];
    CHECK_EQUAL(sq_async(flood.flooded, wait_at_the_gate, &flood), 0);
    for (size_t i = 0; i < 4; i += 1) {
        producers[i] = spawn(keep_flooding, &flood);
    }
    wait_for_depth(flood.flooded, 10000); /* then the first probes have a whole batch before them */
    latch_bump(&flood.gate);
    latch_wait(&flood.enough, 1);
    flood.over = true;
    for (size_t i = 0; i < 4; i += 1) {
        join(producers[i]);
    }
    drain(flood.flooded);
    drain(flood.other);
    note("%d probes waited for %zu tasks at most", PROBES, flood.worst);
    CHECK_AT_MOST(flood.worst, SQ__BATCH);
    CHECK(flood.worst >= SQ__BATCH / 2); /* or nothing was shown */
    sq_queue_release(flood.flooded);
    sq_queue_release(flood.other);
    sq_pool_release(pool);
}

/* Hand-offs */

typedef struct relay {
    sq_queue_t *queues[2];
    size_t left;
    char *lowest, *highest;
    latch_t done;
} relay_t;

static void pass_on(void *context) {
    relay_t *relay = context;
    char *here = __builtin_frame_address(0);
    relay->lowest = relay->lowest == NULL || here < relay->lowest ? here : relay->lowest;
    relay->highest = here > relay->highest ? here : relay->highest;
    if (relay->left-- == 0) {
        latch_bump(&relay->done);
        return;
    }
    CHECK_EQUAL(sq_async(relay->queues[relay->left % 2], pass_on, relay), 0);
}

TEST(a_chain_of_a_million_hand_offs_between_two_queues_on_a_pool_needs_no_stack) {
    sq_pool_t *pool = make_pool(1);
    relay_t relay = { .queues = { queue_on(pool, "to", 0), queue_on(pool, "fro", 0) }, .left = scaled(1000000), .done = LATCH_INIT };
    CHECK_EQUAL(sq_async(relay.queues[0], pass_on, &relay), 0);
    latch_wait(&relay.done, 1);
    CHECK_AT_MOST(relay.highest - relay.lowest, 4096);
    sq_queue_release(relay.queues[0]);
    sq_queue_release(relay.queues[1]);
    sq_pool_release(pool);
}

/* Batches end after a millisecond when others wait */

enum { LONG_TASKS = 60 };

typedef struct neighbours {
    sq_queue_t *busy, *other;
    size_t ran, ran_before_the_other;
    latch_t done;
} neighbours_t;

static void be_the_other(void *context) {
    neighbours_t *both = context;
    both->ran_before_the_other = both->ran;
    latch_bump(&both->done);
}

static void take_two_milliseconds(void *context) {
    neighbours_t *both = context;
    uint64_t end = sq__clock_now() + 2000000;
    while (sq__clock_now() < end) {
    }
    both->ran += 1;
    if (both->ran == 7) {
        CHECK_EQUAL(sq_async(both->other, be_the_other, both), 0);
    }
    if (both->ran == LONG_TASKS) {
        latch_bump(&both->done);
    }
}

TEST(a_queue_with_long_tasks_lets_another_one_in_before_its_batch_is_over) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 1;
    sq_pool_t *pool = sq_pool_create("one", &options);
    REQUIRE(pool != NULL);
    sq_queue_options_t on_pool = SQ_QUEUE_OPTIONS_INIT;
    on_pool.pool = pool;
    neighbours_t both = { sq_queue_create("busy", &on_pool), sq_queue_create("other", &on_pool), 0, 0, LATCH_INIT };
    REQUIRE(both.busy != NULL && both.other != NULL);
    CHECK_EQUAL(sq_suspend(both.busy), 0);
    for (size_t i = 0; i < LONG_TASKS; i += 1) {
        CHECK_EQUAL(sq_async(both.busy, take_two_milliseconds, &both), 0);
    }
    CHECK_EQUAL(sq_resume(both.busy), 0);
    latch_wait(&both.done, 2);
    CHECK_AT_MOST(both.ran_before_the_other, 7 + 4 + 1); /* it is noticed within four tasks */
    sq_queue_release(both.busy);
    sq_queue_release(both.other);
    sq_pool_release(pool);
}
