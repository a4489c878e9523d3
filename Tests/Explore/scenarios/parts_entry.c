/* parts_entry.c: how an entry of a pool in parts finds a member, and a member an entry. */
#include "parts_scene.h"

#include "pool/caller_runs.h"
#include "runner/runner_inline.h"

/* A poster and members (pool/parts.h: p and m). Each part has one seat. A member is busy until it may end. */

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

/* The poster's own part is full, and the member of the other one finds nothing, and leaves its seat. */
static void other_part_rests(void) {
    parts_begin(2, 1);
    parts_post_and_await(BUSY, busy);
    parts_post_and_await(OTHER_BUSY, other_busy);
    ex_gate_open(OTHER_MAY_END);
    parts_post_and_await(RAN, run);
    ex_gate_open(MAY_END);
    parts_end();
}

/* A member puts its entry back, and takes one of a higher band from the other part, which ends after the next turn of the first. The member of the
 * other part may take that, but is about to rest. */
static void await_run(void) {
    ex_gate_pass(RAN);
    ex_gate_open(OTHER_RAN);
}
static void post_and_be_busy(void) {
    parts_post(SQ__BAND_HIGH, await_run);
    other_busy();
}

static void put_back_for_another(void) {
    parts_begin(2, 1);
    parts_post_turns(SQ__BAND_NORMAL, busy, run);
    ex_gate_pass(BUSY);
    ex_await_rest();
    parts_post_and_await(OTHER_BUSY, post_and_be_busy);
    ex_gate_open(OTHER_MAY_END);
    ex_gate_open(MAY_END);
    ex_gate_pass(OTHER_RAN);
    parts_end();
}

/* A caller that waits for an entry runs it itself. All members are blocked until it has, and one of them posts the entry as the caller looks. */
static void post_and_wait(void) {
    busy();
    parts_post(SQ__BAND_NORMAL, run);
    ex_gate_pass(RAN);
}

static void caller_finds_it(void) {
    parts_begin(2, 1);
    parts_post_and_await(BUSY, post_and_wait);
    parts_post_and_await(OTHER_BUSY, other_busy);
    sq__runner_t runner = sq__runner(pool, SQ__BAND_NORMAL);
    sq__token_t *token = sq__token_acquire();
    sq__wait_id_t wait = sq__token_prepare(token);
    sq__caller_run_t caller_run = { .entry = parts_next_entry(), .token = token };
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
    parts_end();
}

/* The entry's part gets a member before the poster comes to the part that is free. The entry has the last reference to the pool. */
static void release(void) { sq__pool_release(pool); }

static void freed_on_the_way(void) {
    parts_begin(2, 1);
    parts_post_and_await(BUSY, busy);
    ex_gate_open(MAY_END);
    parts_post(SQ__BAND_NORMAL, release);
    parts_end_stage();
}

/* The limit on members. The pool has one part of two seats, and one of a single seat, which is that of the thread that posts. It may have no more
 * members than seats, unless all of them sleep in the library. */

enum { FIRST_IS_IN, SECOND_IS_IN, THIRD_IS_IN, FIRST_MAY_END, SECOND_MAY_SLEEP, THIRD_MAY_SLEEP, FIRST_SLEEPS, SECOND_SLEEPS, RESCUED, FIRST_MAY_WAKE };

static void sleep_until(unsigned gate) {
    sq__member_t *member = sq__self()->member;
    sq__pool_lend_seat(member);
    if (gate < FIRST_MAY_WAKE + 2) {
        ex_gate_open(FIRST_SLEEPS + gate - FIRST_MAY_WAKE);
    }
    ex_gate_pass(gate);
    sq__pool_take_seat(member);
}

/* In the part of one seat: blocked, until it is to take the entry that waits, and sleeps. */
static void first(void) {
    ex_gate_open(FIRST_IS_IN);
    ex_gate_pass(FIRST_MAY_END);
}
static void first_again(void) { sleep_until(FIRST_MAY_WAKE); }

/* In the other part: sleeps while an entry waits and the others are blocked. There may be no member for its seat. */
static void second(void) {
    ex_gate_open(SECOND_IS_IN);
    ex_gate_pass(SECOND_MAY_SLEEP);
    sleep_until(FIRST_MAY_WAKE + 1);
}

/* In the same part: the last one that goes to sleep. */
static void third(void) {
    ex_gate_open(THIRD_IS_IN);
    ex_gate_pass(THIRD_MAY_SLEEP);
    sleep_until(FIRST_MAY_WAKE + 2);
}

static void rescue(void) { ex_gate_open(RESCUED); }

static void last_seated_sleeps(void) {
    parts_begin(3, 2);
    parts_post_and_await(FIRST_IS_IN, first);
    parts_post_and_await(SECOND_IS_IN, second);
    parts_post_and_await(THIRD_IS_IN, third);
    parts_post(SQ__BAND_NORMAL, first_again);
    parts_open_and_await(SECOND_MAY_SLEEP, SECOND_SLEEPS);
    parts_open_and_await(FIRST_MAY_END, FIRST_SLEEPS);
    ex_gate_open(THIRD_MAY_SLEEP);
    parts_post_and_await(RESCUED, rescue);
    for (unsigned i = 0; i < 3; i += 1) {
        ex_gate_open(FIRST_MAY_WAKE + i);
        ex_await_rest();
    }
    parts_end();
}

