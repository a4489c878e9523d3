/* fork.h: queues in the child of a fork.
 *
 * DESIGN. The child has a copy of every queue and none of the threads. A queue remembers in which process it was made, as a
 * number that the child counts up. Submissions that would need a thread of the parent's return ESTALE; a sync that finds the
 * queue free works. The library's locks are held across the fork, so that the child finds them and what they protect in
 * order; new queues work there. */
#ifndef SQ__QUEUE_FORK_H
#define SQ__QUEUE_FORK_H

#include "kernel/queue.h"
#include "thread/process.h"

/* True: the queue was made before a fork that this process is the child of. */
static inline bool sq__fork_is_stale(const sq_queue_t *queue) {
    return queue->process != sq__process();
}

/* The number of this process, for what is made in it. It is defined beside the handlers around a fork, so that a program that is
 * linked with the static library has those, too. */
uint32_t sq__fork_process_now(void);

#endif
