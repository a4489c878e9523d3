/* on_pool.h: queues on a pool.
 *
 * DESIGN. To a pool a queue is an entry, which is ready while the queue has something for its runner to do. It is posted where a queue's own
 * worker would be posted. A queue has a reference to its pool. */
#ifndef SQ__QUEUE_ON_POOL_H
#define SQ__QUEUE_ON_POOL_H

#include "state/queue.h"

/* Takes a lease on the set of alarms that the queue's timers use: that of its manual pool, or the process's. Returns 0 or ENOMEM. */
int sq__queue_alarms(const sq_queue_t *queue, sq__alarms_t **alarms);

#endif
