/* sq_sync.h: running a function in its turn, on the calling thread.
 *
 * A wait for the turn is no cancellation point (sq_types.h). */
#ifndef SQ_SYNC_H
#define SQ_SYNC_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Waits until every task submitted before has returned, then calls `function(context)` on this thread.
 *
 * The function sees what earlier tasks wrote, and later tasks see what it wrote. The context may point into the caller's stack.
 * Any thread may call, except from a task of this queue. The function must not be NULL.
 *
 * @retval 0 The function has returned. After every error it was not called and will not be.
 * @retval EDEADLK The turn would never come: the caller is a task of this queue, or the wait would close a cycle of queues and
 * threads in which no wait has a deadline; see sq_deadlock_report.
 * @retval ESHUTDOWN The queue has been shut down.
 * @retval ENOMEM The call had to wait, and there was no memory for the wait.
 * @retval ESTALE The queue is busy or has a target, and is from before a fork.
 */
int sq_sync(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Calls `function(context)` on this thread in its turn, as sq_sync does, if the turn comes before the deadline.
 *
 * The deadline bounds the wait, not the function. If the queue is free, the function is called even after the deadline. In a cycle of
 * waits, the wait with the earliest deadline returns EDEADLK, before its deadline. A call that returns without its turn leaves an
 * empty slot in the queue, as a cancelled item does (sq_item.h). Any thread may call. The function must not be NULL.
 *
 * @retval 0 The function has returned. After every error it was not called and will not be.
 * @retval EAGAIN A task runs or waits, and the deadline is SQ_NOW.
 * @retval ETIMEDOUT The turn did not come by the deadline.
 * @retval EDEADLK, ESHUTDOWN, ENOMEM, ESTALE As sq_sync.
 */
SQ_USE_RESULT int sq_sync_until(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Calls `function(context)` directly if the caller is a task of this queue, otherwise in its turn, as sq_sync does.
 *
 * For code that may or may not be on the queue already, such as a destructor. Don't use it as a habit: if it is called directly, the
 * function sees the half-done changes of the task around it. Any thread may call. The function must not be NULL.
 *
 * After a shutdown the call counts as rejected, waits for the end of the queue, and then still calls the function. Such functions, and
 * late jobs of Swift's actors, run one at a time, with the queue as the current one.
 *
 * @retval 0 The function has returned. After every error it was not called and will not be.
 * @retval EDEADLK, ENOMEM, ESTALE As sq_sync.
 */
int sq_sync_or_run(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
