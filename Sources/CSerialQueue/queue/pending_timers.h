/* pending_timers.h: delayed tasks and timers that end with their queue.
 *
 * DESIGN. A delayed task or timer that is not due yet is neither in the ring nor running, but a shutdown must account for it.
 * So the queue has a list of them, under its lock, in a record of its own (state/extras.c): most queues have none. Nothing joins the list
 * once the queue is closed. The thread that is about to end the queue finds the list empty, or removes the entries one by one
 * and ends them, while it holds the baton.
 *
 * A pending delayed task keeps its queue alive, but only until the queue is closed. From then on it waits for the end of the
 * queue; with a reference it could keep that end from coming, if the queue is suspended and has no other references. */
#pragma once

#include "queue/queue.h"

/* L. There is something on the list. */
bool sq__pending_timers_exists(const sq_queue_t *queue);

/* L. The queue is closed. Takes over the references that its pending timers have, and returns how many. The caller releases
 * them, without the lock. */
size_t sq__pending_timers_take_references(sq_queue_t *queue);

/* O, L. Ends all. Releases the lock for each, and takes it again. If one forks, the others are the parent's, and stay unchanged in the child. */
void sq__pending_timers_end_all(sq_queue_t *queue);
