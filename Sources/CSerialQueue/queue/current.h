/* current.h: is a task of this queue on this thread's stack? */
#ifndef SQ__QUEUE_CURRENT_H
#define SQ__QUEUE_CURRENT_H

#include "include/sq_current.h"
#include "thread/self.h"

static inline bool sq__is_current(const sq_queue_t *queue) {
    for (const sq__frame_t *frame = sq__self()->frame; frame != NULL; frame = frame->parent) {
        if (frame->owner == queue) {
            return true;
        }
    }
    return false;
}

#endif
