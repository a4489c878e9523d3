/* sq_async.h: leaving a task for the queue's background thread. */
#ifndef SQ_ASYNC_H
#define SQ_ASYNC_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Submits `function(context)` and returns at once; the queue's thread runs it after every task submitted before.
 * Returns 0; ENOMEM; or EAGAIN (the queue's thread could not be started). After an error the function will not be
 * called and the queue works on. Any thread. What the caller wrote before is visible to the task. */
int sq_async(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/* The same for a task that owns its context: exactly one of task->run and task->discard will be called, once, unless
 * an error is returned (then neither, and the context is still the caller's). *task is copied. */
int sq_async_task(sq_queue_t *queue, const sq_task_t *task);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
