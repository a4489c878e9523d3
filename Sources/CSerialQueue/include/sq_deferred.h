/* sq_deferred.h: a task that waits for room in a full queue, with no thread beside it. */
#ifndef SQ_DEFERRED_H
#define SQ_DEFERRED_H

#include "sq_async.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Filled in by the caller but for `reserved`. The caller's memory: it lies still, and the caller keeps a reference to the
 * queue, as long as the task waits for room. */
typedef struct sq_deferred {
    sq_pair_function_t call;
    void *SQ_NULLABLE first;
    void *SQ_NULLABLE second;
    void (*decided)(struct sq_deferred *task, int error);
    void *SQ_NULLABLE reserved[3]; /* the queue's */
} sq_deferred_t;

/* As sq_async_pair without waiting, if there is room: 0, or its errors but EAGAIN for a full queue. Else EINPROGRESS: the task
 * waits for room in line with the callers of sq_async_until, and once, on any thread and outside every lock,
 * `decided(task, error)` is called: 0, it has been submitted; ENOMEM or ESHUTDOWN, it will not be. Any thread; never blocks.
 * Who gives room may be this queue's thread between two tasks: then this queue is the current one for `decided`. */
int sq_async_deferred(sq_queue_t *queue, sq_deferred_t *task);

/* Takes a task that waits for room out of the line, in constant time. True: nothing of it will be called. False: it does not
 * wait (any more): `decided` has been called, or is about to be. `task` is one that was given to sq_async_deferred. */
bool sq_async_withdraw(sq_queue_t *queue, sq_deferred_t *task);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
