#include "queue/after_end.h"

#include "include/sq_shutdown.h"
#include "include/sq_sync.h"
#include "state/lock.h"
#include "kernel/run.h"

#include <errno.h>

typedef struct late_call {
    sq_queue_t *queue;
    sq_function_t function;
    void *context;
} late_call_t;

/* Runs in a task of the successor. */
static void run_late(void *context) {
    const late_call_t *call = context;
    sq__run(call->queue, call->function, call->context);
}

/* NULL: no memory. */
static sq_queue_t *successor_of(sq_queue_t *queue) {
    sq__lock(queue);
    sq__after_end_t *after = sq__extra_make(queue, SQ__EXTRA_AFTER_END, sizeof *after);
    if (after != NULL && after->successor == NULL) {
        after->successor = sq_queue_create(queue->label, NULL);
    }
    sq_queue_t *successor = after != NULL ? after->successor : NULL;
    sq__unlock(queue);
    return successor;
}

static int run_after_end(sq_queue_t *queue, sq_function_t function, void *context) {
    int error = sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
    if (error) {
        return error;
    }
    sq_queue_t *successor = successor_of(queue);
    if (successor == NULL) {
        return ENOMEM;
    }
    sq_queue_retain(queue); /* a running task keeps its queue alive, but this one is a task of the successor */
    error = sq_sync(successor, run_late, &(late_call_t){ queue, function, context });
    sq_queue_release(queue);
    return error;
}

int sq_sync_or_run(sq_queue_t *queue, sq_function_t function, void *context) {
    int error = sq__sync_or_run_before_end(queue, function, context, __builtin_return_address(0));
    return error == ESHUTDOWN ? run_after_end(queue, function, context) : error;
}
