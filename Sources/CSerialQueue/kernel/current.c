#include "kernel/current.h"

#include "platform/fatal.h"
#include "platform/unwind.h"
#include "kernel/queue.h"

sq_queue_t *sq_current_queue(void) {
    const sq__frame_t *frame = sq__self()->frame;
    return frame != NULL ? (sq_queue_t *)frame->owner : NULL;
}

bool sq_is_current(const sq_queue_t *queue) { return sq__is_current(queue); }

_Noreturn static void left(const char *cause, const sq__frame_t *frame) {
    const char *label = frame != NULL ? ((const sq_queue_t *)frame->owner)->label : "unknown: its stack is gone";
    sq__fatal("%s left a task of queue \"%s\"; a task must return, or the queue would never run another. Catch it inside the "
              "task.",
              cause, label);
}

void sq__unwind_stop(const char *cause) {
    const sq__frame_t *frame = sq__self()->frame;
    if (sq__self()->hold != NULL) {
        sq__fatal("%s left a function that sq_once runs, or a task inside it; it must return, or the calls that wait for it "
                  "would never return. Catch it inside.", cause);
    }
    if (frame == NULL) {
        sq__fatal("%s left a function of a watcher or of a deferred task; it must return, as a task must. Catch it inside.", cause);
    }
    left(cause, frame);
}

/* On another stack than the thread's own, a coroutine's, addresses tell nothing. */
void sq__current_check_jump(const sq__frame_t *frame, const void *caller) {
    if (sq__thread_owns_stack(frame) && sq__thread_owns_stack(caller)) {
        left("longjmp", NULL); /* what the frame says may be overwritten already */
    }
}
