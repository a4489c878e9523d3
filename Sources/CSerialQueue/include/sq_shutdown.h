/* sq_shutdown.h: the end of a queue, with every task accounted for.
 *
 * The threads that ran its tasks may live on, with what those kept for each thread: "Unloading a plugin" in Documentation/Systems.md says what a
 * program does before dlclose. A wait for the end is no cancellation point (sq_types.h). */
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
    SQ_SHUTDOWN_DISCARD /**< they are discarded; callers that wait get ESHUTDOWN at once, and count as withdrawn. One that has its turn, and
                             waits for the queue's target alone, gets it when that is free */
} sq_shutdown_mode_t;

/**
 * Closes the queue, so that it accepts nothing more (ESHUTDOWN), and waits until its last task has returned, or until the deadline.
 *
 * It may be called again, also to turn a drain into a discard. A suspended queue drains once it is resumed. The caller keeps its
 * reference. Any thread may call.
 *
 * @retval 0 The queue has ended. Its thread does not use the queue any more, nor anything that its tasks were given.
 * @retval ETIMEDOUT The deadline passed first. The queue is closed, and the shutdown continues in the background.
 * @retval EDEADLK The same, because the shutdown would wait for the calling task, directly or in a cycle; see sq_deadlock_report.
 * @retval ENOMEM, EINVAL No memory to wait; not a mode. Nothing was done.
 * @retval ESTALE The queue is from before a fork, or a function that this call has called forked (sq_deferred_t).
 */
int sq_shutdown(sq_queue_t *queue, sq_shutdown_mode_t mode, sq_time_t deadline);

/**
 * Returns whether a shutdown of the queue has ended: then sq_shutdown returns 0.
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
