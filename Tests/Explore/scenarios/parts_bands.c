/* parts_bands.c: which entry a member of a pool in parts takes next. */
#include "parts_scene.h"

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
        parts_post(band, run);
    }
    ex_gate_open(gate + 1);
    ex_gate_pass(ALL_ARE_TAKEN);
}
static void post_high(void) { post_and_block(1, HIGH_MAY_POST, SQ__BAND_HIGH, high, 4); }
static void post_normal(void) { post_and_block(2, NORMAL_MAY_POST, SQ__BAND_NORMAL, normal, 4); }
static void post_low(void) { post_and_block(3, LOW_MAY_POST, SQ__BAND_LOW, low, 1); }

/* The part of the lowest band is the first one behind the member's own, so it is visited first. */
static void low_waits_in_another_part(void) {
    parts_begin(3, 1);
    to_take = 0;
    parts_post_and_await(0, wait_and_take);
    parts_post_and_await(3, post_low);
    parts_post_and_await(1, post_high);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(NORMAL_MAY_POST); /* nobody has any */
    ex_gate_open(LOW_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    parts_end();
}

/* It is the last one of three. */
static void low_waits_in_the_last_part(void) {
    parts_begin(4, 1);
    to_take = 0;
    parts_post_and_await(0, wait_and_take);
    parts_post_and_await(1, post_high);
    parts_post_and_await(2, post_normal);
    parts_post_and_await(3, post_low);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    parts_end();
}

/* A member that has entries of its own, which print small letters, while others wait in blocked parts: it takes those of higher bands first, but
 * every second time it looks it visits any part, and what was overtaken once is next (VISIT_TURNS and BATCH of build.sh). */
static sq__band_t own_band;
static unsigned own_count;

static void own(void) { note("hnl"[own_band]); }

static void post_own_and_take(void) {
    ex_gate_open(0);
    ex_gate_pass(ALL_ARE_POSTED - 1);
    to_take += own_count;
    for (unsigned i = 0; i < own_count; i += 1) {
        parts_post(own_band, own);
    }
    ex_gate_open(ALL_ARE_POSTED);
}

static void own_and_others(sq__band_t band, unsigned count, void (*first_other)(void), void (*second_other)(void)) {
    parts_begin(3, 1);
    to_take = 0;
    own_band = band;
    own_count = count;
    parts_post_and_await(0, post_own_and_take);
    parts_post_and_await(1, first_other);
    parts_post_and_await(2, second_other);
    ex_gate_open(HIGH_MAY_POST);
    ex_gate_pass(ALL_ARE_TAKEN);
    parts_end();
}

static void post_high_here(void) { post_and_block(1, HIGH_MAY_POST, SQ__BAND_HIGH, high, 3); }
static void post_low_here(void) { post_and_block(1, HIGH_MAY_POST, SQ__BAND_LOW, low, 3); }
static void post_normal_there(void) { post_and_block(2, NORMAL_MAY_POST, SQ__BAND_NORMAL, normal, 3); }

static void own_high(void) { own_and_others(SQ__BAND_HIGH, 3, post_high_here, post_normal_there); }
static void own_normal(void) { own_and_others(SQ__BAND_NORMAL, 3, post_low_here, post_normal_there); }
static void own_low_and_high(void) { own_and_others(SQ__BAND_LOW, 3, post_high_here, post_normal_there); }
static void own_low(void) { own_and_others(SQ__BAND_LOW, 3, post_low_here, post_normal_there); }

const scenario_t parts_bands_scenarios[] = {
    { "parts_low", "a member whose own part is empty visits a part of low priority in turn", .body = low_waits_in_another_part, .prints = { "HLHHH" } },
    { "parts_low_last", "the parts of higher priorities do not take its turn", .body = low_waits_in_the_last_part, .prints = { "HHHNHLNNN" } },
    { "parts_own_high", "a member with entries of the highest band", .body = own_high, .prints = { "hHhNhHHNN" } },
    { "parts_own_normal", "one with entries of the middle band", .body = own_normal, .prints = { "nLnNnLNNL" } },
    { "parts_own_low", "one with entries of the lowest band, and two higher ones elsewhere", .body = own_low_and_high, .prints = { "HHlNlHlNN" } },
    { "parts_own_low_low", "one with entries of the lowest band, as another part, and a higher one", .body = own_low, .prints = { "NLlNlLNLl" } },
    { 0 },
};
