/* sq_timer.h: delayed tasks and timers.
 *
 * Delayed tasks, and the firings of timers:
 *
 *   - Each waits for its delay first, and then for its turn: when it is due, it is submitted to its queue, behind everything submitted before. If
 *     several are due at the same time, they are submitted in the order in which they were started.
 *   - None comes early. How late one comes depends on the system and on the queue. A delay that overflows the clock never expires.
 *   - A full queue accepts them, too. Without memory, the submission is tried again until it succeeds.
 *   - If one is not yet due when its queue is shut down, it is discarded: after the queue's last task, and before the shutdown returns.
 *   - A delayed task keeps its queue alive until it has had its turn, but not beyond a shutdown.
 *
 * Times are on CLOCK_MONOTONIC, which on Linux stands still while the machine is suspended; on a queue of a manual pool (sq_pool.h) on the pool's
 * own clock. The child of a fork has no timers of its parent: a program that becomes a daemon creates its timers after the fork. */
#ifndef SQ_TIMER_H
#define SQ_TIMER_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Submits `function(context)` in `delay` nanoseconds. With delay 0 it is submitted at once, in order with sq_async.
 *
 * The queue stays alive until the function has returned. Any thread may call.
 *
 * @retval 0 The function will be submitted; a shutdown before the delay is over discards it.
 * @retval ENOMEM There is no memory, or no thread could be started.
 * @retval ESHUTDOWN, ESTALE, EINVAL As sq_async. After every error the function will not be called.
 */
int sq_async_after(sq_queue_t *queue, uint64_t delay, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Submits a task that owns its context in `delay` nanoseconds, as sq_async_after does. `*task` is copied. Any thread may call.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called, once.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_async_after. The context is still the caller's.
 */
SQ_USE_RESULT int sq_async_task_after(sq_queue_t *queue, uint64_t delay, const sq_task_t *task);

/**
 * A one-shot or periodic timer on a queue. Opaque.
 *
 * A timer has one owner; see sq_timer_create. Any thread may call its functions.
 */
typedef struct sq_timer sq_timer_t;

/**
 * Creates a timer, not yet started. Its firings call task->run, on the queue.
 *
 * After the release of the timer, or the shutdown of the queue, task->discard is called once, as a task of the queue. The timer keeps the
 * queue alive until the timer is released. If the queue has no thread, this call starts one. `*task` is copied.
 *
 * @return The timer, or NULL with errno ENOMEM (no memory, or no thread could be started), ESHUTDOWN, ESTALE, or EINVAL
 * (task->run is NULL). Then nothing will be called.
 */
sq_timer_t *SQ_NULLABLE sq_timer_create(sq_queue_t *queue, const sq_task_t *task);

/**
 * Starts the timer: it fires in `delay` nanoseconds, and then every `interval` nanoseconds. A timer in use is cancelled first.
 *
 * A firing may be up to `leeway` nanoseconds late if that saves the processor a wake-up. Firings of a periodic timer do not pile up: while a
 * firing waits, further due times are merged into it; while a firing runs, they are merged into one firing that follows. The timer's own task may call
 * this.
 *
 * @param interval 0: the timer fires once.
 * @retval 0 The timer is started.
 * @retval ESHUTDOWN The queue has been shut down.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_timer_start(sq_timer_t *timer, uint64_t delay, uint64_t interval, uint64_t leeway);

/**
 * Starts the timer as sq_timer_start does: it fires at the point in time `start`, and then every `interval` nanoseconds.
 *
 * @param start In the past: the timer fires at once, for all times since then. SQ_FOREVER: never. On a queue of a manual pool a time of the
 * pool's clock, which begins at 0.
 * @retval 0, ESHUTDOWN, ESTALE As sq_timer_start.
 */
int sq_timer_start_at(sq_timer_t *timer, sq_time_t start, uint64_t interval, uint64_t leeway);

/**
 * Prevents firings from starting, until balanced by as many sq_timer_resume calls. A firing that runs continues.
 *
 * All due times of a suspension are merged into one firing after the resume: sq_timer_intervals returns their number. Legal before the timer is
 * started; a start or a cancellation does not end the suspension. A suspended timer can be released.
 *
 * @retval 0 No firing starts any more.
 * @retval EOVERFLOW The timer is suspended 2^32 - 1 times. Nothing changed.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_timer_suspend(sq_timer_t *timer);

/**
 * Balances one sq_timer_suspend.
 *
 * @retval 0 The timer has one suspension less.
 * @retval EINVAL The timer was not suspended.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_timer_resume(sq_timer_t *timer);

/**
 * Returns for how many due times the running firing stands: 1, or more if due times were merged.
 *
 * @return Inside a firing: its number of due times. Outside: that of the last firing; 0 before the first. The sum over all firings is the
 * number of times at which the timer was due.
 */
uint64_t sq_timer_intervals(const sq_timer_t *timer);

/**
 * Cancels the timer: no firing starts after this call has returned. A firing that runs continues. The timer can be started again.
 *
 * @retval 0 Always.
 */
int sq_timer_cancel(sq_timer_t *timer);

/**
 * Cancels the timer, and waits until no firing runs or the deadline passes. The timer can be started again.
 *
 * @retval 0 No firing runs; what the last one wrote is visible.
 * @retval ETIMEDOUT The timer is cancelled, but at the deadline a firing still ran.
 * @retval EDEADLK The timer is cancelled, but a firing runs that is the caller, or that waits for the caller; see sq_deadlock_report.
 * @retval ENOMEM There is no memory to wait. The timer is not cancelled.
 * @retval ESTALE A task that this call ran on a manual pool has forked, and this is the child.
 */
SQ_USE_RESULT int sq_timer_cancel_and_wait(sq_timer_t *timer, sq_time_t deadline);

/**
 * Cancels the timer, and submits a task that runs when no firing runs any more. The timer can be started again; the task does not wait for
 * new firings.
 *
 * The task comes after everything that the queue accepted before. On a concurrent queue it is a barrier. It needs no room in a queue of limited
 * capacity. The timer may be suspended. `*task` is copied.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called, once, when no firing runs: so both may free what the firings use.
 * @retval ENOMEM, ESHUTDOWN The timer is cancelled, but the task will not be called.
 * @retval ESTALE, EINVAL As sq_async_task. Nothing has changed.
 */
SQ_USE_RESULT int sq_timer_cancel_then(sq_timer_t *timer, const sq_task_t *task);

/**
 * Cancels the timer and releases it; the handle must not be used any more. Never blocks; legal anywhere, also in a firing of the timer.
 *
 * The timer is destroyed as soon as no firing runs. NULL is ignored.
 */
void sq_timer_release(sq_timer_t *SQ_NULLABLE timer);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
