/* sq_barrier.h: concurrent queues: tasks that run together, and barriers, which run alone.
 *
 * A queue whose options have a width above 1 is concurrent. The calls of all headers work on such a queue. Without a pool in its options it uses the
 * shared pool.
 *
 * Tasks start in the order of submission. Tasks between two barriers run at the same time: async tasks on the pool, up to the width; sync functions
 * on the threads of their callers, which do not count. A barrier runs alone: after all tasks before it, and before all tasks after it. No task
 * overtakes a waiting barrier. If a shutdown discards a barrier, this happens after the tasks before the barrier, too; any other task may be
 * discarded while earlier tasks run.
 *
 * Barriers are submitted by the calls with `barrier` in their name, and as work items with SQ_ITEM_BARRIER. All other tasks are no barriers: also timers,
 * notifications, and the tasks of sq_group_async.
 *
 * Calls on the same queue, within one of its tasks:
 *
 *   call                          in a task that is no barrier           in a barrier
 *   sq_sync, sq_async_and_wait    calls the function at once (a)         returns EDEADLK
 *   sq_sync_or_run                calls the function at once (a)         calls the function at once
 *   sq_sync_barrier               returns EDEADLK                        returns EDEADLK
 *   sq_run_and_wait               returns EDEADLK (b)                    returns EDEADLK
 *
 *   (a) As part of the task: also while a barrier waits, and while the queue is suspended or shut down.
 *   (b) The function would be another task, which might have to wait for a barrier that waits for the caller.
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
 * @return 1: the queue is serial. SQ_WIDTH_POOL: as many as its pool runs; also for a queue that was created with a width of UINT32_MAX or more.
 */
size_t sq_queue_width(const sq_queue_t *queue);

/**
 * Submits a task that runs alone, and returns at once. On a serial queue the same as sq_async.
 *
 * The task sees what all tasks before it wrote, and all tasks after it see what it wrote. Any thread may call.
 *
 * @retval 0 The task will run.
 * @retval EAGAIN, EINVAL, ENOMEM, ESHUTDOWN, ESTALE As sq_async.
 */
int sq_async_barrier(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Submits a task that runs alone and owns its context. On a serial queue the same as sq_async_task.
 *
 * @param task Copied.
 * @retval 0 Exactly one of task->run and task->discard will be called, once.
 * @retval EAGAIN, EINVAL, ENOMEM, ESHUTDOWN, ESTALE As sq_async_task. Neither function will be called.
 */
SQ_USE_RESULT int sq_async_barrier_task(sq_queue_t *queue, const sq_task_t *task);

/**
 * Submits a task with two words of context that runs alone.
 *
 * On a serial queue the same as sq_async_pair with SQ_NOW.
 *
 * @retval 0 `call` will be called once.
 * @retval EAGAIN, EINVAL, ENOMEM, ESHUTDOWN, ESTALE As sq_async. `call` will not be called.
 */
SQ_USE_RESULT int sq_async_barrier_pair(sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first,
                                        void *SQ_NULLABLE second);

/**
 * Submits work that runs alone, even if the queue is full. On a serial queue the same as sq_async_job.
 *
 * @retval 0 `call` will be called once.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. `call` will not be called.
 */
SQ_USE_RESULT int sq_async_barrier_job(sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first,
                                       void *SQ_NULLABLE second);

/**
 * Waits for every task submitted before, then calls `function(context)` on this thread, alone.
 *
 * On a serial queue the same as sq_sync. Any thread may call, except from a task of this queue. The function must not be NULL.
 *
 * @retval 0 The function has returned. After every error it was not called and will not be.
 * @retval EDEADLK The caller is a task of this queue, or the wait would close a cycle; see sq_deadlock_report.
 * @retval ESHUTDOWN, ENOMEM, ESTALE As sq_sync.
 */
int sq_sync_barrier(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Runs `function(context)` on this thread, alone, if its turn comes before the deadline.
 *
 * Otherwise as sq_sync_barrier. When the call times out, tasks that were submitted after it may start.
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
