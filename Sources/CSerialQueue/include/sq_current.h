/* sq_current.h: the queue whose task this thread runs. */
#ifndef SQ_CURRENT_H
#define SQ_CURRENT_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the queue of the innermost task that this thread runs. Not retained.
 *
 * @return The queue; NULL outside of any task.
 */
sq_queue_t *SQ_NULLABLE sq_current_queue(void);

/**
 * Returns whether the caller is a task of `queue`, directly or through any number of syncs onto other queues.
 *
 * If true, a sync onto the queue would be a deadlock, and the caller may use directly what the queue protects. A thread that waits may run
 * a task of another caller meanwhile, for example ahead of its own sync on a manual pool: the queues of the waiting tasks are not current in
 * such a task.
 */
bool sq_is_current(const sq_queue_t *queue);

/**
 * Explains why this thread's last call returned EDEADLK, and names the queues and threads involved.
 *
 * @return The report; "" if no call of this thread has returned EDEADLK, or there was no memory for a report. Valid until the
 * thread's next EDEADLK, or until the thread ends.
 */
const char *sq_deadlock_report(void);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
