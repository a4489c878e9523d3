/* sq_deferred.h: a task that waits for room in a full queue without a thread, and that can be cancelled before its turn. */
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
 * The struct belongs to the caller. While the task waits for room, it must stay valid and must not move, until `decided` begins or
 * the task is withdrawn; and the caller keeps a reference to the queue.
 */
typedef struct sq_deferred {
    sq_pair_function_t call;   /**< the task's function */
    void *SQ_NULLABLE first;   /**< its first argument */
    void *SQ_NULLABLE second;  /**< its second argument */
    void (*decided)(struct sq_deferred *task, int error); /**< called if the task had to wait for room; see sq_async_deferred */
    bool is_barrier;               /**< on a concurrent queue: the task runs alone, as one of sq_async_barrier */
    void *SQ_NULLABLE reserved[4]; /**< for the library only */
} sq_deferred_t;

/**
 * Submits a task, or lets it wait for room. Never blocks.
 *
 * It waits in line with the callers of sq_async_until.
 * After EINPROGRESS `decided(task, error)` is called once, on any thread and outside every lock: with 0 (it has been submitted),
 * or ENOMEM or ESHUTDOWN (it will not be). It may run on this queue's thread, between two tasks; then this queue is the current
 * one. Any thread may call.
 *
 * @retval 0 The task has been submitted; `call` will be called once.
 * @retval EINPROGRESS The task waits for room.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. Nothing will be called.
 */
SQ_USE_RESULT int sq_async_deferred(sq_queue_t *queue, sq_deferred_t *task);

/**
 * Submits a task as sq_async_deferred does, so that sq_async_cancel can withdraw it before its turn.
 *
 * The struct must stay valid and must not move until `call` begins, `decided` reports an error, or the task is withdrawn or
 * cancelled; after EINPROGRESS, and if it is not withdrawn, also until `decided` has begun, which may be after `call` has begun. Never
 * blocks; any thread may call.
 *
 * @retval 0 The task has been submitted; `call` will be called once, unless it is cancelled.
 * @retval EINPROGRESS The task waits for room.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. Nothing will be called.
 */
SQ_USE_RESULT int sq_async_cancellable(sq_queue_t *queue, sq_deferred_t *task);

/**
 * Withdraws a task that waits for room, in constant time. Never blocks; any thread may call.
 *
 * @param task One that was given to sq_async_deferred or sq_async_cancellable.
 * @return true: nothing of it will be called. false: it does not wait for room (any more); `decided` has been called, or is about
 * to be.
 */
bool sq_async_withdraw(sq_queue_t *queue, sq_deferred_t *task);

/**
 * Cancels a submitted task before its turn, in constant time. Never blocks; any thread may call.
 *
 * Call it after sq_async_cancellable has returned. The struct must be valid, and the caller have a reference to the queue. The task
 * counts as withdrawn. Its room is free at once and may go to another task, whose `decided` is then called from here. An empty slot
 * remains in the queue until its turn, as that of a cancelled item (sq_item.h).
 *
 * @return true: `call` will not be called, and the queue does not use the struct any more; if the task has waited for room, not before
 * `decided` has begun, which may be just about to. false: its turn has come, or it was not
 * submitted, or it has waited for room and `decided` is still to be called; then call this again from there.
 */
bool sq_async_cancel(sq_queue_t *queue, sq_deferred_t *task);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
