/* sq_barrier.h: concurrent queues: tasks that run together, and barriers, which run alone.
 *
 * A queue whose options have a width above 1 is concurrent. The calls of all headers work on it; its pool is the shared one if its options
 * name none. Tasks leave it in the order of submission. Those between two barriers run at the same time: async tasks on the pool, up to
 * the width; sync functions on their callers' threads, which do not count. A barrier runs alone: after all tasks before it, and before all
 * tasks after it. No task overtakes a waiting barrier. A barrier that a shutdown discards comes after the tasks before it,
 * too; any other task may be discarded while earlier ones run. Timers, notifications, the tasks of sq_group_async, and work items without SQ_ITEM_BARRIER
 * are not barriers; sq_group_async_barrier_task and sq_group_notify_barrier submit one that is.
 *
 * In a task that is not a barrier, sq_sync and sq_async_and_wait on the same queue call the function at once, as part of that task: also while
 * a barrier waits, and while the queue is suspended or shut down. In a barrier they return EDEADLK; sq_sync_or_run calls its
 * function in both. sq_run_and_wait returns EDEADLK in any task of the queue: its function would be a task of its own, which could have
 * to wait for a barrier that waits for the caller.
 */
#ifndef SQ_BARRIER_H
#define SQ_BARRIER_H

#include "sq_async.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns how many async tasks of the queue may run at a time. Any thread may call.
 *
 * @return 1: the queue is serial. SQ_WIDTH_POOL: as many as its pool runs; so is every width from UINT32_MAX on, which no pool reaches.
 */
size_t sq_queue_width(const sq_queue_t *queue);

/**
 * Submits a task that runs alone, and returns at once. On a serial queue it is sq_async.
 *
 * The task sees what all tasks before it wrote, and all tasks after it see what it wrote. Any thread may call.
 *
 * @retval 0 The task will run.
 * @retval EAGAIN, EINVAL, ENOMEM, ESHUTDOWN, ESTALE As sq_async.
 */
int sq_async_barrier(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Submits a task that runs alone and owns its context. On a serial queue it is sq_async_task.
 *
 * @param task Copied. Exactly one of its functions is called, once, unless an error is returned: then neither.
 * @retval 0 The task will run or be discarded.
 * @retval EAGAIN, EINVAL, ENOMEM, ESHUTDOWN, ESTALE As sq_async_task.
 */
SQ_USE_RESULT int sq_async_barrier_task(sq_queue_t *queue, const sq_task_t *task);

/**
 * Submits a task with two words of context that runs alone.
 *
 * On a serial queue it is sq_async_pair with SQ_NOW.
 *
 * @retval 0 `call` will be called once.
 * @retval EAGAIN, EINVAL, ENOMEM, ESHUTDOWN, ESTALE As sq_async. It will not be called.
 */
SQ_USE_RESULT int sq_async_barrier_pair(sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first,
                                        void *SQ_NULLABLE second);

/**
 * Submits work that runs alone, even if the queue is full. On a serial queue it is sq_async_job.
 *
 * @retval 0 `call` will be called once.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. It will not be called.
 */
SQ_USE_RESULT int sq_async_barrier_job(sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first,
                                       void *SQ_NULLABLE second);

/**
 * Waits for every task submitted before, then calls `function(context)` on this thread, alone.
 *
 * On a serial queue it is sq_sync. Any thread may call, except from a task of this queue. The function must not be NULL.
 *
 * @retval 0 The function has returned. After every error it was not called and will not be.
 * @retval EDEADLK The caller is a task of this queue, or the wait would close a cycle; see sq_deadlock_report.
 * @retval ESHUTDOWN, ENOMEM, ESTALE As sq_sync.
 */
int sq_sync_barrier(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Runs `function(context)` on this thread, alone, if its turn comes before the deadline.
 *
 * Otherwise as sq_sync_barrier. The tasks behind a barrier whose deadline passes no longer wait for those ahead of it.
 *
 * @retval 0 The function has returned. After every error it was not called and will not be.
 * @retval EAGAIN A task runs or waits, and the deadline is SQ_NOW.
 * @retval ETIMEDOUT Its turn did not come by the deadline.
 * @retval EDEADLK, ESHUTDOWN, ENOMEM, ESTALE As sq_sync_barrier.
 */
SQ_USE_RESULT int sq_sync_barrier_until(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
