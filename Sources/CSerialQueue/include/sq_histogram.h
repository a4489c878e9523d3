/* sq_histogram.h: how long a queue's tasks wait and run, and how many wait.
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
    SQ_HISTOGRAM_BUCKETS = 976 /**< How many buckets there are: up to 31 ns one for each nanosecond; above, 16 for each doubling. */
};

/**
 * Counts of durations, or of depths (sq_queue_depth_histogram). Initialise it with SQ_HISTOGRAM_INIT.
 *
 * Histograms of all queues have the same buckets and can be added up. A queue's own record is smaller: see sq_queue_histograms.
 */
typedef struct sq_histogram {
    size_t size;                           /**< sizeof(sq_histogram_t), so that later versions can add fields */
    uint64_t count;                        /**< how many durations or depths there are */
    uint64_t sum;                          /**< their sum: in nanoseconds, or in tasks */
    uint64_t longest;                      /**< the longest duration, or the greatest depth */
    uint64_t counts[SQ_HISTOGRAM_BUCKETS]; /**< how many are in each bucket; see sq_histogram_bound */
} sq_histogram_t;

/** The initial value of an sq_histogram_t: empty. */
#define SQ_HISTOGRAM_INIT { sizeof(sq_histogram_t), 0, 0, 0, { 0 } }

/**
 * Begins to measure how long the queue's tasks wait and run, and how many wait. Any thread may call. Has no effect if the queue is measured already.
 *
 * Tasks that are submitted from now on count. If a sync finds the queue free, its wait counts as 0 ns. The memory is freed with the queue: 1 KiB,
 * and another one once 2^31 durations were in one bucket. The histograms of a label take up to 16 bytes for each measured queue, and 2 KiB
 * once a second one is measured; they are freed with the last one. A task makes three entries of a few nanoseconds each, and reads the clock twice; an
 * asynchronous task reads it three times.
 *
 * @retval 0 The queue is measured.
 * @retval ENOMEM There is no memory.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_queue_histograms_start(sq_queue_t *queue);

/**
 * Ends the measuring.
 *
 * The histograms keep their counts, and a later start adds to them. Any thread may call.
 */
void sq_queue_histograms_stop(sq_queue_t *queue);

/**
 * Copies what was measured since the queue was created. Any thread may call.
 *
 * `*waiting` has the time from submission to start of each task that has started; `*running` has the time from start to end of each task that has
 * ended. If the caller has waited for the end of a task, the task is in both. A timer's firing is in both when it has ended. Discarded and
 * withdrawn tasks, and cancelled firings, are in neither. If measuring was never started, both are empty.
 *
 * `count`, `sum` and `longest` are exact. A queue counts in coarser buckets, four for each doubling, and each count is in the last of the buckets of
 * sq_histogram_t that this one covers: so a quantile is at most a quarter too high. Except: below 1024 ns it may be a half too high; 1 to 31 ns
 * count as 31 ns, 32 to 63 ns as 63 ns, and 2^34 ns (17 s) or more in the last bucket, whose quantile is the longest duration.
 *
 * @param waiting Begin with SQ_HISTOGRAM_INIT.
 * @param running Begin with SQ_HISTOGRAM_INIT.
 * @retval 0 Both are filled.
 * @retval EINVAL A `size` is not that of any version. Nothing is written.
 */
int sq_queue_histograms(const sq_queue_t *queue, sq_histogram_t *waiting, sq_histogram_t *running);

/**
 * The sum of sq_queue_histograms over all queues with this label whose measuring was ever started. Any thread may call.
 *
 * Queues that were freed count, too, as long as one of the label exists: the sum falls only when the last one is freed. In the child of a fork, the
 * parent's queues are not in it. The call takes 4 µs for 10 queues, 7 ms for 20,000. Meanwhile, sq_queue_histograms_start, the end of a measured
 * queue, whatever its label, and a fork wait until the next 32 queues are added, 11 µs.
 *
 * @param waiting Begin with SQ_HISTOGRAM_INIT.
 * @param running Begin with SQ_HISTOGRAM_INIT.
 * @retval 0 Both are filled.
 * @retval ENOENT There is no such queue. Both are empty.
 * @retval EINVAL A `size` is not that of any version. Nothing is written.
 */
int sq_label_histograms(const char *label, sq_histogram_t *waiting, sq_histogram_t *running);

/**
 * Copies how many tasks were waiting when one began, that one not counted, for each task that sq_queue_histograms has in `*waiting`. Any thread may call.
 *
 * All of the histogram is in tasks instead of nanoseconds. `count`, `sum` and `longest`, here the deepest, are exact. There is a bucket for 0, and one for each
 * doubling, so a quantile is less than twice too high; 2^19 or more are in the last bucket, whose quantile is the deepest.
 *
 * @param depths Begin with SQ_HISTOGRAM_INIT.
 * @retval 0 It is filled.
 * @retval EINVAL `size` is not that of any version. Nothing is written.
 */
int sq_queue_depth_histogram(const sq_queue_t *queue, sq_histogram_t *depths);

/**
 * The sum of sq_queue_depth_histogram over the queues that sq_label_histograms adds up. Any thread may call.
 *
 * @param depths Begin with SQ_HISTOGRAM_INIT.
 * @retval 0 It is filled.
 * @retval ENOENT There is no such queue. It is empty.
 * @retval EINVAL `size` is not that of any version. Nothing is written.
 */
int sq_label_depth_histogram(const char *label, sq_histogram_t *depths);

/** Adds a duration. Don't use one histogram on several threads at a time; the same holds for all calls below. */
void sq_histogram_record(sq_histogram_t *histogram, uint64_t nanoseconds);

/** Adds all durations of `other` to the histogram. */
void sq_histogram_add(sq_histogram_t *histogram, const sq_histogram_t *other);

/**
 * Subtracts an earlier copy of the same histogram. The result has the durations of the time between the two.
 *
 * If `longest` has grown since the copy, it is exact. Otherwise it is the bound of the highest bucket that is not empty, but at most the longest
 * duration so far.
 */
void sq_histogram_subtract(sq_histogram_t *histogram, const sq_histogram_t *earlier);

/**
 * Returns a quantile: 0.5 is the median, 0.99 the duration that one in a hundred exceeds, 1 the longest duration.
 *
 * The result is at most a sixteenth too high. For a queue's durations it is a quarter, below 1024 ns a half (see sq_queue_histograms), and its depths may be
 * almost doubled (see sq_queue_depth_histogram). It is 0 if the histogram is empty.
 */
uint64_t sq_histogram_quantile(const sq_histogram_t *histogram, double part);

/**
 * Returns the longest duration that the bucket counts, in nanoseconds, or the greatest depth.
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
