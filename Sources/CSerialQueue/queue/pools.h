/* pools.h: queues on a pool.
 *
 * DESIGN. What a pool calls an entry is, for it, a queue with something for the runner to do: it is posted where a worker of the queue's own
 * would be. A queue keeps a reference to its pool. */
#ifndef SQ__QUEUE_POOLS_H
#define SQ__QUEUE_POOLS_H

#include "kernel/queue.h"

/* The alarms that the queue's timers go by: those of its manual pool, or the process's. Returns 0 or ENOMEM. */
int sq__queue_alarms(const sq_queue_t *queue, sq__alarms_t **alarms);

/* Around a fork. */
void sq__pools_lock_shared(void);
void sq__pools_unlock_shared(bool in_child);

#endif
