/* shards_levels.c: which entry a worker of a pool in shards takes next. */
#include "shards_scene.h"

/* Levels. Each shard has one permit. One worker takes what waits in the shards of the others, which are blocked; its own shard has nothing. An entry
 * of the lowest level prints L, the others N and H. */

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

/* One after the other, while all workers are blocked: nothing is taken before all is there. */
static void post_and_block(unsigned is_inside, unsigned gate, sq__level_t level, void (*run)(void), unsigned count) {
    ex_gate_open(is_inside);
    ex_gate_pass(gate);
    to_take += count;
    for (unsigned i = 0; i < count; i += 1) {
        shards_post(level, run);
    }
    ex_gate_open(gate + 1);
    ex_gate_pass(ALL_ARE_TAKEN);
}
static void post_high(void) { post_and_block(1, HIGH_MAY_POST, SQ__LEVEL_HIGH, high, 4); }
static void post_normal(void) { post_and_block(2, NORMAL_MAY_POST, SQ__LEVEL_NORMAL, normal, 4); }
static void post_low(void) { post_and_block(3, LOW_MAY_POST, SQ__LEVEL_LOW, low, 1); }

/* The shard of the lowest level is the first one behind the worker's own, so it is visited first. */
static void low_waits_in_another_shard(void) {
    shards_begin(3, 1);
    to_take = 0;
    shards_post_and_await(0, wait_and_take);
    shards_post_and_await(3, post_low);
    shards_post_and_await(1, post_high);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(NORMAL_MAY_POST); /* nobody has any */
    ex_gate_open(LOW_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    shards_end();
}

/* It is the last one of three. */
static void low_waits_in_the_last_shard(void) {
    shards_begin(4, 1);
    to_take = 0;
    shards_post_and_await(0, wait_and_take);
    shards_post_and_await(1, post_high);
    shards_post_and_await(2, post_normal);
    shards_post_and_await(3, post_low);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    shards_end();
}

/* A worker that has entries of its own, which print small letters, while others wait in blocked shards: it takes those of higher levels first, but
 * every second time it looks it visits any shard, and what was overtaken once is next (VISIT_TURNS and BATCH of build.sh). */
static sq__level_t own_band;
static unsigned own_count;

static void own(void) { note("hnl"[own_band]); }

static void post_own_and_take(void) {
    ex_gate_open(0);
    ex_gate_pass(ALL_ARE_POSTED - 1);
    to_take += own_count;
    for (unsigned i = 0; i < own_count; i += 1) {
        shards_post(own_band, own);
    }
    ex_gate_open(ALL_ARE_POSTED);
}

static void own_and_others(sq__level_t level, unsigned count, void (*first_other)(void), void (*second_other)(void)) {
    shards_begin(3, 1);
    to_take = 0;
    own_band = level;
    own_count = count;
    shards_post_and_await(0, post_own_and_take);
    shards_post_and_await(1, first_other);
    shards_post_and_await(2, second_other);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    shards_end();
}

static void post_high_here(void) { post_and_block(1, HIGH_MAY_POST, SQ__LEVEL_HIGH, high, 3); }
static void post_low_here(void) { post_and_block(1, HIGH_MAY_POST, SQ__LEVEL_LOW, low, 3); }
static void post_normal_there(void) { post_and_block(2, NORMAL_MAY_POST, SQ__LEVEL_NORMAL, normal, 3); }

static void own_high(void) { own_and_others(SQ__LEVEL_HIGH, 3, post_high_here, post_normal_there); }
static void own_normal(void) { own_and_others(SQ__LEVEL_NORMAL, 3, post_low_here, post_normal_there); }
static void own_low_and_high(void) { own_and_others(SQ__LEVEL_LOW, 3, post_high_here, post_normal_there); }
static void own_low(void) { own_and_others(SQ__LEVEL_LOW, 3, post_low_here, post_normal_there); }

const scenario_t shards_levels_scenarios[] = {
    { "shards_low", "a worker whose own shard is empty visits a shard of low priority in turn", .body = low_waits_in_another_shard, .prints = { "HLHHH" } },
    { "shards_low_last", "the shards of higher priorities do not take its turn", .body = low_waits_in_the_last_shard, .prints = { "HHHNHLNNN" } },
    { "shards_own_high", "a worker with entries of the highest level", .body = own_high, .prints = { "hHhNhHHNN" } },
    { "shards_own_normal", "one with entries of the middle level", .body = own_normal, .prints = { "nLnNnLNNL" } },
    { "shards_own_low", "one with entries of the lowest level, and two higher ones elsewhere", .body = own_low_and_high, .prints = { "HHlNlHlNN" } },
    { "shards_own_low_low", "one with entries of the lowest level, as another shard, and a higher one", .body = own_low, .prints = { "NLlNlLNLl" } },
    { 0 },
};
