/* current.c: is the calling thread in a task of this queue? */
#include "kernel/kernel_inline.h"

#include "state/state_inline.h"
#include "kernel/unwind_guard.h"

sq_queue_t *sq_current_queue(void) {
    const sq__frame_t *frame = sq__self_listed()->frame;
    return frame != NULL ? (sq_queue_t *)frame->owner : NULL;
}

bool sq_is_current(const sq_queue_t *queue) { return sq__is_current(queue); }

/* On another stack than the thread's own, a coroutine's, addresses say nothing. Nor does the outermost frame of an explored test,
 * which is on no stack. */
void sq__current_check_jump(const sq__frame_t *frame, const void *caller) {
    if (frame == SQ__UNLISTED) {
        sq__self_enlist();
        return;
    }
    if (sq__self()->explored == NULL && sq__thread_owns_stack(frame) && sq__thread_owns_stack(caller)) {
        sq__unwind_left("longjmp", NULL); /* what the frame says may be overwritten already */
    }
}
