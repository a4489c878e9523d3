/* reduce.c: partial-order reduction.
 *
 * DESIGN. Source-DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL 2014).
 * Two steps of different actors depend on each other if they touch the same object, and not both only read it. A run is
 * determined, up to the order of independent steps, by the order of its dependent ones: its trace. Vector clocks hold that order, clock
 * [a] of a step being the number of the last step of actor a that came before it.
 * When a step depends on an earlier one and no third one lies between them in that order, the two race: the other order is another
 * trace. So an actor with which that order begins is added to those that are to be tried before the earlier step.
 * An actor that was tried from a state sleeps in the states that follow, until a step depends on its next one: what it would
 * begin has been run.
 *
 * Not each dependent pair can be exchanged. A lock comes after the unlock before it: it races with that thread's lock. An await, and the
 * first step after a wake-up, come after what they wait for.
 * Time is an actor for each thread with a deadline. Its step is possible until another one wakes the thread, and such steps do not
 * come back: so it is also tried before each step that depends on it. A thread knows of no deadline that passed later than what it has
 * seen: so the clock does not show the order of independent steps. */
#include "explore.h"
#include "footprint.h"

#include <string.h>

enum { NODES = 1 << 13, ACTORS = 2 * EX_THREADS, RACES = 64 };

/* A step, or, with options, a value that the step before it has chosen. */
typedef struct node {
    ex_actors_t enabled, wanted, tried, asleep, asleep_after;
    int8_t actor; /* -1: a value */
    uint8_t value, options;
    uint16_t number; /* among the steps of its actor */
    ex_footprint_t footprint;
    uint16_t clock[ACTORS];
    uint64_t time, hash;
} node_t;

bool ex_reducing;
static node_t nodes[NODES];
static unsigned depth, length, under_way; /* nodes there are; of this run, so far; until the step under way */
static uint16_t latest[BUCKETS];   /* 1 + the last step that touches an object of this bucket, */
static uint8_t buckets[2][NODES];
static uint16_t earlier[2][NODES]; /* and 1 + the one before it, for each object of a step */
static uint16_t clocks[ACTORS][ACTORS]; /* of what each actor did last */
static uint16_t before[ACTORS];      /* the clock of the step under way, without what it depends on itself */
static uint16_t everything[ACTORS];  /* the clock of all that has been done */
static uint64_t times[ACTORS], latest_time;
static ex_footprint_t announced[ACTORS];
static ex_actors_t asleep_next;
static uint32_t disturbed;
static bool is_redundant, in_one_order, was_too_long;
static uint64_t hash;

static void join(uint16_t to[ACTORS], const uint16_t from[ACTORS]) {
    for (int i = 0; i < ACTORS; i += 1) {
        to[i] = from[i] > to[i] ? from[i] : to[i];
    }
}

static void join_time(uint64_t *to, uint64_t from) { *to = from > *to ? from : *to; }
static ex_actors_t bit(int actor) { return (ex_actors_t)1 << actor; }

void ex_reduce_begin(void) {
    depth = 0;
    was_too_long = false;
}
void ex_reduce_again(void) { depth = length; }
bool ex_reduce_is_redundant(void) { return is_redundant; }
bool ex_reduce_was_too_long(void) { return was_too_long; }

void ex_reduce_begin_run(void) {
    length = under_way = 0;
    asleep_next = 0;
    disturbed = 0;
    is_redundant = in_one_order = false;
    hash = 0;
    memset(clocks, 0, sizeof clocks);
    memset(latest, 0, sizeof latest);
    memset(everything, 0, sizeof everything);
    latest_time = 0;
    memset(announced, 0, sizeof announced);
    for (int i = 0; i < ACTORS; i += 1) {
        times[i] = 1000;
    }
}

void ex_reduce_announce(int actor, ex_footprint_t footprint) { announced[actor] = footprint; }

/* Their clocks hold the steps under way: an actor's own is set when its step begins. */
void ex_reduce_order(int from, int to) {
    join(clocks[to], clocks[from]);
    join_time(&times[to], times[from]);
}

void ex_reduce_order_all(int to) {
    for (int i = 0; i < ACTORS; i += 1) {
        ex_reduce_order(i, to);
    }
}

void ex_reduce_in_one_order(bool is_so) {
    in_one_order = is_so;
    for (int i = 0; i < ACTORS && !is_so; i += 1) {
        join(clocks[i], everything);
        join_time(&times[i], latest_time);
    }
}

uint64_t ex_reduce_now(int thread) { return times[thread]; }

void ex_reduce_pass(int actor, uint64_t time) {
    join_time(&times[actor], time);
    join_time(&latest_time, time);
    nodes[under_way - 1].time = times[actor];
}

unsigned ex_reduce_step(void) { return under_way; }

bool ex_reduce_came_before(unsigned step) { return !in_one_order && (step == 0 || before[nodes[step - 1].actor] >= step); }

