/* baton.h: who may run the next task; the hand-off of the baton.
 *
 * DESIGN. Whoever completes a task holds the baton and decides where it goes:
 *
 *     the handed-off work, or a TASK, PAIR or CALL next    to the runner: it runs them, anyone else posts it
 *     a GONE next                                          passed over, by any holder
 *     a WAITER in the ring                                 to that thread, by a grant of its token
 *     a SHARED next                                        its first thread comes next, as one of the kinds here
 *     an EITHER next                                       the runner runs its function; anyone else grants it as a WAITER
 *     a place that is reserved but not filled              into the place: its filler takes it up
 *     nothing is queued                                    back to the queue: it is free
 *     something is queued, and the queue is suspended      parked in the queue: whoever resumes takes it up
 *     nothing is queued, and the queue is shut down,       nowhere: the queue has ended
 *       or has no reference left
 *
 * What is to be discarded goes the same ways: async work to the runner, which discards them; waiters are refused. */
#ifndef SQ__KERNEL_BATON_H
#define SQ__KERNEL_BATON_H

#include "kernel/queue.h"

typedef enum sq__next {
    SQ__NEXT_TASK, /* something for the runner is next; the caller still holds the baton, and takes it or posts the worker */
    SQ__NEXT_GONE, /* the baton has left the caller, who does not touch the queue again */
    SQ__NEXT_END   /* the queue is empty and to end: the caller ends it (queue/end.h) */
} sq__next_t;

/* O. Finds out what is next, and passes the baton unless it is a task or call. */
sq__next_t sq__baton_next(sq_queue_t *queue, bool by_runner);

#endif
