/* sq_current.h: which queue's task is this thread running? */
#ifndef SQ_CURRENT_H
#define SQ_CURRENT_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The queue of the innermost task that this thread is running, NULL outside of any task. Not retained. */
sq_queue_t *SQ_NULLABLE sq_current_queue(void);

/* True if a task of `queue` is on this thread's stack, however deeply nested: then a sync onto it would be a deadlock,
 * and what the queue protects may be touched directly. */
bool sq_is_current(const sq_queue_t *queue);

/* Why this thread's last call returned EDEADLK, in words that name the queues and threads involved. "" if none did.
 * Valid until the thread's next EDEADLK or its end; other threads' reports are their own. */
const char *sq_deadlock_report(void);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