/* At the limit on members, one of which sleeps in the library while its part has an entry. Then it takes that, and rests, and is the one to call for
 * what comes next: the others are blocked until that has run. */

enum { SLEEPER_IS_IN = 6, SLEEPER_MAY_POST, SLEEPER_SLEEPS, SLEEPER_MAY_WAKE };

static void nothing(void) {}

static void post_and_sleep(void) {
    ex_gate_open(SLEEPER_IS_IN);
    ex_gate_pass(SLEEPER_MAY_POST);
    parts_post(SQ__BAND_NORMAL, nothing);
    sq__member_t *member = sq__self()->member;
    sq__pool_lend_seat(member);
    ex_gate_open(SLEEPER_SLEEPS);
    ex_gate_pass(SLEEPER_MAY_WAKE);
    sq__pool_take_seat(member);
}

static void sleeper_rests(void) {
    parts_begin(SQ__MOST_MEMBERS, 1);
    parts_post_and_await(BUSY, post_and_wait);
    parts_post_and_await(OTHER_BUSY, other_busy);
    parts_post_and_await(SLEEPER_IS_IN, post_and_sleep); /* in the first part */
    parts_open_and_await(SLEEPER_MAY_POST, SLEEPER_SLEEPS);
    parts_check_members(SQ__MOST_MEMBERS);
    ex_gate_open(SLEEPER_MAY_WAKE);
    ex_await_rest();
    ex_gate_open(MAY_END);
    ex_gate_pass(RAN);
    ex_gate_open(OTHER_MAY_END);
    parts_end();
}

/* Two parts have free seats, and there is no memory for a member. The poster tries each of them once, and leaves the entry to the member that is busy. */
static void no_memory_for_members(void) {
    parts_begin(3, 1);
    parts_post_and_await(BUSY, busy);
    ex_no_memory = true;
    parts_post(SQ__BAND_NORMAL, run);
    ex_no_memory = false;
    ex_gate_open(MAY_END);
    ex_gate_pass(RAN);
    parts_end();
}

/* There are at most SQ__MOST_PARTS parts, which share the seats. */
static void more_seats_than_parts(void) {
    parts_begin(2 * SQ__MOST_PARTS + 1, 2);
    unsigned seats = 0;
    for (unsigned i = 0; i < pool->count; i += 1) {
        seats += pool->parts[i].seats;
    }
    if (pool->count != SQ__MOST_PARTS || seats != 2 * SQ__MOST_PARTS + 1) {
        ex_fail("%u parts with %u seats", pool->count, seats);
    }
    parts_post_and_await(RAN, run);
    parts_end();
}

/* A member of one pool posts to another one, where the entry is run. */
static sq__pool_t *other_pool;

static void run_in_pool(void) {
    if (sq__self()->member->part->pool != pool) {
        ex_fail("a member of another pool runs the entry");
    }
    run();
}

static sq__ready_end_t call_poster(sq__ready_t *ready, size_t batch, size_t *ran) {
    (void)ready;
    (void)batch;
    *ran += 1;
    parts_post(SQ__BAND_NORMAL, run_in_pool);
    return SQ__READY_GONE;
}

static void member_of_another_pool_posts(void) {
    static sq__ready_t poster;
    parts_begin(2, 1);
    const sq__pool_plan_t plan = { .call = call_poster, .label = "other", .seats = 1, .most = 1 };
    if (sq__pool_create(&other_pool, &plan) != 0) {
        ex_fail("the explorer itself: no pool");
    }
    sq__pool_post(other_pool, SQ__BAND_NORMAL, &poster);
    ex_gate_pass(RAN);
    sq__pool_release(other_pool);
    parts_end();
}

const scenario_t parts_entry_scenarios[] = {
    { "parts_rests", "an entry waits in a full part, or the member of another one, which goes to rest, comes for it", .body = other_part_rests },
    { "parts_higher", "an entry that is put back is taken, although its member takes one of a higher band, which blocks", .body = put_back_for_another },
    { "parts_caller", "a caller finds its entry in any part, or gets it as it is posted", .body = caller_finds_it },
    { "parts_freed", "the pool is not freed while a poster is on the way from part to part", .body = freed_on_the_way },
    { "parts_last_seated", "at the limit on members, a poster that sees one seated meets it as it goes to sleep", .body = last_seated_sleeps },
    { "parts_sleeper_rests", "at the limit on members, one that slept in the library rests, and is called again", .body = sleeper_rests },
    { "parts_no_memory", "no part can get a member, and a poster comes to each of them once", .body = no_memory_for_members },
    { "parts_most", "a pool with more seats than all parts at their size", .body = more_seats_than_parts },
    { "parts_other_pool", "a member of another pool posts to one in parts", .body = member_of_another_pool_posts },
    { 0 },
};