bool ex_reduce_may_disturb(int thread) { return !(disturbed >> thread & 1); }
uint64_t ex_reduce_hash(void) { return hash; }

/* The step at `early` and the last one, of `actor` with this clock, race. One of the actors that can begin an order in which the last one comes
 * first is wanted at `early`: those whose first step after it depends on no other one, if it is not after `early` itself. */
static void want_other_order(unsigned early, unsigned last, int actor, const uint16_t clock[ACTORS]) {
    static unsigned later[NODES];
    unsigned count = 0;
    ex_actors_t seen = 0, initials = 0;
    node_t *node = &nodes[early];
    for (unsigned i = early + 1; i < last; i += 1) {
        if (nodes[i].actor >= 0 && nodes[i].clock[node->actor] < early + 1) {
            later[count++] = i;
        }
    }
    for (unsigned i = 0; i <= count; i += 1) {
        int its = i < count ? nodes[later[i]].actor : actor;
        const uint16_t *of_step = i < count ? nodes[later[i]].clock : clock;
        bool is_first = !(seen & bit(its));
        seen |= bit(its);
        for (unsigned j = 0; j < i && is_first; j += 1) {
            is_first = of_step[nodes[later[j]].actor] < later[j] + 1;
        }
        initials |= is_first ? bit(its) : 0;
    }
    if (initials & (node->wanted | node->asleep)) {
        return;
    }
    initials &= node->enabled;
    if (initials == 0) {
        ex_fail("the explorer itself: an order that no thread can begin");
    }
    node->wanted |= initials & bit(actor) ? bit(actor) : initials & -initials;
}

/* What races with this step, if that one comes before it. NODES: nothing does, for the two cannot be exchanged. */
static unsigned race_with(unsigned early, const ex_footprint_t *footprint, const uint16_t known[ACTORS]) {
    const node_t *node = &nodes[early];
    for (int i = 0; i < 2; i += 1) {
        for (int j = 0; j < 2; j += 1) {
            ex_touch_t touch = footprint->at[j].touch;
            if (!depends(&node->footprint, i, footprint, j) || touch == EX_AWAITS || touch == EX_UNLOCKS) {
                continue;
            }
            if (touch != EX_LOCKS || node->footprint.at[i].touch != EX_UNLOCKS) {
                return early;
            }
            for (unsigned at = early; at-- > 0;) {
                if (nodes[at].actor == node->actor && does(&nodes[at].footprint, footprint->at[j].object, EX_LOCKS)) {
                    return at + 1 > known[node->actor] ? at : NODES;
                }
            }
        }
    }
    return NODES;
}

static unsigned earlier_of(unsigned at, unsigned bucket) { return earlier[buckets[0][at] == bucket ? 0 : 1][at]; }

static void enlist(unsigned at) {
    for (int i = 0; i < 2; i += 1) {
        unsigned bucket = buckets[i][at];
        if (bucket > 0 && latest[bucket] != at + 1) {
            earlier[i][at] = latest[bucket];
            latest[bucket] = (uint16_t)(at + 1);
        }
    }
}

/* Places the step of this actor behind those that it depends on, and wants the other orders of those with which it races. */
static void place(unsigned at, int actor) {
    const ex_footprint_t footprint = announced[actor];
    uint16_t clock[ACTORS];
    unsigned races[RACES], count = 0;
    nodes[at].footprint = footprint;
    memcpy(before, clocks[actor], sizeof before);
    memcpy(clock, before, sizeof clock);
    const unsigned in[2] = { bucket_of(&footprint, 0), bucket_of(&footprint, 1) };
    unsigned next[2] = { in_one_order ? 0 : latest[in[0]], in_one_order ? 0 : latest[in[1]] };
    buckets[0][at] = (uint8_t)in[0];
    buckets[1][at] = (uint8_t)in[1];
    while (next[0] + next[1] > 0) {
        unsigned i = (next[0] > next[1] ? next[0] : next[1]) - 1;
        const node_t *node = &nodes[i];
        for (int j = 0; j < 2; j += 1) {
            next[j] = next[j] == i + 1 ? earlier_of(i, in[j]) : next[j];
        }
        if (node->actor == actor || i + 1 <= clock[node->actor] || !are_dependent(&node->footprint, &footprint)) {
            continue;
        }
        unsigned race = race_with(i, &footprint, before);
        if (race != NODES) {
            if (count == RACES) {
                ex_fail("the explorer itself: more than %d races of a step", RACES);
            }
            races[count++] = race;
        }
        join(clock, node->clock);
        join_time(&times[actor], node->time);
    }
    nodes[at].number = before[actor] > 0 ? (uint16_t)(nodes[before[actor] - 1].number + 1) : 1;
    clock[actor] = (uint16_t)(at + 1);
    memcpy(nodes[at].clock, clock, sizeof clock);
    memcpy(clocks[actor], clock, sizeof clock);
    nodes[at].time = times[actor];
    for (unsigned i = 0; i < count; i += 1) {
        want_other_order(races[i], at, actor, clock);
    }
}

