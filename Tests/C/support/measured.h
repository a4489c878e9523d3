/* measured.h: what the tests of histograms share. Everything is static: a program has what it uses. */
#ifndef MEASURED_H
#define MEASURED_H

#include "caller.h"

/* 8 KiB each. */
typedef struct both {
    sq_histogram_t waiting, running;
} both_t;

static inline both_t read_both(const sq_queue_t *queue) {
    both_t both = { SQ_HISTOGRAM_INIT, SQ_HISTOGRAM_INIT };
    CHECK_EQUAL(sq_queue_histograms(queue, &both.waiting, &both.running), 0);
    return both;
}

static inline void check_histogram(const sq_histogram_t *histogram, uint64_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        sum += histogram->counts[i];
    }
    CHECK_EQUAL(histogram->count, count);
    CHECK_EQUAL(sum, count);
    CHECK(histogram->sum <= histogram->longest * count);
    CHECK_EQUAL(sq_histogram_quantile(histogram, 1), histogram->longest);
}

static inline sq_histogram_t read_depths(const sq_queue_t *queue) {
    sq_histogram_t depths = SQ_HISTOGRAM_INIT;
    CHECK_EQUAL(sq_queue_depth_histogram(queue, &depths), 0);
    return depths;
}

/* Tasks that have ended. */
static inline both_t check_both(const sq_queue_t *queue, uint64_t count) {
    both_t both = read_both(queue);
    sq_histogram_t depths = read_depths(queue);
    check_histogram(&depths, count);
    check_histogram(&both.waiting, count);
    check_histogram(&both.running, count);
    return both;
}

static inline sq_queue_t *make_measured(void) {
    sq_queue_t *queue = make_queue_of("measured", 0);
    REQUIRE(sq_queue_histograms_start(queue) == 0);
    return queue;
}

/* Until the clock has moved on by a millisecond. */
static inline void use_time(void *context) {
    uint64_t until = sq_deadline(0) + 1000000;
    (void)context;
    while (sq_deadline(0) < until) {
    }
}

#endif
