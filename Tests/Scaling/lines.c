/* lines.c: the caches. Each core has one, and it is never full: a line leaves it only because another core writes.
 *
 * DESIGN. A line is with one core that may write it, or with several that may read it (as MESI has it). An access of a line that the core has
 * costs little. Otherwise the line is fetched, and other copies are dropped if the access writes. Fetches of one line follow each
 * other: `busy` is when the last one will be over. A core that loses a line can use it until it is asked for it, a moment after it has
 * come at the earliest, so a loop of compare-and-swaps that has just got the line mostly succeeds. A plain store does not wait: it lies in the core's store buffer until the line has come, stores
 * in order. A swap (any locked instruction) waits for the stores before it. */
#include "explore.h"
#include "scaling.h"

#include <string.h>

enum { LINE = 64, LINES = 1 << 20, RANGES = 1 << 14, NOBODY = -1, WORDS = (EX_THREADS + 63) / 64 };

/* How long the stores may lie in a buffer, which holds a few dozen. */
#define LONGEST_BUFFERED (UINT64_C(400) * 1000)

const char *const sc_kinds[SC_KINDS] = { "state", "queue", "slots", "store", "pool", "object", "sleep", "tasks", "rest" };
sc_lines_t sc_lines;

typedef struct line {
    uintptr_t key;
    uint64_t busy;
    int writer; /* or NOBODY */
    int kind;
    uint64_t readers[WORDS];
} line_t;

static line_t lines[LINES];
static struct { uintptr_t start, end; int kind; } ranges[RANGES];
static unsigned range_count;
/* The lines that a core has lost, or is about to: how long it can still read, and write, them. */
enum { LOST = 8 };
typedef struct lost { uintptr_t key; uint64_t until; bool writes; } lost_t;
static struct { lost_t lines[LOST]; unsigned next; } lost[EX_THREADS];
static uint64_t stored[EX_THREADS]; /* when the last store of each core will have its line */

void sc_lines_reset(void) {
    memset(lines, 0, sizeof lines);
    memset(stored, 0, sizeof stored);
    memset(lost, 0, sizeof lost);
    memset(&sc_lines, 0, sizeof sc_lines);
    range_count = 0;
}

static line_t *find(uintptr_t key) {
    unsigned at = (unsigned)(key * 2654435761u) % LINES;
    while (lines[at].key != key && lines[at].key != 0) {
        at = (at + 1) % LINES;
    }
    return &lines[at];
}

void sc_name(const void *start, uint64_t bytes, int kind) {
    for (uintptr_t key = (uintptr_t)start / LINE; key * LINE < (uintptr_t)start + bytes && bytes < 1 << 16; key += 1) {
        find(key)->kind = kind; /* if it has been used already */
    }
    if (range_count == RANGES) {
        ex_fail("more than %d names", RANGES);
    }
    ranges[range_count].start = (uintptr_t)start;
    ranges[range_count].end = (uintptr_t)start + bytes;
    ranges[range_count++].kind = kind;
}

/* The last name that touches the line. */
static int kind_of(uintptr_t key) {
    for (unsigned i = range_count; i > 0; i -= 1) {
        if (ranges[i - 1].start < (key + 1) * LINE && ranges[i - 1].end > key * LINE) {
            return ranges[i - 1].kind;
        }
    }
    return SC_REST;
}

static line_t *line_of(const void *address) {
    uintptr_t key = (uintptr_t)address / LINE;
    line_t *line = find(key);
    if (line->key == 0) {
        *line = (line_t){ .key = key, .writer = ex_current, .kind = kind_of(key) }; /* the first one has it: nothing is fetched from memory */
    }
    return line;
}

static bool reads(const line_t *line, int core) { return line->writer == core || (line->readers[core / 64] >> core % 64 & 1) != 0; }

static bool is_near(const line_t *line) {
    int group = ex_current / (int)sc_costs.group;
    bool near = line->writer != NOBODY && line->writer / (int)sc_costs.group == group;
    for (int core = group * (int)sc_costs.group; !near && core < (group + 1) * (int)sc_costs.group && core < EX_THREADS; core += 1) {
        near = (line->readers[core / 64] >> core % 64 & 1) != 0;
    }
    return near;
}

static void lose(int core, const line_t *line, uint64_t until, bool writes) {
    lost[core].lines[lost[core].next] = (lost_t){ line->key, until, writes };
    lost[core].next = (lost[core].next + 1) % LOST;
}

static bool still_has(const line_t *line, bool writes) {
    for (unsigned i = 0; i < LOST; i += 1) {
        const lost_t *at = &lost[ex_current].lines[i];
        if (at->key == line->key && sc_clock() < at->until && (at->writes || !writes)) {
            return true;
        }
    }
    return false;
}

static void drop_readers(line_t *line, uint64_t until) {
    for (int core = 0; core < EX_THREADS; core += 1) {
        if (line->readers[core / 64] == 0) {
            core |= 63;
        } else if (core != ex_current && (line->readers[core / 64] >> core % 64 & 1) != 0) {
            lose(core, line, until, false);
        }
    }
    memset(line->readers, 0, sizeof line->readers);
}

/* Returns when the line will be here. */
static uint64_t fetch(line_t *line, bool writes) {
    uint64_t now = sc_clock(), begins = line->busy > now ? line->busy : now;
    uint64_t cost = is_near(line) ? sc_costs.move : sc_costs.far, ends = begins + cost - cost / 8 + sc_random() % (cost / 4 + 1);
    sc_lines.moves[line->kind] += 1;
    sc_lines.queued[line->kind] += begins - now;
    uint64_t asked = begins + sc_costs.hold;
    if (line->writer != NOBODY) {
        lose(line->writer, line, asked, true);
    }
    if (writes) {
        drop_readers(line, asked);
        line->writer = ex_current;
        line->busy = ends;
    } else {
        if (line->writer != NOBODY) {
            line->readers[line->writer / 64] |= UINT64_C(1) << line->writer % 64;
            line->writer = NOBODY;
        }
        line->readers[ex_current / 64] |= UINT64_C(1) << ex_current % 64;
        line->busy = begins + sc_costs.shared;
    }
    return ends;
}

void ex_lines_note(const void *address, ex_use_t use) {
    if (ex_core_ignores(address)) {
        sc_spend(sc_costs.access);
        return;
    }
    line_t *line = line_of(address);
    if (use == EX_SWAP) {
        sc_clock_at_least(stored[ex_current]);
    }
    bool is_here = (use == EX_LOAD ? reads(line, ex_current) : line->writer == ex_current) || still_has(line, use != EX_LOAD);
    if (!is_here) {
        sc_pass(); /* the core that asks first gets it first */
        uint64_t comes = fetch(line, use != EX_LOAD);
        if (use == EX_STORE) {
            uint64_t last = stored[ex_current];
            stored[ex_current] = last = last > comes ? last : comes;
            sc_clock_at_least(last > LONGEST_BUFFERED ? last - LONGEST_BUFFERED : 0);
        } else {
            sc_clock_at_least(comes);
        }
    }
    sc_spend(use == EX_SWAP ? sc_costs.swap : sc_costs.access);
    if (!is_here && use != EX_STORE) {
        sc_pass(); /* the value is read when the line is here */
    }
}
void ex_lines_reset(void) {}
