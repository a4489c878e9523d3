#include "queue/queue_runner.h"

#include "concurrent/concurrent.h"
#include "include/sq_private.h"
#include "kernel/kernel.h"
#include "observe/observe_inline.h"
#include "platform/container.h"
#include "queue/end.h"
#include "queue/targeted.h"
#include "state/state_inline.h"

/* O. Called by a thread of the cache: runs tasks until the baton has been passed on. False: the queue has ended, or a task has forked, and this is
 * the child. */
static bool run_on_thread(void *argument) {
    sq_queue_t *queue = argument;
    size_t ran = 0;
    sq__next_t next = sq__run_tasks(queue, SIZE_MAX, &ran);
    if (next == SQ__NEXT_END) {
        sq__queue_end(queue, true);
    }
    return next == SQ__NEXT_GONE;
}

sq__ready_end_t sq__run_queue(sq__ready_t *ready, size_t batch, size_t *ran) {
    sq_queue_t *queue = SQ__CONTAINER(ready, sq_queue_t, ready);
    sq__next_t next = sq__is_concurrent(queue) ? sq__concurrent_run(queue, batch, ran) : sq__run_tasks(queue, batch, ran);
    if (next == SQ__NEXT_END) {
        sq__queue_end(queue, true);
    }
    return next == SQ__NEXT_TASK ? SQ__READY_MORE : SQ__READY_GONE;
}

void sq__baton_pass(sq_queue_t *queue) {
    if (sq__queue_is_stale(queue)) {
        return; /* the next holder is a thread of the parent; the queue stays owned, and refuses */
    }
    if (sq__is_concurrent(queue)) {
        if (sq__admit_pass(queue)) {
            sq__queue_end(queue, false);
        }
        return;
    }
    switch (sq__baton_next(queue, false)) {
    case SQ__NEXT_TASK:
        sq__watch_gets_busy(queue);
        /* There is a runner, or it would not have been accepted; [worker] came with the task. */
        sq__runner_post(sq__load_relaxed(&queue->runner), &queue->ready);
        break;
    case SQ__NEXT_END:
        sq__queue_end(queue, false);
        break;
    default:
        break;
    }
}

void sq__queue_set_service(sq_queue_t *queue, sq_service_t service) {
    sq__lock(queue);
    sq__control(queue, 0, SQ__SERVICE * (uint32_t)service);
    sq__unlock(queue);
}

int sq__runner_start(sq_queue_t *queue) {
    int error = 0;
    sq__client_t *client;
    sq__targeted_fix(queue);
    sq__lock(queue);
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) {
        error = ESHUTDOWN; /* and it may have left the cache already */
    } else if (sq__load_relaxed(&queue->runner) == 0) {
        const sq__thread_kind_t kind = { .name = queue->label, .stack_size = sq__queue_stack_size(queue),
                                         .service = (sq_service_t)(sq__load_relaxed(&queue->control) / SQ__SERVICE) };
        error = sq__cache_join(&client, run_on_thread, queue, &kind);
        if (error == 0) {
            sq__store_release(&queue->runner, (sq__runner_t)client); /* [worker] release: the client's fields */
        }
    }
    sq__unlock(queue);
    return error;
}
