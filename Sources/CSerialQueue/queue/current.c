#include "queue/current.h"

sq_queue_t *sq_current_queue(void) {
    const sq__frame_t *frame = sq__self()->frame;
    return frame != NULL ? (sq_queue_t *)frame->owner : NULL;
}

bool sq_is_current(const sq_queue_t *queue) { return sq__is_current(queue); }
