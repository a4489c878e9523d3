/* sq_timer.h: tasks at a time to come.
 *
 * A delayed task or a timer waits for its delay first, and then for its turn: when it falls due it is submitted to its queue,
 * behind everything that was submitted before. A delayed task with delay 0 is submitted at once, like sq_async. Those that
 * are due at the same time keep the order in which they were started. Times are of CLOCK_MONOTONIC, which no change of the wall clock moves; on a queue of a manual pool (sq_pool.h) they are of
 * the pool's own clock. None comes early; how late one comes depends on the system and on the queue. A delay that is too
 * long to be told never ends. What falls due is taken by a full queue, too; while there is no memory for it, it is tried again.
 *
 * What is not due when its queue is shut down never falls due: it is discarded after the queue's last task, and before the
 * shutdown returns. A suspended queue that is to be drained does so once it is resumed. A delayed task keeps its queue alive until
 * it has had its turn, but not beyond the shutdown. A suspended queue keeps what falls due until it is resumed.
 *
 * Every call may be made from any thread, also at the same time; the caller holds a reference to the queue, or the timer. */
#ifndef SQ_TIMER_H
#define SQ_TIMER_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Submits `function(context)` in `delay` nanoseconds. Keeps the queue alive until then; if nobody else does any more, the
 * queue ends after it. Returns 0; ENOMEM (no memory, or no thread could be started); ESHUTDOWN; ESTALE (the queue is from before
 * a fork); EINVAL (no function). After an error the function will not be called. */
int sq_async_after(sq_queue_t *queue, uint64_t delay, sq_function_t function, void *SQ_NULLABLE context);

/* The same for a task that owns its context: exactly one of task->run and task->discard will be called, once, unless an
 * error is returned. *task is copied. */
int sq_async_task_after(sq_queue_t *queue, uint64_t delay, const sq_task_t *task);

/* Something that has a queue run the same task now and then: opaque, with one owner. */
typedef struct sq_timer sq_timer_t;

/* Makes a timer, not yet started. Its firings call task->run. When it is done for, after its release or the shutdown of
 * its queue, task->discard is called once, in a turn of the queue's. Keeps the queue alive until it is released, and
 * starts the queue's thread if it has none. *task is copied. Returns NULL with errno ENOMEM (no memory, or no thread
 * could be started), ESHUTDOWN, ESTALE or EINVAL (no function to run). */
sq_timer_t *SQ_NULLABLE sq_timer_create(sq_queue_t *queue, const sq_task_t *task);

/* Has the timer fire in `delay` nanoseconds, and from then on every `interval` nanoseconds; once if `interval` is 0. A firing
 * may be up to `leeway` nanoseconds late if that saves the processor a wake-up. A firing of a periodic timer is left out
 * if the one before still waits or runs; if it fell due while that one ran, one firing follows at once. A timer that was started before is cancelled first; its own task may do this, too.
 * Returns 0, ESHUTDOWN or ESTALE. */
int sq_timer_start(sq_timer_t *timer, uint64_t delay, uint64_t interval, uint64_t leeway);

/* How many intervals the firing that runs stands for: 1, and 1 for each that was left out before it began. The sum over all
 * firings is the number of times at which the timer fell due. Outside of a firing: that of the last one; 0 before the first. */
uint64_t sq_timer_intervals(const sq_timer_t *timer);

/* No firing starts after this has returned; one that runs goes on. The timer can be started again. Returns 0. */
int sq_timer_cancel(sq_timer_t *timer);

/* The same, and waits until no firing runs. Returns 0 (what it wrote is visible); ETIMEDOUT (cancelled, but it still runs);
 * EDEADLK (the same, and the caller is its firing, or this waits for the caller: sq_deadlock_report); ENOMEM (not cancelled);
 * or ESTALE (a task that it ran on a manual pool has forked, and this is the child). */
int sq_timer_cancel_and_wait(sq_timer_t *timer, sq_time_t deadline);

/* Cancels the timer and gives it up. Never blocks; legal anywhere, in its own firing too. It is done for as soon as no firing
 * runs. NULL is ignored. The handle must not be used any more. */
void sq_timer_release(sq_timer_t *SQ_NULLABLE timer);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
