/* sq_stats.h: what a queue has done and what still waits. */
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
 * While the queue is idle, or nothing is submitted and its running task makes no call on it:
 * submitted = ran + discarded + withdrawn + depth.
 */
typedef struct sq_queue_stats {
    size_t size;            /**< sizeof(sq_queue_stats_t), so that later versions can add fields */
    uint64_t submitted;     /**< accepted: the sum of ran, discarded, withdrawn and depth, and as exact as the depth */
    uint64_t ran;           /**< their function was called (a running one is counted) */
    uint64_t discarded;     /**< accepted, then discarded instead of run; so is the next firing of a timer that a shutdown ends */
    uint64_t withdrawn;     /**< taken back before their turn: at a deadline, by a cancellation or a refusal */
    uint64_t rejected;      /**< refused with an error; not part of submitted */
    uint64_t depth;         /**< accepted, and still waiting */
    uint64_t highest_depth; /**< the highest depth seen; under a stream of tasks it is a sample */
} sq_queue_stats_t;

/** The initial value of an sq_queue_stats_t. */
#define SQ_QUEUE_STATS_INIT { sizeof(sq_queue_stats_t), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Returns how many accepted tasks wait to run now. The running task is not counted. Any thread may call.
 *
 * @return The number of waiting tasks. It is exact while nothing is submitted and no task ends. Otherwise it may be off by
 * the number of tasks that are being submitted or that end, and by up to 126 more. After the end of the queue it is 0.
 */
size_t sq_queue_depth(const sq_queue_t *queue);

/**
 * Fills `*stats`. Any thread may call.
 *
 * While tasks are submitted and run, the counts are not all of the same instant, and the depth is as approximate as that of
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
