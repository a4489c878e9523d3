/* sq_histogram.h: how long a queue's tasks wait and run.
 *
 * While its histograms are off, a queue keeps no times. */
#ifndef SQ_HISTOGRAM_H
#define SQ_HISTOGRAM_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

enum {
    SQ_HISTOGRAM_BUCKETS = 976 /**< Up to 31 ns there is one for each nanosecond; above, each doubling is divided into 16. */
};

/**
 * Counts of durations. Initialise it with SQ_HISTOGRAM_INIT.
 *
 * Histograms of all queues have the same buckets and can be added up.
 */
typedef struct sq_histogram {
    size_t size;                           /**< sizeof(sq_histogram_t), so that later versions can add fields */
    uint64_t count;                        /**< how many durations there are */
    uint64_t sum;                          /**< all of them, in nanoseconds */
    uint64_t longest;                      /**< in nanoseconds */
    uint64_t counts[SQ_HISTOGRAM_BUCKETS]; /**< how many are in each bucket; see sq_histogram_bound */
} sq_histogram_t;

/** The initial value of an sq_histogram_t: empty. */
#define SQ_HISTOGRAM_INIT { sizeof(sq_histogram_t), 0, 0, 0, { 0 } }

/**
 * Begins to measure how long the queue's tasks wait and run. Any thread may call. Has no effect on a queue that is measured already.
 *
 * Tasks that are submitted from now on count; a sync that finds the queue free has waited 0 ns. The memory, 16 KiB, lasts as long as
 * the queue. An entry costs a few nanoseconds; a task has two, and reads the clock twice, an asynchronous one three times.
 *
 * @retval 0 The queue is measured.
 * @retval ENOMEM There is no memory.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_queue_histograms_start(sq_queue_t *queue);

/**
 * Ends the measuring.
 *
 * What was measured so far stays, and a later start adds to it. Any thread may call.
 */
void sq_queue_histograms_stop(sq_queue_t *queue);

/**
 * Copies what was measured since the queue was created: `*waiting`, from the submission to the start, of the tasks that have started;
 * `*running`, from the start to the end, of those that have ended. Any thread may call.
 *
 * A caller that knows that a task has ended, as it has waited for it, finds it in both. Tasks that were discarded or withdrawn are in
 * neither, nor are firings that were cancelled in the queue. A timer's firing is in both when it has ended. Without a start both are empty.
 *
 * @param waiting Begin with SQ_HISTOGRAM_INIT, also `*running`.
 * @retval 0 Both are filled.
 * @retval EINVAL A `size` is not that of any version. Nothing is written.
 */
int sq_queue_histograms(const sq_queue_t *queue, sq_histogram_t *waiting, sq_histogram_t *running);

/** Adds a duration. Not for use by several threads at a time, like all calls below. */
void sq_histogram_record(sq_histogram_t *histogram, uint64_t nanoseconds);

/** Adds all durations of `other`: then the histogram is of both together. */
void sq_histogram_add(sq_histogram_t *histogram, const sq_histogram_t *other);

/**
 * Takes away what an earlier copy of the same histogram has: then the histogram is of the time between the two. `longest` is exact if it has
 * grown meanwhile; otherwise it is the bound of the highest bucket that is not empty, or the longest so far if that is less.
 */
void sq_histogram_subtract(sq_histogram_t *histogram, const sq_histogram_t *earlier);

/**
 * Returns the duration that this part of all durations does not exceed: 0.5 is the median, 0.99 what one in a hundred exceeds, 1 the
 * longest. It is at most a sixteenth too high. 0 if the histogram is empty.
 */
uint64_t sq_histogram_quantile(const sq_histogram_t *histogram, double part);

/**
 * Returns the longest duration that the bucket counts, in nanoseconds.
 *
 * The next bucket begins one above.
 */
uint64_t sq_histogram_bound(size_t bucket);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
