/* shards_entry.c: how an entry of a pool in shards finds a worker, and a worker an entry. */
#include "shards_scene.h"

#include "pool/caller_runs.h"
#include "runner/runner_inline.h"

/* A poster and workers (pool/shards.h: p and m). Each shard has one permit. A worker is busy until it may end. */

enum { BUSY, OTHER_BUSY, MAY_END, OTHER_MAY_END, RAN, OTHER_RAN };

static void busy(void) {
    ex_gate_open(BUSY);
    ex_gate_pass(MAY_END);
}
static void other_busy(void) {
    ex_gate_open(OTHER_BUSY);
    ex_gate_pass(OTHER_MAY_END);
}
static void run(void) { ex_gate_open(RAN); }

/* The poster's own shard is full, and the worker of the other one finds nothing, and leaves its permit. */
static void other_part_rests(void) {
    shards_begin(2, 1);
    shards_post_and_await(BUSY, busy);
    shards_post_and_await(OTHER_BUSY, other_busy);
    ex_gate_open(OTHER_MAY_END);
    shards_post_and_await(RAN, run);
    ex_gate_open(MAY_END);
    shards_end();
}

/* A worker puts its entry back, and takes one of a higher level from the other shard, which ends after the next turn of the first. The worker of the
 * other shard may take that, but is about to rest. */
static void await_run(void) {
    ex_gate_pass(RAN);
    ex_gate_open(OTHER_RAN);
}
static void post_and_be_busy(void) {
    shards_post(SQ__LEVEL_HIGH, await_run);
    other_busy();
}

static void put_back_for_another(void) {
    shards_begin(2, 1);
    shards_post_turns(SQ__LEVEL_NORMAL, busy, run);
    ex_gate_pass(BUSY);
    ex_await_rest();
    shards_post_and_await(OTHER_BUSY, post_and_be_busy);
    ex_gate_open(OTHER_MAY_END);
    ex_gate_open(MAY_END);
    ex_gate_pass(OTHER_RAN);
    shards_end();
}

/* A caller that waits for an entry runs it itself. All workers are blocked until it has, and one of them posts the entry as the caller looks. */
static void post_and_wait(void) {
    busy();
    shards_post(SQ__LEVEL_NORMAL, run);
    ex_gate_pass(RAN);
}

static void caller_finds_it(void) {
    shards_begin(2, 1);
    shards_post_and_await(BUSY, post_and_wait);
    shards_post_and_await(OTHER_BUSY, other_busy);
    sq__runner_t runner = sq__runner(pool, SQ__LEVEL_NORMAL);
    sq__token_t *token = sq__token_acquire();
    sq__wait_id_t wait = sq__token_prepare(token);
    sq__caller_run_t caller_run = { .entry = shards_next_entry(), .token = token };
    ex_gate_open(MAY_END);
    while (!sq__caller_run(runner, &caller_run, true)) {
        if (!sq__caller_listen(runner, &caller_run, true)) {
            (void)sq__token_sleep(token, wait, SQ_FOREVER);
        }
        (void)sq__caller_listen(runner, &caller_run, false);
    }
    (void)sq__token_withdraw(token, wait);
    sq__token_recycle(token);
    ex_gate_open(OTHER_MAY_END);
    shards_end();
}

/* The entry's shard gets a worker before the poster comes to the shard that is free. The entry has the last reference to the pool. */
static void release(void) { sq__pool_release(pool); }

static void freed_on_the_way(void) {
    shards_begin(2, 1);
    shards_post_and_await(BUSY, busy);
    ex_gate_open(MAY_END);
    shards_post(SQ__LEVEL_NORMAL, release);
    shards_end_stage();
}

/* The limit on workers. The pool has one shard of two permits, and one of a single permit, which is that of the thread that posts. It may have no more
 * workers than permits, unless all of them sleep in the library. */

enum { FIRST_IS_IN, SECOND_IS_IN, THIRD_IS_IN, FIRST_MAY_END, SECOND_MAY_SLEEP, THIRD_MAY_SLEEP, FIRST_SLEEPS, SECOND_SLEEPS, RESCUED, FIRST_MAY_WAKE };

static void sleep_until(unsigned gate) {
    sq__pool_worker_t *worker = sq__self()->pool_worker;
    sq__pool_lend_permit(worker);
    if (gate < FIRST_MAY_WAKE + 2) {
        ex_gate_open(FIRST_SLEEPS + gate - FIRST_MAY_WAKE);
    }
    ex_gate_pass(gate);
    sq__pool_take_permit(worker);
}

/* In the shard of one permit: blocked, until it is to take the entry that waits, and sleeps. */
static void first(void) {
    ex_gate_open(FIRST_IS_IN);
    ex_gate_pass(FIRST_MAY_END);
}
static void first_again(void) { sleep_until(FIRST_MAY_WAKE); }

/* In the other shard: sleeps while an entry waits and the others are blocked. There may be no worker for its permit. */
static void second(void) {
    ex_gate_open(SECOND_IS_IN);
    ex_gate_pass(SECOND_MAY_SLEEP);
    sleep_until(FIRST_MAY_WAKE + 1);
}

/* In the same shard: the last one that goes to sleep. */
static void third(void) {
    ex_gate_open(THIRD_IS_IN);
    ex_gate_pass(THIRD_MAY_SLEEP);
    sleep_until(FIRST_MAY_WAKE + 2);
}

static void rescue(void) { ex_gate_open(RESCUED); }

