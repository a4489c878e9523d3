/* depth.h: how many tasks wait. */
#ifndef SQ__KERNEL_DEPTH_H
#define SQ__KERNEL_DEPTH_H

#include "state/queue.h"

/* How many tasks have begun. */
uint64_t sq__depth_ran(const sq_queue_t *queue);

/* Corrects the counts: the running task, which was counted as run, had been withdrawn. */
void sq__depth_not_run(sq_queue_t *queue);

/* How many accepted tasks wait now. */
uint64_t sq__depth(const sq_queue_t *queue);

/* O. Reads the depth, and keeps it if it is the highest so far. */
void sq__depth_sample(sq_queue_t *queue);

/* How many slots have been consumed in all, and how many wait now; withdrawn ones count as long as others wait. */
uint64_t sq__depth_consumed(const sq_queue_t *queue, uint64_t *waiting);

#endif
