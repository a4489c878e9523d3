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

/* Counts of tasks, sync and async together, since the queue was made. While the queue is at rest, or nothing is
 * submitted and its task stands still: submitted = ran + discarded + withdrawn + depth. */
typedef struct sq_queue_stats {
    uint64_t submitted;     /* accepted: the sum of those below but the rejected, and as exact as the depth */
    uint64_t ran;           /* their function was called (one that is running now is counted) */
    uint64_t discarded;     /* accepted, but discarded instead of run; so is the firing to come of a timer that a shutdown ends */
    uint64_t withdrawn;     /* a waiting caller gave up its place, or was refused by a shutdown that discards */
    uint64_t rejected;      /* refused with an error; not among the submitted */
    uint64_t depth;         /* accepted, and still waiting for their turn */
    uint64_t highest_depth; /* the highest depth seen; under a stream of tasks it is a sample */
} sq_queue_stats_t;

/* How many accepted tasks wait for their turn now (the running one is not counted). Exact while nothing is submitted and no
 * task ends; else it may be off by what comes and goes meanwhile, and by up to 126 more. Any thread. */
size_t sq_queue_depth(const sq_queue_t *queue);

/* Fills *stats. Any thread; while tasks come and go, the counts are not all of the same instant, and the depth
 * is as approximate as that of sq_queue_depth. */
void sq_queue_stats(const sq_queue_t *queue, sq_queue_stats_t *stats);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
