/* parts_entry.c: pools in parts (pool/parts.h) with ready entries of the scenario's own: what no queue can bring about within a search that ends.
 * An entry that waits in the library lends its member's seat, and passes a gate instead of sleeping on a token. */
#include "scenario.h"

#include "pool/caller_runs.h"
#include "pool/growth_alarm.h"
#include "pool/members.h"
#include "pool/pool.h"
#include "pool/pool_internal.h"
#include "thread/self.h"


enum { ENTRIES = 16 };

typedef struct entry {
    sq__ready_t ready;
    void (*run)(void), (*then)(void); /* `then` in another turn, unless it is NULL */
} entry_t;

static sq__pool_t *pool;
static entry_t entries[ENTRIES];
static unsigned posted;

static sq__ready_end_t call(sq__ready_t *ready, size_t batch, size_t *ran) {
    (void)batch;
    entry_t *entry = (entry_t *)ready;
    *ran += 1;
    entry->run();
    entry->run = entry->then;
    entry->then = NULL;
    return entry->run != NULL ? SQ__READY_MORE : SQ__READY_GONE;
}

/* A check of growth would find an entry that nobody came for, a second later: there is none. */
static void begin(size_t seats, size_t part_seats) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    posted = 0;
    const sq__pool_plan_t plan = { .call = call, .label = "in parts", .seats = seats, .most = seats, .part_seats = part_seats };
    if (sq__pool_create(&pool, &plan) != 0) {
        ex_fail("the explorer itself: no pool");
    }
    sq__growth_end(pool);
}

static void end_stage(void) {
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

/* All entries have ended, or are about to return. The members end one after the other: a reduced search would try all orders. */
static void end(void) {
    ex_await_rest();
    for (unsigned i = 0; i < pool->count; i += 1) {
        sq__member_t *picked;
        do {
            sq__mutex_lock(&pool->parts[i].lock);
            picked = sq__members_pick_idle(&pool->parts[i], 1);
            sq__mutex_unlock(&pool->parts[i].lock);
            sq__members_dismiss(picked);
            ex_await_rest();
        } while (picked != NULL);
    }
    sq__pool_release(pool);
    end_stage();
}

static void post_turns(sq__band_t band, void (*run)(void), void (*then)(void)) {
    entry_t *entry = &entries[posted++];
    *entry = (entry_t){ .run = run, .then = then };
    sq__pool_post(pool, band, &entry->ready);
}

static void post(sq__band_t band, void (*run)(void)) { post_turns(band, run, NULL); }

static void post_and_await(unsigned gate, void (*run)(void)) {
    post(SQ__BAND_NORMAL, run);
    ex_gate_pass(gate);
    ex_await_rest();
}

static void open_and_await(unsigned gate, unsigned answer) {
    ex_gate_open(gate);
    ex_gate_pass(answer);
    ex_await_rest();
}

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
    begin(2, 1);
    post_and_await(BUSY, busy);
    post_and_await(OTHER_BUSY, other_busy);
    ex_gate_open(OTHER_MAY_END);
    post_and_await(RAN, run);
    ex_gate_open(MAY_END);
    end();
}

/* A member puts its entry back, and takes one of a higher band from the other part, which ends after the next turn of the first. The member of the
 * other part may take that, but is about to rest. */
static void await_run(void) {
    ex_gate_pass(RAN);
    ex_gate_open(OTHER_RAN);
}
static void post_and_be_busy(void) {
    post(SQ__BAND_HIGH, await_run);
    other_busy();
}

static void put_back_for_another(void) {
    begin(2, 1);
    post_turns(SQ__BAND_NORMAL, busy, run);
    ex_gate_pass(BUSY);
    ex_await_rest();
    post_and_await(OTHER_BUSY, post_and_be_busy);
    ex_gate_open(OTHER_MAY_END);
    ex_gate_open(MAY_END);
    ex_gate_pass(OTHER_RAN);
    end();
}

/* A caller that waits for an entry runs it itself. All members are blocked until it has, and one of them posts the entry as the caller looks. */
static void post_and_wait(void) {
    busy();
    post(SQ__BAND_NORMAL, run);
    ex_gate_pass(RAN);
}

static void caller_finds_it(void) {
    begin(2, 1);
    post_and_await(BUSY, post_and_wait);
    post_and_await(OTHER_BUSY, other_busy);
    sq__token_t *token = sq__token_acquire();
    sq__wait_id_t wait = sq__token_prepare(token);
    sq__caller_run_t caller_run = { .entry = &entries[posted].ready, .band = SQ__BAND_NORMAL, .token = token };
    ex_gate_open(MAY_END);
    while (!sq__pool_caller_run(pool, &caller_run)) {
        if (sq__pool_list_caller(pool, &caller_run)) {
            (void)sq__token_sleep(token, wait, SQ_FOREVER);
            sq__pool_unlist_caller(pool, &caller_run);
        }
    }
    (void)sq__token_withdraw(token, wait);
    sq__token_recycle(token);
    ex_gate_open(OTHER_MAY_END);
    end();
}

