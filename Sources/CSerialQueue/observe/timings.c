#include "observe/timings.h"

#include "gate/gate_inline.h"
#include "state/state_inline.h"

static sq__timings_t *measured_of(const sq_queue_t *queue) {
    return sq__extra(queue, SQ__EXTRA_TIMINGS);
}

/* How often each count has reached a multiple of HALF. */
#define HALF (UINT32_C(1) << 31)
typedef struct carried {
    SQ__ATOMIC(uint32_t) halves[SQ__MEASURE_BUCKETS];
} carried_t;

static void __attribute__((noinline)) carry(sq_queue_t *queue, unsigned at) {
    carried_t *carried = sq__extra_make(queue, SQ__EXTRA_CARRIED, sizeof *carried);
    if (carried != NULL) {
        sq__add_release(&carried->halves[at], 1); /* [carry] release: the count that has reached it */
    }
}

/* How many entries this bucket of the record has. The queue was measured once. */
static uint64_t count_of(const sq_queue_t *queue, unsigned at) {
    const carried_t *carried = sq__extra(queue, SQ__EXTRA_CARRIED);
    uint64_t halves = carried != NULL ? sq__load_acquire(&carried->halves[at]) : 0; /* [carry] acquire: a count not before it */
    const sq__timings_t *measured = measured_of(queue);
    uint32_t count = sq__load_relaxed(&measured->counts[at]);
    halves += (halves ^ (count >> 31)) & 1;
    return (halves >> 1 << 32) | count;
}

/* The first bucket of this measure in the record. */
static inline unsigned first_of(sq__measure_t which) { return (unsigned)which * SQ__DURATION_BUCKETS; }

static inline unsigned buckets_of(sq__measure_t which) { return which == SQ__DEPTH ? SQ__DEPTH_BUCKETS : SQ__DURATION_BUCKETS; }

void sq__timings_add(const sq_queue_t *queue, sq__totals_t *totals) {
    const sq__timings_t *measured = measured_of(queue);
    for (unsigned at = 0; at < SQ__MEASURE_BUCKETS; at += 1) {
        totals->counts[at] += count_of(queue, at);
    }
    for (sq__measure_t which = SQ__WAITING; which < SQ__MEASURES; which += 1) {
        uint64_t longest = sq__load_relaxed(&measured->longest[which]);
        totals->sums[which] += sq__load_relaxed(&measured->sums[which]);
        totals->longest[which] = longest > totals->longest[which] ? longest : totals->longest[which];
    }
}

void sq__timings_fill(sq_histogram_t *histogram, const sq__totals_t *totals, sq__measure_t which) {
    *histogram = (sq_histogram_t)SQ_HISTOGRAM_INIT;
    histogram->sum = totals->sums[which];
    histogram->longest = totals->longest[which];
    for (unsigned i = 0; i < buckets_of(which); i += 1) {
        uint64_t count = totals->counts[first_of(which) + i];
        histogram->counts[sq__timings_bucket(sq__timings_bound(which, i))] = count;
        histogram->count += count;
    }
}

uint64_t sq__timings_bound(sq__measure_t which, unsigned bucket) {
    if (bucket == buckets_of(which) - 1) {
        return UINT64_MAX;
    }
    if (which == SQ__DEPTH) {
        return (UINT64_C(1) << bucket) - 1;
    }
    if (bucket < 3) {
        return bucket * 32 - (bucket > 0);
    }
    return bucket < 11 ? ((UINT64_C(3) + (bucket - 3) % 2) << ((bucket - 3) / 2 + 5)) - 1 : ((UINT64_C(5) + (bucket - 11) % 4) << ((bucket - 11) / 4 + 8)) - 1;
}

/* Of a concurrent queue: others count at the same time. Returns the count. */
static uint32_t record_shared(sq__timings_t *measured, sq__measure_t which, unsigned at, uint64_t value) {
    uint32_t count = sq__add_relaxed(&measured->counts[at], 1) + 1;
    sq__add_relaxed(&measured->sums[which], value);
    uint64_t longest = sq__load_relaxed(&measured->longest[which]);
    while (value > longest && !sq__cas_relaxed(&measured->longest[which], &longest, value)) {
    }
    return count;
}

static uint32_t record_alone(sq__timings_t *measured, sq__measure_t which, unsigned at, uint64_t value) {
    uint32_t count = sq__load_relaxed(&measured->counts[at]) + 1;
    sq__store_relaxed(&measured->counts[at], count);
    sq__count(&measured->sums[which], value);
    if (value > sq__load_relaxed(&measured->longest[which])) {
        sq__store_relaxed(&measured->longest[which], value);
    }
    return count;
}

/* O, or inside as a reader: counts one value. Inline: `which` is a constant there. */
static inline __attribute__((always_inline)) void record(sq_queue_t *queue, sq__measure_t which, uint64_t value) {
    sq__timings_t *measured = measured_of(queue);
    unsigned at = first_of(which) + (which == SQ__DEPTH ? sq__timings_depth_bucket(value) : sq__timings_own_bucket(value));
    uint32_t count = sq__is_concurrent(queue) ? record_shared(measured, which, at, value) : record_alone(measured, which, at, value);
    if (__builtin_expect(count % HALF == 0, 0)) {
        carry(queue, at);
    }
}

void sq__timings_handoff(const sq_queue_t *queue) {
    if (sq__load_acquire(&queue->control) & SQ__MEASURED) { /* [watch] acquire: the record */
        sq__timings_t *measured = measured_of(queue);
        sq__store_relaxed(&measured->handoff, sq__clock_now());
    }
}

uint64_t sq__timings_submitted_handoff(const sq_queue_t *queue) {
    const sq__timings_t *measured = measured_of(queue);
    return sq__load_relaxed(&measured->handoff);
}

/* Between two times, of which at least one has only the lower bits. */
static uint64_t between(uint64_t earlier, uint64_t later) { return (later - earlier) << SQ__KIND_BITS >> SQ__KIND_BITS; }

uint64_t sq__timings_begin(const sq_queue_t *queue, uint64_t submitted, uint64_t *waited) {
    if (submitted == 0) {
        return 0;
    }
    const sq__timings_t *measured = measured_of(queue);
    uint64_t now = sq__clock_now();
    *waited = submitted != SQ__DID_NOT_WAIT ? between(submitted, now) : 0;
    return *waited <= now - sq__load_relaxed(&measured->since) ? now : 0; /* else it was submitted before */
}

void sq__timings_waited(sq_queue_t *queue, uint64_t waited, uint64_t depth) {
    record(queue, SQ__WAITING, waited);
    record(queue, SQ__DEPTH, depth);
}

void sq__timings_end(sq_queue_t *queue, uint64_t began) {
    if (began != 0) {
        record(queue, SQ__RUNNING, sq__clock_now() - began);
    }
}
