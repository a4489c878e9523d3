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

#include "observe/observe_inline.h"

/* O. Called when a task of a measured queue begins, with the time of its submission. Returns the current time, and how long it has waited; 0: it is
 * not counted, and *waited is not valid. */
uint64_t sq__timings_begin(const sq_queue_t *queue, uint64_t submitted, uint64_t *waited);

/* O. Counts that wait, if sq__timings_begin has not returned 0. */
void sq__timings_waited(const sq_queue_t *queue, uint64_t waited);

/* O. Called when a task ends, with what sq__timings_begin returned; no effect if that was 0. */
void sq__timings_end(const sq_queue_t *queue, uint64_t began);
