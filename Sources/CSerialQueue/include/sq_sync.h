/* sq_sync.h: running a function on the calling thread, when its turn has come. */
#ifndef SQ_SYNC_H
#define SQ_SYNC_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Waits until every task submitted before is done, runs `function(context)` on this thread, and returns when it is done.
 * Returns 0; EDEADLK from a task of the same queue (sq_deadlock_report tells more); or ENOMEM (it had to wait and there
 * was no memory for its place). After an error the function was not and will not be called. Any thread.
 * The function sees what earlier tasks wrote, later tasks see what it wrote, the caller may point into its stack. */
int sq_sync(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/* As sq_sync, but from a task of the same queue the function is called directly, inside that task: for code that may or
 * may not be on the queue already, such as a destructor. */
int sq_sync_or_run(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
