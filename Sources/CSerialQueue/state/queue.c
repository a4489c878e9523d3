#include "state/state_inline.h"

int sq__queue_reject(sq_queue_t *queue, int error) {
    sq__add_relaxed(&queue->rejected, 1);
    return error;
}
