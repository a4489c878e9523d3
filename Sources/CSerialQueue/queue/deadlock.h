/* deadlock.h: finding out that a wait would never end, and telling why. */
#ifndef SQ__QUEUE_DEADLOCK_H
#define SQ__QUEUE_DEADLOCK_H

#include "queue/queue.h"

/* Writes the report of a sync onto a queue whose task is on this thread's stack. */
void sq__deadlock_onto_itself(const sq_queue_t *queue);

#endif