/* The entry's part gets a member before the poster comes to the part that is free. The entry has the last reference to the pool. */
static void release(void) { sq__pool_release(pool); }

static void freed_on_the_way(void) {
    begin(2, 1);
    post_and_await(BUSY, busy);
    ex_gate_open(MAY_END);
    post(SQ__BAND_NORMAL, release);
    end_stage();
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
    begin(3, 2);
    post_and_await(FIRST_IS_IN, first);
    post_and_await(SECOND_IS_IN, second);
    post_and_await(THIRD_IS_IN, third);
    post(SQ__BAND_NORMAL, first_again);
    open_and_await(SECOND_MAY_SLEEP, SECOND_SLEEPS);
    open_and_await(FIRST_MAY_END, FIRST_SLEEPS);
    ex_gate_open(THIRD_MAY_SLEEP);
    post_and_await(RESCUED, rescue);
    for (unsigned i = 0; i < 3; i += 1) {
        ex_gate_open(FIRST_MAY_WAKE + i);
        ex_await_rest();
    }
    end();
}

/* Bands. Each part has one seat. One member takes what waits in the parts of the others, which are blocked; its own part has nothing. An entry
 * of the lowest band prints L, the others N and H. */

enum { HIGH_MAY_POST = 4, NORMAL_MAY_POST, LOW_MAY_POST, ALL_ARE_POSTED, ALL_ARE_TAKEN };
static unsigned to_take; /* entries that have not run yet */

static void note(char what) {
    stage_print(what);
    to_take -= 1;
    if (to_take == 0) {
        ex_gate_open(ALL_ARE_TAKEN);
    }
}
static void low(void) { note('L'); }
static void normal(void) { note('N'); }
static void high(void) { note('H'); }

static void wait_and_take(void) {
    ex_gate_open(0);
    ex_gate_pass(ALL_ARE_POSTED);
}

/* One after the other, while all members are blocked: nothing is taken before all is there. */
static void post_and_block(unsigned is_inside, unsigned gate, sq__band_t band, void (*run)(void), unsigned count) {
    ex_gate_open(is_inside);
    ex_gate_pass(gate);
    to_take += count;
    for (unsigned i = 0; i < count; i += 1) {
        post(band, run);
    }
    ex_gate_open(gate + 1);
    ex_gate_pass(ALL_ARE_TAKEN);
}
static void post_high(void) { post_and_block(1, HIGH_MAY_POST, SQ__BAND_HIGH, high, 4); }
static void post_normal(void) { post_and_block(2, NORMAL_MAY_POST, SQ__BAND_NORMAL, normal, 4); }
static void post_low(void) { post_and_block(3, LOW_MAY_POST, SQ__BAND_LOW, low, 1); }

/* The part of the lowest band is the first one behind the member's own, so it is visited first. */
static void low_waits_in_another_part(void) {
    begin(3, 1);
    to_take = 0;
    post_and_await(0, wait_and_take);
    post_and_await(3, post_low);
    post_and_await(1, post_high);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(NORMAL_MAY_POST); /* nobody has any */
    ex_gate_open(LOW_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    end();
}

/* It is the last one of three. */
static void low_waits_in_the_last_part(void) {
    begin(4, 1);
    to_take = 0;
    post_and_await(0, wait_and_take);
    post_and_await(1, post_high);
    post_and_await(2, post_normal);
    post_and_await(3, post_low);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    end();
}

const scenario_t parts_entry_scenarios[] = {
    { "parts_rests", "an entry waits in a full part, or the member of another one, which goes to rest, comes for it", .body = other_part_rests },
    { "parts_higher", "an entry that is put back is taken, although its member takes one of a higher band, which blocks", .body = put_back_for_another },
    { "parts_caller", "a caller finds its entry in any part, or gets it as it is posted", .body = caller_finds_it },
    { "parts_freed", "the pool is not freed while a poster is on the way from part to part", .body = freed_on_the_way },
    { "parts_last_seated", "at the limit on members, a poster that sees one seated meets it as it goes to sleep", .body = last_seated_sleeps },
    { "parts_low", "a member whose own part is empty visits a part of low priority in turn", .body = low_waits_in_another_part, .prints = { "HLHHH" } },
    { "parts_low_last", "the parts of higher priorities do not take its turn", .body = low_waits_in_the_last_part, .prints = { "HHHNHLNNN" } },
    { 0 },
};
