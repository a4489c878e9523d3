/* sq_suspend.h: keeping tasks from starting. */
#ifndef SQ_SUSPEND_H
#define SQ_SUSPEND_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Suspends the queue until balanced by as many sq_resume calls.
 *
 * After it returns, at most one more task of a serial queue may start: a task whose turn had come. This includes tasks of queues that have this
 * queue as their target. On a concurrent queue several tasks may have had their turn. Submissions are accepted and wait. Never blocks. Any
 * thread may call, also a task of the queue.
 *
 * @retval 0 The queue is suspended.
 * @retval ESHUTDOWN A shutdown of the queue has ended.
 * @retval EOVERFLOW The queue is suspended 2^32 - 1 times.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_suspend(sq_queue_t *queue);

/**
 * Balances one sq_suspend. When all are balanced, the queue runs again. Never blocks; any thread may call.
 *
 * @retval 0 The queue has one suspension less.
 * @retval EINVAL The queue is not suspended: this is one resume too many. Nothing changed.
 * @retval ESTALE The queue is from before a fork. Nothing changed.
 */
int sq_resume(sq_queue_t *queue);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
