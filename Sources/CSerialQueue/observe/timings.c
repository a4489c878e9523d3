#include "observe/timings.h"

#include "gate/gate_inline.h"
#include "state/state_inline.h"

static sq__timings_t *measured_of(const sq_queue_t *queue) {
    return sq__extra(queue, SQ__EXTRA_TIMINGS);
}

/* How often each count has reached a multiple of HALF. */
#define HALF (UINT32_C(1) << 31)
typedef struct carried {
    SQ__ATOMIC(uint32_t) halves[2][SQ__DURATION_BUCKETS];
} carried_t;

static void __attribute__((noinline)) carry(sq_queue_t *queue, sq__duration_t which, unsigned bucket) {
    carried_t *carried = sq__extra_make(queue, SQ__EXTRA_CARRIED, sizeof *carried);
    if (carried != NULL) {
        sq__add_release(&carried->halves[which][bucket], 1); /* [carry] release: the count that has reached it */
    }
}

/* How many durations the bucket has. The queue was measured once. */
static uint64_t count_of(const sq_queue_t *queue, sq__duration_t which, unsigned bucket) {
    const carried_t *carried = sq__extra(queue, SQ__EXTRA_CARRIED);
    uint64_t halves = carried != NULL ? sq__load_acquire(&carried->halves[which][bucket]) : 0; /* [carry] acquire: a count not before it */
    const sq__durations_t *durations = &measured_of(queue)->durations[which];
    uint32_t count = sq__load_relaxed(&durations->counts[bucket]);
    halves += (halves ^ (count >> 31)) & 1;
    return (halves >> 1 << 32) | count;
}

void sq__timings_add(const sq_queue_t *queue, sq__duration_t which, sq_histogram_t *histogram) {
    const sq__durations_t *durations = &measured_of(queue)->durations[which];
    for (unsigned i = 0; i < SQ__DURATION_BUCKETS; i += 1) {
        uint64_t count = count_of(queue, which, i);
        histogram->counts[sq__timings_bucket(sq__timings_bound(i))] += count;
        histogram->count += count;
    }
    histogram->sum += sq__load_relaxed(&durations->sum);
    uint64_t longest = sq__load_relaxed(&durations->longest);
    histogram->longest = longest > histogram->longest ? longest : histogram->longest;
}

uint64_t sq__timings_bound(unsigned bucket) {
    if (bucket < 3) {
        return bucket * 32 - (bucket > 0);
    }
    return bucket < SQ__DURATION_BUCKETS - 1 ? ((UINT64_C(5) + (bucket - 3) % 4) << ((bucket - 3) / 4 + 4)) - 1 : UINT64_MAX;
}

/* Of a concurrent queue: others count at the same time. Returns the count. */
static uint32_t record_shared(sq__durations_t *durations, unsigned bucket, uint64_t nanoseconds) {
    uint32_t count = sq__add_relaxed(&durations->counts[bucket], 1) + 1;
    sq__add_relaxed(&durations->sum, nanoseconds);
    uint64_t longest = sq__load_relaxed(&durations->longest);
    while (nanoseconds > longest && !sq__cas_relaxed(&durations->longest, &longest, nanoseconds)) {
    }
    return count;
}

static uint32_t record_alone(sq__durations_t *durations, unsigned bucket, uint64_t nanoseconds) {
    uint32_t count = sq__load_relaxed(&durations->counts[bucket]) + 1;
    sq__store_relaxed(&durations->counts[bucket], count);
    sq__count(&durations->sum, nanoseconds);
    if (nanoseconds > sq__load_relaxed(&durations->longest)) {
        sq__store_relaxed(&durations->longest, nanoseconds);
    }
    return count;
}

/* O, or inside as a reader: counts one duration. Inline: `which` is a constant there. */
static inline __attribute__((always_inline)) void record(sq_queue_t *queue, sq__duration_t which, uint64_t nanoseconds) {
    sq__durations_t *durations = &measured_of(queue)->durations[which];
    unsigned bucket = sq__timings_own_bucket(nanoseconds);
    uint32_t count = sq__is_concurrent(queue) ? record_shared(durations, bucket, nanoseconds) : record_alone(durations, bucket, nanoseconds);
    if (__builtin_expect(count % HALF == 0, 0)) {
        carry(queue, which, bucket);
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

void sq__timings_waited(sq_queue_t *queue, uint64_t waited) { record(queue, SQ__WAITING, waited); }

void sq__timings_end(sq_queue_t *queue, uint64_t began) {
    if (began != 0) {
        record(queue, SQ__RUNNING, sq__clock_now() - began);
    }
}
