#include "observe/timings.h"

#include "gate/gate_inline.h"
#include "state/state_inline.h"

static sq__timings_t *measured_of(const sq_queue_t *queue) {
    return sq__extra(queue, SQ__EXTRA_TIMINGS);
}

/* Of a concurrent queue: others count at the same time. */
static void record_shared(sq__durations_t *durations, uint64_t nanoseconds) {
    unsigned bucket = sq__timings_bucket(nanoseconds);
    sq__add_relaxed(&durations->counts[bucket], 1);
    sq__add_relaxed(&durations->sum, nanoseconds);
    uint64_t longest = sq__load_relaxed(&durations->longest);
    while (nanoseconds > longest && !sq__cas_relaxed(&durations->longest, &longest, nanoseconds)) {
    }
}

/* O, or inside as a reader: counts one duration. */
static void record(const sq_queue_t *queue, sq__durations_t *durations, uint64_t nanoseconds) {
    if (sq__is_concurrent(queue)) {
        record_shared(durations, nanoseconds);
        return;
    }
    unsigned bucket = sq__timings_bucket(nanoseconds);
    sq__count(&durations->counts[bucket], 1);
    sq__count(&durations->sum, nanoseconds);
    if (nanoseconds > sq__load_relaxed(&durations->longest)) {
        sq__store_relaxed(&durations->longest, nanoseconds);
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

void sq__timings_waited(const sq_queue_t *queue, uint64_t waited) { record(queue, &measured_of(queue)->waiting, waited); }

void sq__timings_end(const sq_queue_t *queue, uint64_t began) {
    if (began != 0) {
        record(queue, &measured_of(queue)->running, sq__clock_now() - began);
    }
}
