/* unwind_guard.c: what happens when a task is left in another way than by returning. It is in kernel/ because its messages name the queue of
 * the frame, which thread/ and platform/ do not know. */
#include "kernel/unwind_guard.h"

#include "state/state_inline.h"
#include "platform/fatal.h"
#include "platform/thread.h"
#include "platform/unwind.h"

#include <stdint.h>
#include <stdlib.h>
#include <unwind.h>

static void report_task(const char *cause, const sq__frame_t *frame) {
    const char *label = frame != NULL ? ((const sq_queue_t *)frame->owner)->label : "unknown: its stack is gone";
    sq__fatal_message("%s left a task of queue \"%s\"; a task must return, or the queue would never run another. Catch it inside the "
                      "task.",
                      cause, label);
}

void sq__unwind_left(const char *cause, const sq__frame_t *frame) {
    report_task(cause, frame);
    abort();
}

/* Writes a message: which task, or function that a call runs, the calling thread has left, and how (`cause`). Its innermost frame and duty must still
 * exist. */
static void report(const char *cause) {
    const sq__frame_t *frame = sq__self_listed()->frame;
    const sq__duty_t *duty = sq__self()->duty;
    if (duty != NULL) {
        sq__fatal_message("%s left a function that %s runs, or a task inside it; it must return, or the calls that wait for it "
                          "would never return. Catch it inside.", cause,
                          duty->pool != NULL ? "sq_apply" : duty->item != NULL ? "sq_item_perform" : "sq_once");
    } else if (frame == NULL || frame->owner == NULL) {
        sq__fatal_message("%s left a function of a watcher, a deferred task or a cancelled item; it must return, as a task must. "
                          "Catch it inside.", cause);
    } else {
        report_task(cause, frame);
    }
}

/* What a function kept on the stack is gone if it lies below the frame of this one: the thread has left that function. */
static bool is_gone(const void *variable) { return variable != NULL && (uintptr_t)variable < (uintptr_t)SQ__FRAME_TOP; }

/* The calling thread ends, though a function of the program's has not returned to the library. Ends the program with a message. */
static void thread_left(void) {
    static const char *const cause = "longjmp, pthread_exit or pthread_cancel";
    if (is_gone(sq__self()->duty)) {
        sq__fatal("%s left a function that sq_apply, sq_once or sq_item_perform runs, or a task inside it; it must return. Catch it inside.", cause);
    }
    if (is_gone(sq__self_listed()->frame)) {
        sq__unwind_left(cause, NULL);
    }
    report("pthread_exit or pthread_cancel");
    abort();
}

static __attribute__((constructor)) void report_threads_that_leave(void) { sq__thread_when_left(thread_left); }

/* Called when a function with SQ__NOBODY_UNWINDS_THROUGH is about to be unwound. Referred to by name from the unwind tables only. */
__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code sq__unwind_personality(
    int version, _Unwind_Action actions, uint64_t class, struct _Unwind_Exception *exception, struct _Unwind_Context *context);

_Unwind_Reason_Code sq__unwind_personality(int version, _Unwind_Action actions, uint64_t class,
                                           struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
    (void)version, (void)class, (void)exception, (void)context;
    if (actions & _UA_FORCE_UNWIND) {
        report("pthread_exit or pthread_cancel");
        abort();
    }
    /* The search for a handler ends here, with nothing unwound: the C++ runtime calls std::terminate, and thereby the program's terminate
     * handler, which sees the exception. */
    report("a C++ exception");
    return _URC_FATAL_PHASE1_ERROR;
}
