/* current.h: is the calling thread in a task of this queue? Only the frames of its chain count: up to the first one with `begins`
 * (sq__frame_t, thread/self.h). It is in kernel/ because run_task.h pushes them. */
#pragma once

#include "include/sq_current.h"
#include "platform/unwind.h"
#include "thread/self.h"

/* The innermost task's frame lies below the caller on the stack: a longjmp may have left that task. Ends the program with a
 * message if so. If the frame is SQ__UNLISTED, no task is there: only lists the thread. */
void sq__current_check_jump(const sq__frame_t *frame, const void *caller);

/* `caller`: an address in the frame of the public function. A deeper one could lie below what a longjmp has left. */
static inline bool sq__is_current_at(const sq_queue_t *queue, const void *caller) {
    const sq__frame_t *frame = sq__self()->frame;
    /* Stacks grow downwards: the frame of a task that still runs is above its callees. */
    if (__builtin_expect(frame != NULL && (uintptr_t)frame < (uintptr_t)caller, 0)) {
        sq__current_check_jump(frame, caller);
        frame = sq__self()->frame;
    }
    for (; frame != NULL; frame = frame->begins ? NULL : frame->parent) {
        if (frame->owner == queue) {
            return true;
        }
    }
    return false;
}

static inline bool sq__is_current(const sq_queue_t *queue) { return sq__is_current_at(queue, SQ__FRAME_TOP); }
