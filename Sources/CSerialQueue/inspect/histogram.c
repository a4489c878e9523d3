/* histogram.c: switching a queue's histograms on and off, reading them, and quantiles. observe/timings.h fills them. */
#include "include/sq_histogram.h"

#include "observe/observe_inline.h"
#include "state/state_inline.h"

#include <errno.h>

/* On and off */

int sq_queue_histograms_start(sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    sq__timings_t *measured = sq__extra_make(queue, SQ__EXTRA_TIMINGS, sizeof *measured);
    int error = measured != NULL ? sq__measured_add(queue, measured) : ENOMEM;
    if (error != 0) {
        return error;
    }
    sq__lock(queue);
    if (!(sq__load_relaxed(&queue->control) & SQ__MEASURED)) {
        sq__store_relaxed(&measured->since, sq__clock_now());
        sq__control(queue, 0, SQ__MEASURED);
    }
    sq__unlock(queue);
    return 0;
}

void sq_queue_histograms_stop(sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    if (!sq__queue_is_stale(queue)) {
        sq__lock(queue);
        sq__control(queue, SQ__MEASURED, 0);
        sq__unlock(queue);
    }
}

/* Returns 0 or EINVAL. */
static int fill_durations(sq_histogram_t *waiting, sq_histogram_t *running, const sq__totals_t *totals) {
    if (waiting->size != sizeof *waiting || running->size != sizeof *running) {
        return EINVAL;
    }
    sq__timings_fill(waiting, totals, SQ__WAITING);
    sq__timings_fill(running, totals, SQ__RUNNING);
    return 0;
}

static int fill_depths(sq_histogram_t *depths, const sq__totals_t *totals) {
    if (depths->size != sizeof *depths) {
        return EINVAL;
    }
    sq__timings_fill(depths, totals, SQ__DEPTH);
    return 0;
}

/* Nothing was ever measured: all 0. */
static sq__totals_t totals_of(const sq_queue_t *queue) {
    sq__totals_t totals = { .sums = { 0 } };
    if (sq__extra(queue, SQ__EXTRA_TIMINGS) != NULL) {
        sq__timings_add(queue, &totals);
    }
    return totals;
}

int sq_queue_histograms(const sq_queue_t *queue, sq_histogram_t *waiting, sq_histogram_t *running) {
    SQ__CHECK_HANDLE(queue);
    const sq__totals_t totals = totals_of(queue);
    return fill_durations(waiting, running, &totals);
}

int sq_label_histograms(const char *label, sq_histogram_t *waiting, sq_histogram_t *running) {
    sq__totals_t totals = { .sums = { 0 } };
    size_t count = sq__measured_sum(label, &totals);
    int error = fill_durations(waiting, running, &totals);
    return error == 0 && count == 0 ? ENOENT : error;
}

int sq_queue_depth_histogram(const sq_queue_t *queue, sq_histogram_t *depths) {
    SQ__CHECK_HANDLE(queue);
    const sq__totals_t totals = totals_of(queue);
    return fill_depths(depths, &totals);
}

int sq_label_depth_histogram(const char *label, sq_histogram_t *depths) {
    sq__totals_t totals = { .sums = { 0 } };
    size_t count = sq__measured_sum(label, &totals);
    int error = fill_depths(depths, &totals);
    return error == 0 && count == 0 ? ENOENT : error;
}

/* Without a queue */

void sq_histogram_record(sq_histogram_t *histogram, uint64_t nanoseconds) {
    histogram->counts[sq__timings_bucket(nanoseconds)] += 1;
    histogram->count += 1;
    histogram->sum += nanoseconds;
    histogram->longest = nanoseconds > histogram->longest ? nanoseconds : histogram->longest;
}

void sq_histogram_add(sq_histogram_t *histogram, const sq_histogram_t *other) {
    for (size_t i = 0; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        histogram->counts[i] += other->counts[i];
    }
    histogram->count += other->count;
    histogram->sum += other->sum;
    histogram->longest = other->longest > histogram->longest ? other->longest : histogram->longest;
}

void sq_histogram_subtract(sq_histogram_t *histogram, const sq_histogram_t *earlier) {
    uint64_t bound = 0;
    for (size_t i = 0; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        histogram->counts[i] -= earlier->counts[i];
        bound = histogram->counts[i] > 0 ? sq_histogram_bound(i) : bound;
    }
    histogram->count -= earlier->count;
    histogram->sum -= earlier->sum;
    if (histogram->longest == earlier->longest && bound < histogram->longest) {
        histogram->longest = bound;
    }
}

uint64_t sq_histogram_quantile(const sq_histogram_t *histogram, double part) {
    double rank = part * (double)histogram->count;
    uint64_t so_far = 0;
    for (size_t i = 0; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        so_far += histogram->counts[i];
        if (so_far > 0 && (double)so_far >= rank) {
            uint64_t bound = sq_histogram_bound(i);
            return bound < histogram->longest ? bound : histogram->longest;
        }
    }
    return histogram->longest;
}

uint64_t sq_histogram_bound(size_t bucket) {
    if (bucket < 16) {
        return bucket;
    }
    unsigned shift = (unsigned)(bucket / 16) - 1;
    return ((UINT64_C(17) + bucket % 16) << shift) - 1; /* for the last one all bits are set */
}
