/* timings.h: how long tasks wait and run, in a queue whose histograms are on.
 *
 * DESIGN. While SQ__MEASURED is set in the queue's control, each submission keeps its time until the task starts. Otherwise no time
 * of submission is stored. It is stored where it needs no extra memory:
 *
 *     a task in a slot          in the slot's word, above the kind (ring.h): 56 bits of nanoseconds, which wrap after two years
 *     in the hand-off slot      in the record below; only the baton's holder uses that slot
 *     a thread that waits       on its stack (sq__call_t), for the runner that does its call
 *
 * The baton's holder counts the task's times. Tasks of a concurrent queue run at the same time, so these count with locked
 * instructions. A task that was submitted before the measuring began has no time, or an older one, and is not counted. */
#pragma once

#include "include/sq_histogram.h"
#include "state/queue.h"
#include "platform/clock.h"

/* In place of a time of submission: the task did not wait. 0: not known. */
#define SQ__DID_NOT_WAIT UINT64_MAX

/* C, in a concurrent queue A. */
typedef struct sq__durations {
    SQ__ATOMIC(uint64_t) sum, longest;
    SQ__ATOMIC(uint64_t) counts[SQ_HISTOGRAM_BUCKETS];
} sq__durations_t;

typedef struct sq__timings {
    SQ__ATOMIC(uint64_t) since;   /* A  when the measuring began last */
    SQ__ATOMIC(uint64_t) handoff; /* O  when the task in the hand-off slot was submitted */
    sq__durations_t waiting, running;
} sq__timings_t;

/* In which bucket a duration is counted: below 16 its own value; above, by its highest bit and the four bits after it. */
static inline unsigned sq__timings_bucket(uint64_t nanoseconds) {
    if (nanoseconds < 16) {
        return (unsigned)nanoseconds;
    }
    unsigned highest = 63 - (unsigned)__builtin_clzll(nanoseconds);
    return (highest - 3) * 16 + ((unsigned)(nanoseconds >> (highest - 4)) & 15);
}

/* Now, if the queue is measured; else 0. */
static inline uint64_t sq__timings_now(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__MEASURED, 0) ? sq__clock_now() : 0;
}

/* O. Notes that the task in the hand-off slot is submitted now, if the queue is measured. */
void sq__timings_handoff(const sq_queue_t *queue);

/* O. When the task in the hand-off slot was submitted. */
uint64_t sq__timings_submitted_handoff(const sq_queue_t *queue);

/* Called when a task begins, with the time of its submission. Returns the current time, and how long it has waited; 0: it is not counted. */
uint64_t sq__timings_begin(const sq_queue_t *queue, uint64_t submitted, uint64_t *waited);

/* Counts that wait. */
void sq__timings_waited(const sq_queue_t *queue, uint64_t waited);

/* Called when a task ends, with what sq__timings_begin returned; no effect if that was 0. */
void sq__timings_end(const sq_queue_t *queue, uint64_t began);
