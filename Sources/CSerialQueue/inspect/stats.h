/* stats.h: the part of the statistics that the baton's holder keeps. */
#ifndef SQ__INSPECT_STATS_H
#define SQ__INSPECT_STATS_H

#include "kernel/queue.h"

/* O. Takes a sample of the depth, for the highest. */
void sq__stats_sample_depth(sq_queue_t *queue);

/* How many accepted tasks wait now. */
uint64_t sq__stats_depth(const sq_queue_t *queue);

/* How many places have been passed in all, and how many wait now, withdrawn ones included. */
uint64_t sq__stats_passed(const sq_queue_t *queue, uint64_t *waiting);

#endif
