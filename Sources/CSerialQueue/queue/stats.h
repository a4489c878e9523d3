/* stats.h: the part of the statistics that the baton's holder keeps. */
#ifndef SQ__QUEUE_STATS_H
#define SQ__QUEUE_STATS_H

#include "queue/queue.h"

/* O. Takes a sample of the depth, for the highest. */
void sq__stats_sample_depth(sq_queue_t *queue);

#endif
