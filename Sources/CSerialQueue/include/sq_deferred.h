/* sq_deferred.h: tasks that wait for room in a full queue without a thread, and that can be cancelled before their turn. */
#ifndef SQ_DEFERRED_H
#define SQ_DEFERRED_H

#include "sq_async.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * A task that can wait for room. The caller fills in all fields except `reserved`, for each submission.
 *
 * The struct belongs to the caller. While the task waits for room, the struct must stay valid and must not move, and the caller must hold
 * a reference to the queue. The wait ends when `decided` begins, or when the task is withdrawn.
 */
typedef struct sq_deferred {
    sq_pair_function_t call;   /**< the task's function */
    void *SQ_NULLABLE first;   /**< its first argument */
    void *SQ_NULLABLE second;  /**< its second argument */
    void (*decided)(struct sq_deferred *task, int error); /**< called if the task had to wait for room; see sq_async_deferred */
    bool is_barrier;               /**< on a concurrent queue: the task runs alone, as a task of sq_async_barrier does */
    void *SQ_NULLABLE reserved[4]; /**< for the library only */
} sq_deferred_t;

/**
 * Submits a task; if the queue is full, the task waits for room. Never blocks.
 *
 * The task shares one FIFO order with the callers of sq_async_until. After EINPROGRESS `decided(task, error)` is called once, on any thread
 * and with no lock held: with 0 if the task has been submitted, with ENOMEM or ESHUTDOWN if it will not be. `decided` may run on this
 * queue's thread, between two tasks; then this queue is the current one. Any thread may call.
 *
 * @retval 0 The task has been submitted; `call` will be called once.
 * @retval EINPROGRESS The task waits for room.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. Nothing will be called.
 */
SQ_USE_RESULT int sq_async_deferred(sq_queue_t *queue, sq_deferred_t *task);

/**
 * Submits a task as sq_async_deferred does, so that sq_async_cancel can withdraw it before its turn.
 *
 * The struct must stay valid and must not move until both are true:
 * (1) `call` has begun, `decided` got an error, or the task was withdrawn or cancelled.
 * (2) If the result was EINPROGRESS and the task was not withdrawn: `decided` has begun. This may be after `call` has begun.
 * Never blocks; any thread may call.
 *
 * @retval 0 The task has been submitted; `call` will be called once, unless it is cancelled.
 * @retval EINPROGRESS The task waits for room.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. Nothing will be called.
 */
SQ_USE_RESULT int sq_async_cancellable(sq_queue_t *queue, sq_deferred_t *task);

/**
 * Withdraws a task that waits for room, in constant time. Never blocks; any thread may call.
 *
 * @param task A task that was given to sq_async_deferred or sq_async_cancellable.
 * @return true: neither `call` nor `decided` will be called. false: the task does not wait for room; if it has waited, `decided` has been
 * called, or is about to be.
 */
bool sq_async_withdraw(sq_queue_t *queue, sq_deferred_t *task);

/**
 * Cancels a submitted task before its turn, in constant time. Never blocks; any thread may call.
 *
 * Call it after sq_async_cancellable has returned. The struct must be valid, and the caller must hold a reference to the queue. The task
 * counts as withdrawn. Its room is free at once; if another task gets the room, this call may run the `decided` of that task. An empty slot
 * remains in the queue until the task's turn, as for a cancelled item (sq_item.h).
 *
 * @return true: `call` will not be called, and the struct is the caller's again. If the task had waited for room, `decided` may still be
 * about to be called: keep the struct until `decided` has begun.
 * false: the turn has come, or the task was not submitted, or the task waited for room and `decided` is still to be called. In the last case call
 * this again in `decided`.
 */
bool sq_async_cancel(sq_queue_t *queue, sq_deferred_t *task);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
