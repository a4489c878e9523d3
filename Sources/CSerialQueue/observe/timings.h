/* timings.h: how long tasks wait and run, and how many wait, in a queue whose histograms are on.
 *
 * DESIGN. While SQ__MEASURED is set in the queue's control, each submission keeps its time until the task starts. Otherwise no time
 * of submission is stored. It is stored where it needs no extra memory:
 *
 *     a task in a slot          in the slot's word, above the kind (ring.h): 56 bits of nanoseconds, which wrap after two years
 *     in the hand-off slot      in the record below; only the baton's holder uses that slot
 *     a thread that waits       on its stack (sq__call_t), for the runner that does its call
 *
 * A queue's own buckets are coarser than those of sq_histogram_t, so that a record has less than 1 KiB: one for 0, two below 64 ns, then two for
 * each doubling below 2^10 ns, where reading the clock is a good part of a duration, and four up to 2^34 ns, and one for all above; of depths one for 0, one
 * for each doubling below 2^19, and one for all above. Each ends where a public bucket ends. A count has 32 bits. Each 2^31 entries it is carried into
 * a second record, made at the first carry, which few queues need. That record has how often bit 31 of the count has changed. If it is one behind,
 * its lowest bit differs from bit 31: so a reader needs no lock. For the same reason nothing is lost if there is no memory at the first carry.
 *
 * The baton's holder counts the task's times. Tasks of a concurrent queue run at the same time, so these count with locked
 * instructions. A task that was submitted before the measuring began has no time, or an older one, and is not counted. */
#pragma once

#include "observe/observe_inline.h"

/* In which bucket of a queue's record a duration is counted. */
static inline unsigned sq__timings_own_bucket(uint64_t nanoseconds) {
    if (nanoseconds < 64) {
        return (nanoseconds > 0) + (nanoseconds >= 32);
    }
    unsigned highest = 63 - (unsigned)__builtin_clzll(nanoseconds);
    if (nanoseconds < 1024) {
        return (highest - 6) * 2 + ((unsigned)(nanoseconds >> (highest - 1)) & 1) + 3;
    }
    unsigned bucket = (highest - 10) * 4 + ((unsigned)(nanoseconds >> (highest - 2)) & 3) + 11;
    return bucket < SQ__DURATION_BUCKETS ? bucket : SQ__DURATION_BUCKETS - 1;
}

/* The same for a depth. */
static inline unsigned sq__timings_depth_bucket(uint64_t depth) {
    unsigned bucket = depth > 0 ? 64 - (unsigned)__builtin_clzll(depth) : 0;
    return bucket < SQ__DEPTH_BUCKETS ? bucket : SQ__DEPTH_BUCKETS - 1;
}

/* The longest duration, or greatest depth, that the bucket of a queue's record counts. It is also the bound of a bucket of sq_histogram_t. */
uint64_t sq__timings_bound(sq__measure_t which, unsigned bucket);

/* O. Called when a task of a measured queue begins, with the time of its submission. Returns the current time, and how long it has waited; 0: it is
 * not counted, and *waited is not valid. */
uint64_t sq__timings_begin(const sq_queue_t *queue, uint64_t submitted, uint64_t *waited);

/* O. Counts that wait, and how many tasks waited when the task began, if sq__timings_begin has not returned 0. */
void sq__timings_waited(sq_queue_t *queue, uint64_t waited, uint64_t depth);

/* O. Called when a task ends, with what sq__timings_begin returned; no effect if that was 0. */
void sq__timings_end(sq_queue_t *queue, uint64_t began);
