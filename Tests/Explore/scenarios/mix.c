/* mix.c: programs made at random, from one word list for each group of calls. */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#define MAY_DEADLOCK .deadlocks = -1
enum { STOPPED = ERROR_BIT(108) /* ESHUTDOWN */, CYCLE = ERROR_BIT(35) /* EDEADLK */ };

const scenario_t mix_scenarios[] = {
    { "mix_plain", "random programs of sync and async, nested, on two queues", "mix plain", .expect = { MAY_DEADLOCK, .may = CYCLE } },
    { "mix_timed", "random programs of all waiting calls, with deadlines", "mix timed", .expect = { MAY_DEADLOCK, .may = CYCLE } },
    { "mix_bound", "the same in queues with room for one", "mix bound", .expect = { MAY_DEADLOCK, .may = CYCLE, .capacity = 1 } },
    { "mix_suspend", "the same with suspend and resume", "mix suspend", .expect = { MAY_DEADLOCK, .may = CYCLE } },
    { "mix_end", "the same with shutdowns, suspend and resume", "mix end", .expect = { MAY_DEADLOCK, .may = CYCLE | STOPPED } },
    { "mix_bound_end", "the same in queues with room for one", "mix end", .expect = { MAY_DEADLOCK, .may = CYCLE | STOPPED, .capacity = 1 } },
    { "mix_watch", "the same with watchers", "mix watch", .expect = { MAY_DEADLOCK, .may = CYCLE | STOPPED } },
    { "mix_release", "each thread releases its reference at some point, or a task does", "mix release",
      .expect = { MAY_DEADLOCK, .may = CYCLE | STOPPED, .each_has_a_reference = true } },
    { "mix_abandon", "the same, while the queue is suspended", "mix abandon", .expect = { MAY_DEADLOCK, .each_has_a_reference = true } },
    { "mix_faults", "random programs of all calls, while memory and threads fail", "mix end", .faults = true,
      .expect = { MAY_DEADLOCK, .may = CYCLE | STOPPED } },
    { "mix_bound_faults", "the same with limited capacity", "mix bound", .faults = true,
      .expect = { MAY_DEADLOCK, .may = CYCLE, .capacity = 1 } },
    { "mix_release_faults", "the same with last references", "mix release", .faults = true,
      .expect = { MAY_DEADLOCK, .may = CYCLE | STOPPED, .each_has_a_reference = true } },
    { "mix_watch_faults", "the same with watchers", "mix watch", .faults = true,
      .expect = { MAY_DEADLOCK, .may = CYCLE | STOPPED } },
    { 0 },
};

static const char *const plain[] = { "async", "pair", "sync", "sync", "sync_or_run", "async", "async(async)", "sync(async)", "sync(sync)",
    "sync(sync_or_run)", "sync(sync:B)", "async:B", "sync:B(sync)", "async(sync:B)", "look", "call", NULL };
static const char *const timed[] = { "async", "sync", "sync_until", "sync_until", "try", "call", "call_until", "sync(call_until:B)",
    "sync:B(sync_until)", "async(call:B)", "call(sync:B)", "sync:B(call)", "call_until(async)", "look", NULL };
static const char *const bound[] = { "async", "async", "async_until", "async_until", "sync", "sync_until", "call_until",
    "async(async)", "sync(async_until:B)", "async_until:B", "sync:B(async_until)", "call(async_until)", NULL };
static const char *const suspend[] = { "async", "pair", "sync_until", "call_until", "suspend resume?", "suspend resume?", "suspend sync_until resume?",
    "async(suspend resume?)", "sync(suspend resume?)", "resume?", "suspend async resume?", "async(resume?)", "try", "look", "async", NULL };
static const char *const end[] = { "async", "pair", "sync_until", "call_until", "async_until", "suspend resume?", "drain_until", "discard_until",
    "async(discard_until)", "sync(drain_until)", "sync", "call", "async(async)", "async(async_until)", "sync_until(async)",
    "sync:B(discard_until)", "sync:B(sync_until)", "async(discard_until:B)", "sync_until(call_until:B)", NULL };
static const char *const watch[] = { "async", "sync", "watch", "watch", "unwatch", "call_until", "sync(watch)", "async(unwatch)",
    "discard_until", "async", "look", "watch:B", "async:B", "sync(sync:B)", NULL };
static const char *const release[] = { "async", "pair", "sync", "async(async)", "sync_until", "call_until", "suspend resume?", "async(retain release)",
    "async", "sync(async)", "drain_until", "discard_until", "look", "retain release", NULL };

static const char *const abandon[] = { "async", "async(async)", "async", "retain release", "look", "suspend resume?", "async(suspend)", "suspend", NULL };

static const struct { const char *name; const char *const *words; } lists[] = {
    { "plain", plain }, { "timed", timed }, { "bound", bound }, { "suspend", suspend }, { "end", end }, { "watch", watch },
    { "release", release }, { "abandon", abandon },
};

static uint64_t state;
static unsigned draw(unsigned below) {
    state ^= state >> 33;
    state *= UINT64_C(0xff51afd7ed558ccd);
    state ^= state >> 33;
    state *= UINT64_C(0xc4ceb9fe1a85ec53);
    state ^= state >> 33;
    state += 0x9E37;
    return (unsigned)(state >> 20) % below;
}

static void append(char *text, size_t size, const char *word) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", word);
}

/* A thread of the release programs ends by giving its reference up: itself, or from a task, or while suspended. */
static const char *const farewells[] = { "release", "suspend release", "suspend async release", "async(retain release) suspend release" };
/* If a thread waits in a sync or call, no thread may leave the queue suspended. */
static const char *const safe_farewells[] = { "release", "async(release)", "sync(release)", "call(release)", "async(retain release release)" };

void mix_program(char *text, size_t size, uint64_t seed, const char *what) {
    const char *const *words = NULL;
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i += 1) {
        words = strcmp(lists[i].name, what) == 0 ? lists[i].words : words;
    }
    while (words[count] != NULL) {
        count += 1;
    }
    state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    unsigned threads = 2 + draw(2);
    text[0] = '\0';
    for (unsigned i = 0; i < threads; i += 1) {
        append(text, size, i > 0 ? " |" : "");
        unsigned length = 1 + draw(threads == 2 ? 4 : 3);
        for (unsigned k = 0; k < length; k += 1) {
            append(text, size, " ");
            append(text, size, words[draw(count)]);
        }
        if (words == release) {
            append(text, size, " ");
            append(text, size, safe_farewells[draw(sizeof safe_farewells / sizeof safe_farewells[0])]);
        } else if (words == abandon) {
            append(text, size, " ");
            append(text, size, farewells[draw(sizeof farewells / sizeof farewells[0])]);
        }
    }
}
