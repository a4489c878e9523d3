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

/* Suspends the queue until as many sq_resume have come. Once it has returned, no async or sync task starts; one whose turn
 * had come goes on. Submissions are accepted and wait. Never blocks; any thread, the queue's own tasks too.
 * Returns 0; ESHUTDOWN when a shutdown has ended; EOVERFLOW (2^32 - 1 suspensions); or ESTALE (the queue is from before a
 * fork). */
int sq_suspend(sq_queue_t *queue);

/* Takes back one sq_suspend; the last one lets the queue go on. Returns 0; or, with nothing changed, EINVAL if the queue is
 * not suspended, or ESTALE if it is from before a fork. Never blocks; any thread. */
int sq_resume(sq_queue_t *queue);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
