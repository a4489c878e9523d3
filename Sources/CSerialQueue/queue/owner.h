/* owner.h: who may run the next task; the hand-off of the baton.
 *
 * DESIGN. Whoever completes a task holds the baton and decides where it goes:
 *
 *     the handed-off task, or a TASK in the ring   to the runner: it runs the task, anyone else posts it
 *     a WAITER in the ring                         to that thread, by a grant of its token
 *     a place that is reserved but not filled      into the place: its filler takes it up
 *     nothing is queued                            back to the queue: it is free
 *     nothing is queued, no reference is left      nowhere: the queue is freed */
#ifndef SQ__QUEUE_OWNER_H
#define SQ__QUEUE_OWNER_H

#include "queue/queue.h"

typedef enum sq__next {
    SQ__NEXT_TASK, /* an async task is next; the caller still holds the baton, and takes the task or posts the worker */
    SQ__NEXT_GONE, /* the baton has left the caller, who does not touch the queue again */
    SQ__NEXT_END   /* the same, and the queue is empty and has no reference: the caller disposes of it */
} sq__next_t;

/* O. Finds out what is next, and passes the baton unless it is an async task. */
sq__next_t sq__owner_next(sq_queue_t *queue, bool may_linger);

/* O. Takes the task that SQ__NEXT_TASK told of. */
sq_task_t sq__owner_take(sq_queue_t *queue);

/* O. Passes the baton on, for whoever does not run async tasks. The caller does not touch the queue again unless it has a
 * reference. */
void sq__owner_pass(sq_queue_t *queue);


#endif
