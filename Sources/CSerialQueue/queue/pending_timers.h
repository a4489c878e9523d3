/* pending_timers.h: what is to end with its queue.
 *
 * DESIGN. A delayed task or a timer that is not due yet is neither in the ring nor running, but a queue that is shut down has
 * to account for it. So the queue has a list of such things, under the queue's lock. It is in the queue's cold record (cold.h):
 * most queues have neither. Nothing joins the list once the queue is closed; whoever comes to end the queue finds it empty, or takes
 * one after the other out and ends it, with the baton in its hand, before the queue itself ends.
 *
 * What keeps its queue alive until its time has come does so no longer once the queue is closed: then it waits for the end of
 * the queue, and a queue that is suspended and that nobody else has would wait for it. */
#ifndef SQ__QUEUE_PENDING_TIMERS_H
#define SQ__QUEUE_PENDING_TIMERS_H

#include "kernel/queue.h"

/* Part of the thing. L under the queue's lock. */
typedef struct sq__pending_timer {
    sq_function_t end;           /* O  called with the dependent, no lock held, the queue the current one. It is off the list */
    bool keeps_queue;            /* fixed  it has a reference to the queue that goes when the queue is closed */
    struct sq__pending_timer *next;  /* L */
    struct sq__pending_timer **link; /* L  what points to it; NULL: it is not on the list */
} sq__pending_timer_t;

/* L. Puts it on the list. Returns 0, ESHUTDOWN or ENOMEM. */
int sq__pending_timers_add(sq_queue_t *queue, sq__pending_timer_t *pending);

/* L. Takes it off the list, which it is on: the end of the queue does not concern it any more. */
void sq__pending_timers_remove(sq_queue_t *queue, sq__pending_timer_t *pending);

/* L. False: it was taken off the list. */
static inline bool sq__pending_timers_is_listed(const sq__pending_timer_t *pending) { return pending->link != NULL; }

/* L. There is something on the list. */
bool sq__pending_timers_exists(const sq_queue_t *queue);

/* L. The queue is closed. Takes over the references that its pending timers have, and returns how many. The caller releases
 * them, without the lock. */
size_t sq__pending_timers_take_references(sq_queue_t *queue);

/* O, L. Ends all, and gives up the lock for each. In the child of one that forks the others are the parent's, and left alone. */
void sq__pending_timers_end_all(sq_queue_t *queue);

#endif