static void last_in_use_sleeps(void) {
    shards_begin(3, 2);
    shards_post_and_await(FIRST_IS_IN, first);
    shards_post_and_await(SECOND_IS_IN, second);
    shards_post_and_await(THIRD_IS_IN, third);
    shards_post(SQ__LEVEL_NORMAL, first_again);
    shards_open_and_await(SECOND_MAY_SLEEP, SECOND_SLEEPS);
    shards_open_and_await(FIRST_MAY_END, FIRST_SLEEPS);
    ex_gate_open(THIRD_MAY_SLEEP);
    shards_post_and_await(RESCUED, rescue);
    for (unsigned i = 0; i < 3; i += 1) {
        ex_gate_open(FIRST_MAY_WAKE + i);
        ex_await_rest();
    }
    shards_end();
}

/* At the limit on workers, one of which sleeps in the library while its shard has an entry. Then it takes that, and rests, and is the one to call for
 * what comes next: the others are blocked until that has run. */

enum { SLEEPER_IS_IN = 6, SLEEPER_MAY_POST, SLEEPER_SLEEPS, SLEEPER_MAY_WAKE };

static void nothing(void) {}

static void post_and_sleep(void) {
    ex_gate_open(SLEEPER_IS_IN);
    ex_gate_pass(SLEEPER_MAY_POST);
    shards_post(SQ__LEVEL_NORMAL, nothing);
    sq__pool_worker_t *worker = sq__self()->pool_worker;
    sq__pool_lend_permit(worker);
    ex_gate_open(SLEEPER_SLEEPS);
    ex_gate_pass(SLEEPER_MAY_WAKE);
    sq__pool_take_permit(worker);
}

static void sleeper_rests(void) {
    shards_begin(SQ__MOST_WORKERS, 1);
    shards_post_and_await(BUSY, post_and_wait);
    shards_post_and_await(OTHER_BUSY, other_busy);
    shards_post_and_await(SLEEPER_IS_IN, post_and_sleep); /* in the first shard */
    shards_open_and_await(SLEEPER_MAY_POST, SLEEPER_SLEEPS);
    shards_check_workers(SQ__MOST_WORKERS);
    ex_gate_open(SLEEPER_MAY_WAKE);
    ex_await_rest();
    ex_gate_open(MAY_END);
    ex_gate_pass(RAN);
    ex_gate_open(OTHER_MAY_END);
    shards_end();
}

/* Two shards have free permits, and there is no memory for a worker. The poster tries each of them once, and leaves the entry to the worker that is busy. */
static void no_memory_for_workers(void) {
    shards_begin(3, 1);
    shards_post_and_await(BUSY, busy);
    ex_no_memory = true;
    shards_post(SQ__LEVEL_NORMAL, run);
    ex_no_memory = false;
    ex_gate_open(MAY_END);
    ex_gate_pass(RAN);
    shards_end();
}

/* There are at most SQ__MOST_SHARDS shards, which share the permits. */
static void more_permits_than_shards(void) {
    shards_begin(2 * SQ__MOST_SHARDS + 1, 2);
    unsigned permits = 0;
    for (unsigned i = 0; i < pool->count; i += 1) {
        permits += pool->shards[i].permits;
    }
    if (pool->count != SQ__MOST_SHARDS || permits != 2 * SQ__MOST_SHARDS + 1) {
        ex_fail("%u shards with %u permits", pool->count, permits);
    }
    shards_post_and_await(RAN, run);
    shards_end();
}

/* A worker of one pool posts to another one, where the entry is run. */
static sq__pool_t *other_pool;

static void run_in_pool(void) {
    if (sq__self()->pool_worker->shard->pool != pool) {
        ex_fail("a worker of another pool runs the entry");
    }
    run();
}

static sq__ready_end_t call_poster(sq__ready_t *ready, size_t batch, size_t *ran) {
    (void)ready;
    (void)batch;
    *ran += 1;
    shards_post(SQ__LEVEL_NORMAL, run_in_pool);
    return SQ__READY_GONE;
}

static void worker_of_another_pool_posts(void) {
    static sq__ready_t poster;
    shards_begin(2, 1);
    const sq__pool_plan_t plan = { .call = call_poster, .label = "other", .permits = 1, .most = 1 };
    if (sq__pool_create(&other_pool, &plan) != 0) {
        ex_fail("the explorer itself: no pool");
    }
    sq__pool_post(other_pool, SQ__LEVEL_NORMAL, &poster);
    ex_gate_pass(RAN);
    sq__pool_release(other_pool);
    shards_end();
}

const scenario_t shards_entry_scenarios[] = {
    { "shards_rests", "an entry waits in a full shard, or the worker of another one, which goes to rest, comes for it", .body = other_part_rests },
    { "shards_higher", "an entry that is put back is taken, although its worker takes one of a higher level, which blocks", .body = put_back_for_another },
    { "shards_caller", "a caller finds its entry in any shard, or gets it as it is posted", .body = caller_finds_it },
    { "shards_freed", "the pool is not freed while a poster is on the way from shard to shard", .body = freed_on_the_way },
    { "shards_last_in_use", "at the limit on workers, a poster that sees one in_use meets it as it goes to sleep", .body = last_in_use_sleeps },
    { "shards_sleeper_rests", "at the limit on workers, one that slept in the library rests, and is called again", .body = sleeper_rests },
    { "shards_no_memory", "no shard can get a worker, and a poster comes to each of them once", .body = no_memory_for_workers },
    { "shards_most", "a pool with more permits than all shards at their size", .body = more_permits_than_shards },
    { "shards_other_pool", "a worker of another pool posts to one in shards", .body = worker_of_another_pool_posts },
    { 0 },
};
