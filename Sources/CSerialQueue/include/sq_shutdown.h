/* sq_shutdown.h: the end of a queue, with every task accounted for. */
#ifndef SQ_SHUTDOWN_H
#define SQ_SHUTDOWN_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the tasks that wait. */
typedef enum sq_shutdown_mode {
    SQ_SHUTDOWN_DRAIN,  /* they run */
    SQ_SHUTDOWN_DISCARD /* they are discarded; callers that wait for their turn get ESHUTDOWN at once, and count as withdrawn */
} sq_shutdown_mode_t;

/* From now on no submission is accepted (ESHUTDOWN). Waits until the last task has ended, or for the deadline.
 * Returns 0: the queue's thread does not touch the queue any more, nor anything its tasks were given; ETIMEDOUT: it goes on
 * without the caller; EDEADLK: the same, because the caller is a task that this shutdown would wait for, directly or in a
 * cycle (sq_deadlock_report); ENOMEM, EINVAL (mode) or ESTALE (from before a fork): nothing was done. ESTALE too if a
 * function that it has called forked (sq_deferred.h), and this is the child. May be called again, also to turn a drain into
 * a discard. A suspended queue drains once it is resumed. The reference is still the caller's. */
int sq_shutdown(sq_queue_t *queue, sq_shutdown_mode_t mode, sq_time_t deadline);

/* Whether a shutdown has ended: then sq_shutdown returns 0, with the same promises. Never waits, and runs no task. */
bool sq_has_ended(const sq_queue_t *queue);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
