/* sq_shutdown.h: the end of a queue, with every task accounted for.
 *
 * The threads that ran the queue's tasks may exist longer, with the thread-local variables of these tasks: see "Unloading a plugin" in
 * Documentation/Systems.md before you call dlclose. A wait for the end is no cancellation point (sq_types.h). */
#ifndef SQ_SHUTDOWN_H
#define SQ_SHUTDOWN_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** What a shutdown does with the tasks that wait. */
typedef enum sq_shutdown_mode {
    SQ_SHUTDOWN_DRAIN,  /**< they run */
    SQ_SHUTDOWN_DISCARD /**< they are discarded; callers that wait get ESHUTDOWN at once, and count as withdrawn. Exception: a sync that has its turn in
                             this queue and waits for the target gets ESHUTDOWN only when the target is free */
} sq_shutdown_mode_t;

/**
 * Closes the queue, so that every submission returns ESHUTDOWN, and waits until the last task has returned, or until the deadline.
 *
 * May be called again, also to turn a drain into a discard. A suspended queue drains after it is resumed. The caller keeps its
 * reference. Any thread may call.
 *
 * @retval 0 The queue has ended. Its thread no longer uses the queue, nor the contexts of its tasks.
 * @retval ETIMEDOUT The deadline passed first. The queue is closed, and the shutdown continues in the background.
 * @retval EDEADLK The shutdown would wait for the calling task, directly or in a cycle; see sq_deadlock_report. The queue is closed, and the
 * shutdown continues in the background.
 * @retval ENOMEM There is no memory to wait. Nothing was done.
 * @retval EINVAL There is no such mode. Nothing was done.
 * @retval ESTALE The queue is from before a fork, or a function that this call has called forked (sq_deferred_t).
 */
int sq_shutdown(sq_queue_t *queue, sq_shutdown_mode_t mode, sq_time_t deadline);

/**
 * Returns whether a shutdown of the queue has ended. If so, sq_shutdown returns 0.
 *
 * Never waits, and runs no task. Any thread may call.
 */
bool sq_has_ended(const sq_queue_t *queue);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
