/* sq_async.h: submitting tasks.
 *
 * A wait for room, or for the task's end, is no cancellation point (sq_types.h).
 *
 * A queue's own thread starts at the queue's first task. It has the scheduling policy, nice value and affinity of the main thread, where the system
 * permits. It blocks all signals except SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT and SIGSYS; and SIGPIPE, SIGXFSZ and SIGPROF only if
 * the submitting thread blocks them. Programs that a task starts inherit this mask, and would ignore SIGTERM: start them with an empty mask ("Starting
 * other programs" in Documentation/Systems.md). */
#ifndef SQ_ASYNC_H
#define SQ_ASYNC_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Submits `function(context)` and returns at once.
 *
 * The queue's thread, or a thread of its pool, calls the function in its turn: on a serial queue after every task submitted before. The function
 * sees what the caller wrote before. It must return: pthread_exit and longjmp out of it end the program. So does a C++ exception, by
 * std::terminate, after a message that names the queue. Any thread may call.
 *
 * @retval 0 The function will be called, or the task discarded by a shutdown.
 * @retval EAGAIN The queue is full (`capacity` of sq_queue_options_t).
 * @retval ENOMEM There is no memory, or the queue's thread could not be started.
 * @retval ESHUTDOWN The queue has been shut down.
 * @retval ESTALE The queue is from before a fork.
 * @retval EINVAL `function` is NULL.
 */
int sq_async(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Submits a task that owns its context, and returns at once.
 *
 * As sq_async. `*task` is copied. Any thread may call.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called, once.
 * @retval EAGAIN, ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. Neither function will be called; the context is still the caller's.
 */
SQ_USE_RESULT int sq_async_task(sq_queue_t *queue, const sq_task_t *task);

/**
 * Submits a task that owns its context; waits until the deadline if the queue is full.
 *
 * Waiting callers get room in FIFO order. `*task` is copied. Any thread may call.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called, once.
 * @retval EAGAIN The queue is full, and the deadline is SQ_NOW.
 * @retval ETIMEDOUT There was no room by the deadline.
 * @retval EDEADLK Room would never become free: the queue waits for the calling task, directly or in a cycle; see sq_deadlock_report.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. After every error the context is still the caller's.
 */
SQ_USE_RESULT int sq_async_until(sq_queue_t *queue, sq_time_t deadline, const sq_task_t *task);

/**
 * A task with two words of context.
 *
 * `runs`: do the work. Otherwise the task was discarded: clean up.
 */
typedef void (*sq_pair_function_t)(void *SQ_NULLABLE first, void *SQ_NULLABLE second, bool runs);

/**
 * Submits `call(first, second, runs)`, as sq_async_until does.
 *
 * A context of two words then needs no allocation.
 *
 * @retval 0 `call` will be called once.
 * @retval EAGAIN, ETIMEDOUT, EDEADLK, ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async_until. `call` will not be called.
 */
SQ_USE_RESULT int sq_async_pair(sq_queue_t *queue, sq_time_t deadline, sq_pair_function_t call, void *SQ_NULLABLE first,
                                void *SQ_NULLABLE second);

/**
 * Submits work even if the queue is full, such as an actor's job.
 *
 * The work does not count towards the queue's capacity. Otherwise as sq_async_pair.
 *
 * @retval 0 `call` will be called once.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async. `call` will not be called.
 */
SQ_USE_RESULT int sq_async_job(sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first, void *SQ_NULLABLE second);

/**
 * Runs `function(context)` in its turn, on whichever thread is fastest, and waits until it has returned.
 *
 * If the queue is free, the calling thread runs the function. Otherwise the calling thread runs it, or a thread that runs the queue. The
 * deadline bounds the wait for the turn; once the function runs, the call waits for its end. Needs no room in a full queue. Any thread may
 * call. The function must not be NULL.
 *
 * Don't use it for a function that is bound to a thread: sq_sync uses the calling thread, sq_run_and_wait the queue's own.
 *
 * @retval 0 The function has returned; what it wrote is visible.
 * @retval EAGAIN A task runs or waits, and the deadline is SQ_NOW. After every error the function will not be called.
 * @retval ETIMEDOUT Its turn did not come by the deadline.
 * @retval EDEADLK, ESHUTDOWN, ENOMEM, ESTALE As sq_sync.
 */
SQ_USE_RESULT int sq_async_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Runs `function(context)` in its turn on the queue's own thread, and waits until it has returned.
 *
 * For functions that are bound to that thread; sq_sync is faster. On a loop it is the loop's owner; on a pool a thread of the pool or, with
 * options.helps, perhaps a thread that waits in sq_sync. Needs no room in a full queue. Any thread may call. The function must not be NULL.
 *
 * The deadline bounds the time until the function begins. SQ_NOW needs a free queue; then the call waits for the queue's thread without a limit,
 * even if the queue is suspended in the meantime. On a concurrent queue SQ_NOW may return EAGAIN even if nothing runs or waits.
 *
 * @retval 0 The function has returned; what it wrote is visible.
 * @retval EAGAIN A task runs or waits, and the deadline is SQ_NOW. After every error the function will not be called.
 * @retval ETIMEDOUT Its turn did not come by the deadline.
 * @retval ENOMEM There is no memory, or the queue's thread could not be started.
 * @retval EDEADLK As sq_sync; always in a task of the same concurrent queue, because the function would be another task.
 * @retval ESHUTDOWN, ESTALE As sq_sync.
 */
SQ_USE_RESULT int sq_run_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
