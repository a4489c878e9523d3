/* sq_watch.h: stall notifications. */
#ifndef SQ_WATCH_H
#define SQ_WATCH_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** What takes too long. */
typedef enum sq_stall_kind {
    SQ_STALL_RUNNING, /**< a task has been running for longer than the threshold */
    SQ_STALL_WAITING  /**< the oldest waiting task has been waiting for longer than the threshold */
} sq_stall_kind_t;

/** One stall. Valid during the call of sq_watcher_t.stalled. */
typedef struct sq_stall {
    sq_stall_kind_t kind;               /**< what takes too long */
    const char *label;                  /**< of the queue */
    uint64_t nanoseconds;               /**< for how long, at least */
    size_t depth;                       /**< how many tasks wait */
    bool suspended;                     /**< the queue is suspended: that is why nothing runs */
    sq_function_t SQ_NULLABLE function; /**< the function that runs; NULL: nothing runs, or it is not known */
    uint64_t thread_id;                 /**< the system's number of the thread that runs the task; 0: nothing runs */
    const char *waits_for;              /**< the label of the queue or other object that this thread waits for inside the task; of a semaphore, group or item
                                             without a label: "made by " and the function that created it, as "main (server+0xa3b0)"; "": none */
    const void *SQ_NULLABLE caller;     /**< the return address of the call that submitted the running task; NULL: not known */
    bool unowned;                       /**< no thread runs the queue's loop (sq_loop.h), so nothing runs: none has run it yet, or the owner has ended */
    uint64_t number;                    /**< of the queue: the address of its handle, by which a dump names the queue (sq_inspect.h) */
} sq_stall_t;

/**
 * Receives stall notifications.
 *
 * `stalled` runs on a library thread, and until it returns no other stall of the process is noticed. It may submit to every queue, but must not
 * wait for a watched one, which may be stalled, too: after sq_watch_all, for none that was created since. `discard` is called once, after the last
 * `stalled`: in the call that replaces the watcher, ends the watching or frees the queue, or, if `stalled` is running then, after it and by its
 * thread. A queue may be freed by the timer thread, so `discard` must not block.
 */
typedef struct sq_watcher {
    void (*stalled)(void *SQ_NULLABLE context, const sq_stall_t *stall); /**< called once per stall */
    void *SQ_NULLABLE context;                                           /**< the first argument of both functions */
    sq_function_t SQ_NULLABLE discard;                                   /**< frees the context; NULL: there is nothing to free */
} sq_watcher_t;

/**
 * Watches the queue from now on, in place of an earlier watcher. Any thread may call.
 *
 * The watcher is called once per stall: when a task has run for longer than the threshold, or when the oldest waiting task has waited for longer.
 * A stall is noticed within about a quarter of the threshold, or a millisecond. A new watcher is also called for stalls in progress.
 *
 * @param watcher Copied. NULL: the watching ends.
 * @retval 0 The watcher is set.
 * @retval EINVAL The threshold is 0, and there is a watcher. After every error nothing was done.
 * @retval ENOMEM There is no memory, or no thread could be started.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_queue_watch(sq_queue_t *queue, uint64_t threshold_nanoseconds, const sq_watcher_t *SQ_NULLABLE watcher);

/**
 * Watches each queue that is created from now on, as sq_queue_watch does. Any thread may call: at the start of main it watches all queues of the process.
 *
 * A queue keeps the watcher that it was created with until it is freed or sq_queue_watch replaces the watcher. `discard` is called when a later call of
 * sq_watch_all has replaced the watcher and no queue has it any longer, possibly in that call. The child of a fork keeps the watcher for the queues that it creates. A queue
 * for which there is no memory is not watched. A queue takes half a microsecond longer to create, and 370 bytes more of the heap; a task of it takes
 * 30 to 70 nanoseconds longer.
 *
 * @param watcher Copied. NULL: queues that are created from now on are not watched.
 * @retval 0 The watcher is set.
 * @retval EINVAL The threshold is 0, and there is a watcher. After every error nothing was done.
 * @retval ENOMEM There is no memory.
 */
int sq_watch_all(uint64_t threshold_nanoseconds, const sq_watcher_t *SQ_NULLABLE watcher);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
