/* suspended_list.h: the queues that are suspended, for a dump: no other list leads to one for which no thread waits. */
#ifndef SQ__OBSERVE_SUSPENDED_LIST_H
#define SQ__OBSERVE_SUSPENDED_LIST_H

#include "state/queue.h"

/* L. Without memory for its record it is not listed. */
void sq__suspended_add(sq_queue_t *queue);

/* L, or the queue is about to be freed. No effect if it is not listed. */
void sq__suspended_remove(sq_queue_t *queue);

/* Calls `visit` for each. Waits for each lock at most this long, and passes over its queues then. Returns how many locks it did not
 * get. The queue is there until `visit` returns. */
unsigned sq__suspended_visit(uint64_t nanoseconds, void (*visit)(void *context, const sq_queue_t *queue), void *context);

/* How many queues could not be listed, since the program began. */
uint64_t sq__suspended_missed(void);

#endif
