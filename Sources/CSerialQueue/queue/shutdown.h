/* shutdown.h: how a queue ends.
 *
 * DESIGN. CLOSED in the state word keeps submissions out. Who comes to an empty queue with the baton, and finds it CLOSED or
 * released, ends it: sets ENDED, ends the worker, and wakes those who wait for the end, or frees the queue if nobody can
 * have a reference. A closed queue is never free again, so ENDED is final. */
#ifndef SQ__QUEUE_SHUTDOWN_H
#define SQ__QUEUE_SHUTDOWN_H

#include "kernel/queue.h"

/* O. The queue is empty, and CLOSED or released. The caller does not touch it again unless it has a reference; a worker that
 * calls this ends itself afterwards. */
void sq__shutdown_end(sq_queue_t *queue, bool by_worker);

/* Around a fork. */
void sq__shutdown_lock_enders(void);
void sq__shutdown_unlock_enders(bool in_child);

#endif
