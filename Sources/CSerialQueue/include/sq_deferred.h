/* sq_deferred.h: a task that waits for room in a full queue without a thread, and that can be withdrawn until its turn. */
#ifndef SQ_DEFERRED_H
#define SQ_DEFERRED_H

#include "sq_async.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The caller fills in all but `reserved`. The struct belongs to the caller. While the task waits for room, it must stay valid
 * and must not move, until `decided` begins or the task is withdrawn; and the caller keeps a reference to the queue. */
typedef struct sq_deferred {
    sq_pair_function_t call;
    void *SQ_NULLABLE first;
    void *SQ_NULLABLE second;
    void (*decided)(struct sq_deferred *task, int error);
    void *SQ_NULLABLE reserved[3]; /* the queue's */
} sq_deferred_t;

/* Submits a task if there is room: returns 0, or the errors of sq_async_pair except EAGAIN for a full queue. If there is no
 * room, returns EINPROGRESS: the task waits for room in line with the callers of sq_async_until. Then `decided(task, error)`
 * is called once, on any thread and outside every lock. The error is 0 (it has been submitted), or ENOMEM or ESHUTDOWN (it
 * will not be). `decided` may run on this queue's thread, between two tasks; then this queue is the current one.
 * Any thread; never blocks. */
int sq_async_deferred(sq_queue_t *queue, sq_deferred_t *task);

/* As sq_async_deferred, but the task can be given to sq_async_cancel until its turn. So its struct must stay valid and must
 * not move until `call` begins, `decided` reports an error, or the task is withdrawn or cancelled. */
int sq_async_cancellable(sq_queue_t *queue, sq_deferred_t *task);

/* Withdraws a task that waits for room, in constant time. True: nothing of it will be called. False: it does not wait
 * (any more): `decided` has been called, or is about to be. `task` is one that was given to sq_async_deferred
 * or sq_async_cancellable. */
bool sq_async_withdraw(sq_queue_t *queue, sq_deferred_t *task);

/* Withdraws a task that has been submitted, in constant time, before its turn. True: `call` will not be called, and the queue
 * does not use the struct any more. The task counts as withdrawn. Its depth and its room are free at once; the room may go to
 * another task, whose `decided` is then called from here. An empty slot remains in the queue. False: its turn has come, or it
 * was not submitted, or it has waited for room and `decided` is still to be called: then call this again from there. The
 * struct must be valid, and the caller have a reference to the queue. Any thread, after sq_async_cancellable has returned;
 * never blocks. */
bool sq_async_cancel(sq_queue_t *queue, sq_deferred_t *task);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
