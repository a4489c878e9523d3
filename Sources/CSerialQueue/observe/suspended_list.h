/* suspended_list.h: the queues that are suspended, for a dump: no other list leads to one for which no thread waits. */
#pragma once

#include "platform/mutex.h"
#include "state/queue.h"

/* L. Without memory for its record it is not listed. */
void sq__suspended_add(sq_queue_t *queue);

/* L, or the queue is about to be freed. No effect if it is not listed. */
void sq__suspended_remove(sq_queue_t *queue);

/* Calls `visit` for each. When its patience with a lock ends, it passes over the queues behind it. Returns how many locks it did not
 * get. The queue is there until `visit` returns. */
unsigned sq__suspended_visit(sq__patience_t *patience, void (*visit)(void *context, const sq_queue_t *queue), void *context);

/* How many queues could not be listed, since the program began. */
uint64_t sq__suspended_missed(void);
