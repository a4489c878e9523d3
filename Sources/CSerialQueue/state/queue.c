#include "state/queue.h"

#include "thread/self.h"

int sq__queue_reject(sq_queue_t *queue, int error) {
    sq__self()->noted_queue = NULL; /* what was noted belongs to this submission */
    sq__add_relaxed(&queue->rejected, 1);
    return error;
}
