/* bound.h: the limited capacity of a queue.
 *
 * DESIGN. Room is counted under a mutex of the queue's own, only in queues that have a capacity. An async task takes one room
 * before its place, and gives it back when its turn comes. Room that comes free goes to the submitter that has waited
 * longest, directly: nobody overtakes it. */
#ifndef SQ__QUEUE_BOUND_H
#define SQ__QUEUE_BOUND_H

#include "include/sq_time.h"
#include "queue/queue.h"

typedef struct sq__bound sq__bound_t;

/* NULL: no memory. */
sq__bound_t *sq__bound_create(size_t capacity);
void sq__bound_destroy(sq__bound_t *bound);

/* Takes one room, waiting until the deadline if there is none. Returns 0, EAGAIN (none, and the deadline is SQ_NOW),
 * ETIMEDOUT, EDEADLK, ESHUTDOWN or ENOMEM. */
int sq__bound_take_room(sq_queue_t *queue, sq_time_t deadline);

/* Gives one room back. */
void sq__bound_give_room(sq__bound_t *bound);

/* No more room, for anybody: who waits gets ESHUTDOWN. */
void sq__bound_close(sq__bound_t *bound);

#endif
