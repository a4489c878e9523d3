/* sq_sync.h: running a function on the calling thread, when its turn has come. */
#ifndef SQ_SYNC_H
#define SQ_SYNC_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Waits until every task submitted before is done, runs `function(context)` on this thread, and returns when it is done.
 * Returns 0; EDEADLK (the turn would never come: the caller is a task of this queue, or waits in a cycle of queues and
 * threads in which no wait has a deadline; sq_deadlock_report); ESHUTDOWN; ENOMEM (it had to wait and there was no memory for
 * its place); or ESTALE (the queue is from before a fork). After an error the function was not and will not be called. Any
 * thread.
 * The function sees what earlier tasks wrote, later tasks see what it wrote, the caller may point into its stack. */
int sq_sync(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/* As sq_sync, but waits no longer than to the deadline: then it gives up its place and returns ETIMEDOUT, and the function is
 * guaranteed never to run. The deadline bounds the wait, not the function. A queue that is free is taken even when the
 * deadline has passed. With SQ_NOW it only tries, and returns EAGAIN. In a cycle of waits the one with the earliest deadline
 * gets EDEADLK, before its deadline; that of an sq_async_and_wait whose function runs no longer counts. */
int sq_sync_until(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context);

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
