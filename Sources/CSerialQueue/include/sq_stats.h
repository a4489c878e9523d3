/* sq_stats.h: counts of a queue's tasks. */
#ifndef SQ_STATS_H
#define SQ_STATS_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Counts of tasks, sync and async together, since the queue was created. Initialise it with SQ_QUEUE_STATS_INIT.
 *
 * submitted = ran + discarded + withdrawn + depth. This holds while the queue is idle. It also holds while a task runs, if nothing is submitted and
 * the task makes no call on the queue.
 */
typedef struct sq_queue_stats {
    size_t size;            /**< sizeof(sq_queue_stats_t), so that later versions can add fields */
    uint64_t submitted;     /**< accepted: the sum of ran, discarded, withdrawn and depth, and as exact as the depth */
    uint64_t ran;           /**< the function was called; a running task is counted */
    uint64_t discarded;     /**< accepted, then discarded instead of run; also the next firing of a timer that a shutdown ends */
    uint64_t withdrawn;     /**< accepted, then withdrawn before the turn: by a deadline, a cancellation or a deadlock */
    uint64_t rejected;      /**< refused with an error; not part of submitted */
    uint64_t depth;         /**< accepted, and still waiting */
    uint64_t highest_depth; /**< the highest depth seen; under a stream of tasks a sample */
} sq_queue_stats_t;

/** The initial value of an sq_queue_stats_t. */
#define SQ_QUEUE_STATS_INIT { sizeof(sq_queue_stats_t), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Returns how many accepted tasks wait to run now. The running task is not counted. Any thread may call.
 *
 * @return The number of waiting tasks; 0 after the end of the queue. The number is exact while nothing is submitted and no task ends. Otherwise
 * it may be off by the number of tasks that are being submitted or that end, and by up to 126 more.
 */
size_t sq_queue_depth(const sq_queue_t *queue);

/**
 * Fills `*stats`. Any thread may call.
 *
 * While tasks are submitted and run, the counts are not all of the same instant, and the depth is as approximate as the result of
 * sq_queue_depth.
 *
 * @param stats Begin with SQ_QUEUE_STATS_INIT. If `size` is that of an older version, only the fields of that version are filled.
 * @retval 0 `*stats` is filled.
 * @retval EINVAL `stats->size` is not the size of any version. Nothing is written.
 */
int sq_queue_stats(const sq_queue_t *queue, sq_queue_stats_t *stats);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
