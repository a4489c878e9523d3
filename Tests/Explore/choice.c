/* choice.c: the strategies that choose the next step.
 *
 * DESIGN. Four strategies with one interface. Random: each run has its own rate at which it switches to another thread. PCT
 * (Burckhardt et al.): threads have random priorities, the highest one runs, and at a few random steps the running thread gets
 * the lowest priority. Depth first: all tapes in order whose options cost no more than a budget. Replay: a given tape, then 0.
 * Each strategy writes the tape. */
#include "explore.h"

#include <string.h>

const char *const ex_search_names[] = { "random", "pct", "dfs", "replay", "whole", "warm" };

static ex_search_t search;
static uint8_t tape[EX_TAPE];
static unsigned length;
static const uint8_t *given;
static unsigned given_length;

static uint64_t state;
static double rate_switch, rate_expire, rate_disturb;
static uint64_t change_points[6];
static unsigned changes;
static int priority_of[EX_THREADS], lowest;

typedef struct node {
    uint8_t value, options;
    uint8_t costs[EX_OPTIONS];
    uint8_t left[EX_COSTS]; /* of the budget, before this choice */
} node_t;
static node_t nodes[EX_TAPE];
static unsigned depth; /* how many nodes there are */
static unsigned budget[EX_COSTS];
static uint8_t left[EX_COSTS];

uint64_t ex_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545F4914F6CDD1D) >> 11;
}

static bool chance(double rate) { return rate > 0 && (double)(ex_random() & 0xFFFFFF) < rate * 0x1000000; }

static void seed_with(uint64_t seed) {
    state = seed * UINT64_C(0x9E3779B97F4A7C15) + 0x1234567;
    state += state == 0;
    for (unsigned i = 0; i < 4; i += 1) {
        ex_random();
    }
    static const double switches[] = { 1, 0.5, 0.25, 0.1, 0.05 }, expiries[] = { 0, 0.02, 0.1, 0.3 },
                        disturbances[] = { 0, 0.02, 0.05, 0.25 };
    rate_switch = switches[ex_random() % 5];
    rate_expire = expiries[ex_random() % 4];
    rate_disturb = disturbances[ex_random() % 4];
    length = 0;
}

void ex_choice_random(uint64_t seed) {
    search = EX_RANDOM;
    seed_with(seed);
}

void ex_choice_pct(uint64_t seed) {
    search = EX_PCT;
    seed_with(seed);
    changes = 1 + (unsigned)(ex_random() % 4);
    for (unsigned i = 0; i < changes; i += 1) {
        change_points[i] = ex_random() % (i % 2 ? 80 : 300);
    }
    for (unsigned i = 0; i < EX_THREADS; i += 1) {
        priority_of[i] = 100 + (int)(ex_random() % 1000);
    }
    lowest = 99;
}

void ex_choice_replay(const uint8_t *from, unsigned count) {
    search = EX_REPLAY;
    given = from;
    given_length = count;
    length = 0;
    state = 1;
}

const uint8_t *ex_tape(unsigned *count) {
    *count = length;
    return tape;
}

/* Depth first */

void ex_choice_dfs_begin(const unsigned given_budget[EX_COSTS]) {
    memcpy(budget, given_budget, sizeof budget);
    depth = 0;
}

void ex_choice_dfs(void) {
    search = EX_DFS;
    state = 1;
    length = 0;
    for (unsigned i = 0; i < EX_COSTS; i += 1) {
        left[i] = (uint8_t)budget[i];
    }
}

static bool affordable(const node_t *node, unsigned value) {
    return node->costs[value] == EX_FREE || node->left[node->costs[value]] > 0;
}

static unsigned step_down(unsigned options, const ex_cost_t costs[]) {
    node_t *node = &nodes[length];
    if (length == depth) {
        node->value = 0;
        node->options = (uint8_t)options;
        for (unsigned i = 0; i < options; i += 1) {
            node->costs[i] = (uint8_t)costs[i];
        }
        memcpy(node->left, left, sizeof left);
        depth += 1;
        while (node->value < options - 1 && !affordable(node, node->value)) {
            node->value += 1;
        }
    } else if (node->options != options) {
        ex_fail("the explorer itself: the same choices led to another program state");
    }
    if (node->costs[node->value] != EX_FREE) {
        left[node->costs[node->value]] -= left[node->costs[node->value]] > 0;
    }
    return node->value;
}

bool ex_choice_dfs_next(void) {
    depth = length; /* a failed run may have been shorter */
    while (depth > 0) {
        node_t *node = &nodes[depth - 1];
        for (unsigned value = node->value + 1u; value < node->options; value += 1) {
            if (affordable(node, value)) {
                node->value = (uint8_t)value;
                return true;
            }
        }
        depth -= 1;
    }
    return false;
}

/* Choosing */

static unsigned pick_randomly(unsigned options, const ex_cost_t costs[]) {
    unsigned special[EX_OPTIONS], count = 0, plain = 0;
    double rate = 0;
    for (unsigned i = 0; i < options; i += 1) {
        if (costs[i] == EX_EXPIRE || costs[i] == EX_DISTURB) {
            special[count++] = i;
            rate = costs[i] == EX_EXPIRE && rate_expire > rate ? rate_expire : rate;
            rate = costs[i] == EX_DISTURB && rate_disturb > rate ? rate_disturb : rate;
        } else {
            plain += 1;
        }
    }
    if (count > 0 && (plain == 0 || chance(rate))) {
        return special[ex_random() % count];
    }
    /* The plain ones come first. */
    if (plain > 1 && (costs[1] == EX_FREE || chance(rate_switch))) {
        return (unsigned)(ex_random() % plain);
    }
    return 0;
}

static unsigned pick_by_priority(unsigned options, const ex_cost_t costs[], const int threads[]) {
    for (unsigned i = 0; i < changes; i += 1) {
        if (change_points[i] == ex_step) {
            change_points[i] = UINT64_MAX;
            priority_of[ex_current] = lowest--;
        }
    }
    for (unsigned i = 0; i < options; i += 1) {
        if ((costs[i] == EX_EXPIRE && chance(rate_expire / 4)) || (costs[i] == EX_DISTURB && chance(rate_disturb / 4))) {
            return i;
        }
    }
    unsigned best = 0;
    for (unsigned i = 1; i < options; i += 1) {
        if (costs[i] <= EX_PREEMPT && priority_of[threads[i]] > priority_of[threads[best]]) {
            best = i;
        }
    }
    return best;
}

unsigned ex_choose_among(unsigned options, const ex_cost_t costs[], const int threads[]) {
    unsigned value = 0;
    if (options < 2) {
        return 0;
    }
    if (length == EX_TAPE) {
        ex_fail("the tape is full");
    }
    switch (search) {
    case EX_RANDOM:
        value = pick_randomly(options, costs);
        break;
    case EX_PCT:
        value = threads != NULL ? pick_by_priority(options, costs, threads) : pick_randomly(options, costs);
        break;
    case EX_DFS:
        value = step_down(options, costs);
        break;
    default:
        value = length < given_length && given[length] < options ? given[length] : 0;
    }
    tape[length++] = (uint8_t)value;
    return value;
}

unsigned ex_choose(unsigned options, ex_cost_t cost) {
    if (ex_reducing) {
        return options < 2 || !ex_reduce_may_disturb(ex_current) ? 0 : ex_reduce_value(options, true);
    }
    ex_cost_t costs[EX_OPTIONS] = { EX_FREE };
    for (unsigned i = 1; i < options; i += 1) {
        costs[i] = cost;
    }
    return ex_choose_among(options, costs, NULL);
}
