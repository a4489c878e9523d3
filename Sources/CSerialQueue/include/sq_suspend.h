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
 * Once it has returned, at most one more task of a serial queue starts, those of queues whose target this is included: the one whose turn had
 * already come. On a concurrent queue several may have their turn already. Submissions are accepted and wait. Never blocks. Any thread may
 * call, also a task of the queue.
 *
 * @retval 0 The queue is suspended.
 * @retval ESHUTDOWN A shutdown has ended.
 * @retval EOVERFLOW The queue is suspended 2^32 - 1 times.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_suspend(sq_queue_t *queue);

/**
 * Takes back one sq_suspend. After the last one the queue runs again. Never blocks; any thread may call.
 *
 * @retval 0 One suspension less.
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
