/* barrier.c: the calls that submit a barrier, and sync as one. */
#include "gate/gate_inline.h"
#include "include/sq_barrier.h"
#include "include/sq_private.h"

#include "kernel/kernel_inline.h"
#include "queue/queue.h"
#include "queue/async.h"
#include "queue/concurrent_sync.h"
#include "state/state.h"
#include "thread/explored.h"
#include "wait/wait.h"

#include <errno.h>

int sq_async_barrier_task(sq_queue_t *queue, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    return sq__async_submit(queue, &(sq__submission_t){
        .work.task = *task, .kind = SQ__TASK | sq__barrier_on(queue), .site = __builtin_return_address(0)
    });
}

int sq_async_barrier(sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    return sq__async_submit(queue, &(sq__submission_t){
        .work.task = { .run = function, .context = context }, .kind = SQ__TASK | sq__barrier_on(queue), .site = __builtin_return_address(0)
    });
}

int sq_async_barrier_pair(sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    return sq__async_submit(queue, &(sq__submission_t){
        .work.pair = { call, first, second }, .kind = SQ__PAIR | sq__barrier_on(queue), .site = __builtin_return_address(0)
    });
}

int sq_async_barrier_job(sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    int error = sq__async_due(queue, &(sq__submission_t){
        .work.pair = { call, first, second }, .kind = SQ__JOB | sq__barrier_on(queue), .site = __builtin_return_address(0)
    });
    return error ? sq__queue_reject(queue, error) : 0;
}

size_t sq_queue_width(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    if (!sq__is_concurrent(queue)) {
        return 1;
    }
    uint32_t width = sq__concurrent_of(queue)->width;
    return width < UINT32_MAX ? width : SQ_WIDTH_POOL;
}

/* sq__sync_barrier on a concurrent queue, by a thread that is in a task. `frame`: an address in the frame of the public function. A function of its
 * own, as in sync.c. */
static __attribute__((noinline)) int barrier_in_task(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                     const void *caller, const void *frame) {
    const bool is_explored = sq__self()->explored != NULL;
    int error;
    if (is_explored) {
        sq__explored_pause("sync_barrier onto", queue->label, function);
    }
    if (sq__is_current_at(queue, frame)) {
        sq__deadlock_onto_itself(queue, SQ__AIM_TURN, "sync_barrier onto", caller);
        error = sq__queue_reject(queue, EDEADLK);
    } else {
        error = sq__concurrent_sync_barrier(queue, deadline, function, context, caller);
    }
    if (is_explored) {
        sq__explored_pause_after();
    }
    return error;
}

int sq__sync_barrier(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    if (!sq__is_concurrent(queue)) {
        return sq__sync(queue, deadline, function, context, caller);
    }
    if (__builtin_expect(sq__self()->frame != NULL, 0)) {
        return barrier_in_task(queue, deadline, function, context, caller, SQ__FRAME_TOP);
    }
    return sq__concurrent_sync_barrier(queue, deadline, function, context, caller);
}

int sq_sync_barrier_until(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    return sq__sync_barrier(queue, deadline, function, context, __builtin_return_address(0));
}

int sq_sync_barrier(sq_queue_t *queue, sq_function_t function, void *context) {
    return sq__sync_barrier(queue, SQ_FOREVER, function, context, __builtin_return_address(0));
}
