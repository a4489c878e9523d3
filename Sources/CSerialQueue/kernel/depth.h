/* depth.h: how many tasks wait, how many have begun, and how many wait no longer. */
#pragma once

#include "state/queue.h"

/* How many tasks have begun. */
uint64_t sq__depth_ran(const sq_queue_t *queue);

/* Corrects the counts: the running task, which was counted as run, had been withdrawn. */
void sq__depth_not_run(sq_queue_t *queue);

/* How many accepted tasks wait now. */
uint64_t sq__depth(const sq_queue_t *queue);

/* O. Reads the depth, and keeps it if it is the highest so far. */
void sq__depth_sample(sq_queue_t *queue);

/* How many tasks have begun, were discarded, or were withdrawn and skipped. *waiting: how many slots are taken now, the hand-off slot and
 * those of withdrawn tasks included; but 0 if there are only withdrawn ones. */
uint64_t sq__depth_consumed(const sq_queue_t *queue, uint64_t *waiting);
