/* pending_timers.h: delayed tasks and timers that end with their queue.
 *
 * DESIGN. A delayed task or timer that is not due yet is neither in the ring nor running, but a shutdown must account for it.
 * So the queue has a list of them, under its lock, in a record of its own (state/extras.h): most queues have none. Nothing joins the list
 * once the queue is closed. The thread that is about to end the queue finds the list empty, or removes the entries one by one
 * and ends them, while it holds the baton.
 *
 * A pending delayed task keeps its queue alive, but only until the queue is closed. From then on it waits for the end of the
 * queue; with a reference it could keep that end from coming, if the queue is suspended and has no other references. */
#pragma once

#include "state/queue.h"

/* A member of the delayed task or timer. L under the queue's lock. */
typedef struct sq__pending_timer {
    sq_function_t end;           /* O  called with this record, which is off the list; no lock is held, the queue is the current one */
    bool keeps_queue;            /* fixed  it has a reference to the queue, which is released when the queue is closed */
    struct sq__pending_timer *next;  /* L */
    struct sq__pending_timer **link; /* L  what points to it; NULL: it is not on the list */
} sq__pending_timer_t;

/* L. Adds it to the list. Returns 0, ESHUTDOWN or ENOMEM. */
int sq__pending_timers_add(sq_queue_t *queue, sq__pending_timer_t *pending);

/* L. Removes it from the list, which it is on: the end of the queue no longer concerns it. */
void sq__pending_timers_remove(sq_queue_t *queue, sq__pending_timer_t *pending);

/* L. False: it was removed from the list. */
static inline bool sq__pending_timers_is_listed(const sq__pending_timer_t *pending) { return pending->link != NULL; }

/* L. There is something on the list. */
bool sq__pending_timers_exists(const sq_queue_t *queue);

/* L. The queue is closed. Takes over the references that its pending timers have, and returns how many. The caller releases
 * them, without the lock. */
size_t sq__pending_timers_take_references(sq_queue_t *queue);

/* O, L. Ends all, releasing the lock for each. If one forks, the others are the parent's, and stay unchanged in the child. */
void sq__pending_timers_end_all(sq_queue_t *queue);
