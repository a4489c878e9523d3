/* sq_async.h: leaving a task for the queue's background thread. */
#ifndef SQ_ASYNC_H
#define SQ_ASYNC_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Submits `function(context)` and returns at once; the queue's thread runs it after every task submitted before. That thread
 * blocks all signals except faults; SIGPIPE, SIGXFSZ and SIGPROF only if the thread that starts it blocks them. Its
 * scheduling policy, nice value and affinity are the main thread's, where the system permits. Any thread may call. What the caller wrote before is visible to the task.
 * Returns 0; ENOMEM (no memory, or the queue's thread could not be started); EAGAIN (the queue is full); ESHUTDOWN; ESTALE (the queue
 * is from before a fork); EINVAL (no function). After an error the function will not be called and the queue works on. */
int sq_async(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/* The same for a task that owns its context: exactly one of task->run and task->discard will be called, once, unless
 * an error is returned (then neither, and the context is still the caller's). *task is copied. */
int sq_async_task(sq_queue_t *queue, const sq_task_t *task);

/* As sq_async_task, but where a queue of limited capacity is full it waits for room, in the order of the callers. More
 * errors: ETIMEDOUT (no room by the deadline; with SQ_NOW it is EAGAIN), EDEADLK (room will not come by the deadline:
 * the queue waits for the calling task, directly or in a cycle as in sq_sync.h; sq_deadlock_report). */
int sq_async_until(sq_queue_t *queue, sq_time_t deadline, const sq_task_t *task);

/* What a task with two words of context does: run if `runs`, else clean up, for it will never run. */
typedef void (*sq_pair_function_t)(void *SQ_NULLABLE first, void *SQ_NULLABLE second, bool runs);

/* As sq_async_until, for such a task: it spares its submitter the memory that would hold the two together. */
int sq_async_pair(sq_queue_t *queue, sq_time_t deadline, sq_pair_function_t call, void *SQ_NULLABLE first,
                  void *SQ_NULLABLE second);

/* As sq_async_pair with SQ_NOW, but a queue of limited capacity takes it even when it is full, and it takes up no room: for
 * work that cannot be turned away, such as an actor's job. */
int sq_async_job(sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first, void *SQ_NULLABLE second);

/* Runs `function(context)` in its turn and waits until it is done: on the caller if the queue is free, else on the queue's
 * thread or on the caller, whichever comes to it first. The deadline bounds the wait for the turn, as in sq_sync_until: when it passes first, the
 * function is guaranteed never to run; once it runs, the call waits for its end. Needs no room in a queue of limited capacity.
 * Returns 0 (what the function wrote is visible); ETIMEDOUT; EAGAIN (with SQ_NOW, while a task runs or waits); EDEADLK;
 * ESHUTDOWN; ENOMEM; ESTALE. */
int sq_async_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context);

/* The same on the queue's own thread, always: for functions that are bound to it. On a free queue it waits for that thread as
 * long as it takes, whatever the deadline, also while the queue is suspended meanwhile. On a busy one, SQ_NOW
 * returns EAGAIN, a deadline that has passed ETIMEDOUT. */
int sq_run_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