static uint64_t mix(uint64_t number) {
    number = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return number ^ number >> 29;
}

/* A sum over the steps, each with what came before it: the order of independent ones makes no difference. A step is named by its actor and
 * its number among that one's steps. */
static void add_to_hash(node_t *node) {
    uint64_t one = mix((uint64_t)node->actor);
    for (unsigned i = 0; i < ACTORS; i += 1) {
        one = node->clock[i] > 0 ? mix(one ^ (uint64_t)i << 32 ^ nodes[node->clock[i] - 1].number) : one;
    }
    node->hash = one;
    hash += one;
}

/* A step before the one at which this run differs from the last: all that it leads to is known, except the addresses of pages, which are the
 * system's and may be others in each run. */
static void repeat(unsigned at) {
    node_t *node = &nodes[at];
    look_again(&announced[node->actor]);
    node->footprint = announced[node->actor];
    for (int i = 0; i < 2; i += 1) {
        buckets[i][at] = (uint8_t)bucket_of(&node->footprint, i);
    }
    memcpy(before, clocks[node->actor], sizeof before);
    memcpy(clocks[node->actor], node->clock, sizeof node->clock);
    times[node->actor] = node->time;
    asleep_next = node->asleep_after;
    hash += node->hash;
}

int ex_reduce_choose(ex_actors_t enabled, int current) {
    if (length == NODES - 1) { /* a value may follow */
        is_redundant = was_too_long = true;
        return -1;
    }
    node_t *node = &nodes[length];
    if (length == depth) {
        *node = (node_t){ .enabled = enabled, .asleep = asleep_next & enabled };
        ex_actors_t free = enabled & ~node->asleep, threads = free & (bit(EX_THREADS) - 1);
        if (free == 0) {
            is_redundant = true;
            return -1;
        }
        free = threads != 0 ? threads : free; /* time passes last */
        node->actor = (int8_t)(current >= 0 && free & bit(current) ? current : __builtin_ctz(free));
        node->wanted = bit(node->actor);
        depth += 1;
    } else if (node->enabled != enabled || node->actor < 0) {
        ex_fail("the explorer itself: the same choices led to another program state");
    }
    int actor = node->actor;
    if (length + 1 < depth) {
        repeat(length);
        enlist(length);
        join(everything, node->clock);
        join_time(&latest_time, node->time);
        under_way = length += 1;
        return actor;
    }
    for (int each = 0; each < EX_THREADS; each += 1) {
        look_again(&announced[each]);
    }
    if (in_one_order) {
        join(clocks[actor], everything);
        join_time(&times[actor], latest_time);
    }
    asleep_next = 0;
    ex_actors_t concerned = (node->asleep | node->tried | (enabled & ~(bit(EX_THREADS) - 1))) & ~bit(actor);
    for (; concerned != 0; concerned &= concerned - 1) {
        int other = __builtin_ctz(concerned);
        bool conflicts = are_dependent(&announced[other], &announced[actor]);
        if ((node->asleep | node->tried) & bit(other) && !conflicts) {
            asleep_next |= bit(other);
        }
        if (other >= EX_THREADS && enabled & bit(other) && conflicts && !in_one_order && !(node->asleep & bit(other))) {
            node->wanted |= bit(other);
        }
    }
    node->asleep_after = asleep_next;
    place(length, actor);
    enlist(length);
    add_to_hash(node);
    join(everything, node->clock);
    join_time(&latest_time, node->time);
    under_way = length += 1;
    return actor;
}

unsigned ex_reduce_value(unsigned options, bool disturbs) {
    node_t *node = &nodes[length];
    if (length == depth) {
        *node = (node_t){ .actor = -1, .options = (uint8_t)options };
        depth += 1;
    } else if (node->actor >= 0 || node->options != options) {
        ex_fail("the explorer itself: the same choices led to another program state");
    }
    length += 1;
    disturbed |= (uint32_t)(disturbs && node->value > 0) << ex_current;
    hash += mix(mix(nodes[clocks[ex_current][ex_current] - 1].number ^ (uint64_t)ex_current << 32) + node->value);
    return node->value;
}

bool ex_reduce_next(void) {
    for (depth = length; depth > 0; depth -= 1) {
        node_t *node = &nodes[depth - 1];
        if (node->actor < 0) {
            node->value += 1;
            if (node->value < node->options) {
                return true;
            }
            continue;
        }
        node->tried |= bit(node->actor);
        ex_actors_t left = node->wanted & ~node->tried & ~node->asleep;
        if (left != 0) {
            node->actor = (int8_t)__builtin_ctz(left);
            return true;
        }
    }
    return false;
}
