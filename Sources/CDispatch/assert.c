/* assert.c: asserting which queue the caller runs on. */
#include "alone.h"
#include "fail.h"
#include "global.h"

static bool is_on(dispatch_queue_t queue) {
    sq_queue_t *core = atomic_load_explicit(&queue->queue, memory_order_acquire);
    if (core != NULL && sq_is_current(core)) {
        return true;
    }
    if (queue->role == SQ__DISPATCH_MAIN && sq__dispatch_is_main_thread()) {
        return true;
    }
    /* A target that is a global queue is a pool for the core. */
    for (dispatch_queue_t each = sq__dispatch_current(); each != NULL; each = each->object.target) {
        if (each == queue) {
            return true;
        }
    }
    return false;
}

void dispatch_assert_queue(dispatch_queue_t queue) {
    if (!is_on(queue)) {
        sq__dispatch_fail("dispatch_assert_queue", "expected to run on queue \"%s\", but runs on \"%s\".", sq__dispatch_label(queue),
                          dispatch_queue_get_label(NULL));
    }
}

void dispatch_assert_queue_not(dispatch_queue_t queue) {
    if (is_on(queue)) {
        sq__dispatch_fail("dispatch_assert_queue_not", "expected to run elsewhere than on queue \"%s\".", sq__dispatch_label(queue));
    }
}

void dispatch_assert_queue_barrier(dispatch_queue_t queue) {
    dispatch_assert_queue(queue);
    sq_queue_t *core = atomic_load_explicit(&queue->queue, memory_order_acquire);
    if (core != NULL && sq_queue_width(core) > 1 && !sq__dispatch_is_alone(core)) {
        sq__dispatch_fail("dispatch_assert_queue_barrier", "expected to run as a barrier on queue \"%s\".", sq__dispatch_label(queue));
    }
}
