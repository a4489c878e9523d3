/* sq_queue.h: creating and releasing queues.
 *
 * A serial queue runs tasks one at a time, in the order in which they were submitted. A concurrent queue (sq_barrier.h) runs several
 * at a time.
 *
 * Which calls may run at the same time, on one queue, from any threads. The caller holds a reference until the call returns; only the task
 * that the call submits may release this reference earlier.
 *
 *                          retain   release(a)   async*, sync*   suspend, resume   shutdown   depth, stats, label
 *   retain                  yes        yes           yes               yes          yes             yes
 *   release(a)              yes        yes           yes               yes          yes             yes
 *   async*, sync*           yes        yes           yes(b)            yes          yes(c)          yes
 *   suspend, resume         yes        yes           yes               yes          yes             yes
 *   shutdown                yes        yes           yes(c)            yes          yes             yes
 *   depth, stats, label     yes        yes           yes               yes          yes             yes
 *
 *   (a) The caller releases its own reference and no other; calls that use other references continue.
 *   (b) A sync from a task of the same serial queue returns EDEADLK; see sq_sync.h and sq_barrier.h.
 *   (c) A submission at the same time as a shutdown is accepted, or returns ESHUTDOWN.
 * Every call is legal in a task, in a discard function and in a thread-exit destructor. No call is async-signal-safe, except
 * sq_trace_write.
 *
 * Queues with a target (sq_queue_set_target):
 *
 *   - The tasks of a serial target, and of all queues that have it as their target, exclude each other. The queues take turns in the order in which
 *     they became ready.
 *   - A target may be concurrent, on a pool or on a loop, and may have a target of its own. Keep chains short: the cost of an async task grows with
 *     the square of the length.
 *   - While the target is suspended, no task of these queues starts. A target that is suspended, and to which the program has no reference left, is
 *     shut down; the target's own tasks are discarded.
 *   - After a shutdown of the target the tasks of its queues run when the target has ended. sq_async on such a queue may block: without memory for the
 *     task it retries until there is memory.
 *   - A sync runs on the calling thread, once it has a turn in the queue and in the target. The table has the cases; in the table, a task of a queue
 *     counts as a task of the queue's target, too.
 *     Two kinds of deadlock are not found, and hang: a task of the target that waits for a group or an item of the queue, and some cycles through the
 *     width of a target.
 *
 *   the caller is                           the queue is   the target                                      the sync
 *   in a task of the serial target          any            any                                             returns EDEADLK
 *   in a barrier of the concurrent target   any            any                                             returns EDEADLK
 *   in a task of one of its queues          any            a shutdown of the target has ended              returns EDEADLK
 *   in another task of the target           free           any                                             runs
 *   in another task of the target           busy           has a width other than SQ_WIDTH_POOL            returns EDEADLK
 *   in another task of the target           busy           was shut down                                   returns EDEADLK
 *   in another task of the target           busy           has a barrier that waits for the caller's task  returns EDEADLK
 *   in another task of the target           busy           none of these                                   waits
 *   anywhere else                           any            any                                             waits for both turns
 */
#ifndef SQ_QUEUE_H
#define SQ_QUEUE_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * The priority of a queue among the queues of one pool.
 *
 * Queues of one priority take turns; on a pool of one or two threads in FIFO order (sq_pool.h). While queues of a higher priority are ready, a
 * lower priority gets at least one batch in 64, so that its wait is bounded. A running batch is not interrupted: a queue of high priority waits
 * for the end of the batch, about a millisecond.
 */
typedef enum sq_priority {
    SQ_PRIORITY_LOW = -1,   /**< runs when no queue of a higher priority is ready, and one batch in 64 */
    SQ_PRIORITY_NORMAL = 0, /**< the default */
    SQ_PRIORITY_HIGH = 1    /**< runs before all others */
} sq_priority_t;

/** What a queue is created with. Begin with SQ_QUEUE_OPTIONS_INIT and change what you need. */
typedef struct sq_queue_options {
    size_t size;                 /**< sizeof(sq_queue_options_t), so that later versions can add fields */
    sq_pool_t *SQ_NULLABLE pool; /**< the pool whose threads run the async tasks; NULL: a thread of its own, see sq_queue_create */
    size_t capacity;             /**< how many async tasks may wait; 0: as many as there is memory for */
    size_t stack_size;           /**< bytes of stack of the queue's own thread, in addition to thread-local variables. Such a queue keeps its thread.
                                      0: the system's default */
    size_t width;                /**< how many async tasks may run at a time; above 1: a concurrent queue (sq_barrier.h) */
    sq_priority_t priority;      /**< among the queues of its pool; no effect without a pool */
    bool helps;                  /**< a sync caller of a higher class of service (sq_service_t) runs the tasks ahead of it on its own thread. So async
                                      tasks, and the functions of sq_run_and_wait, may run outside of the pool. No effect without a pool, or on a
                                      concurrent queue */
    sq_queue_t *SQ_NULLABLE target; /**< the queue on which this queue runs its tasks (sq_queue_set_target); not together with a pool. The queue is then serial,
                                         whatever its width. NULL: none */
} sq_queue_options_t;

/** The default options of a queue: serial, a thread of its own, no limit of capacity. */
#define SQ_QUEUE_OPTIONS_INIT { sizeof(sq_queue_options_t), NULL, 0, 0, 1, SQ_PRIORITY_NORMAL, false, NULL }

/** As the width of a queue: as many async tasks at a time as its pool runs. */
#define SQ_WIDTH_POOL SIZE_MAX

/**
 * Creates a queue. No thread is started.
 *
 * A queue without a pool has a thread of its own while it has something to run: its last thread if that is still idle, otherwise another idle thread,
 * or a new one. A thread ends after half a second without work; up to 16 idle threads stay while their queues exist. So two tasks may run on different
 * threads: keep nothing in thread-local variables, and undo what a task changes of its thread (affinity, signal mask, locale). Exceptions: a queue with a
 * stack_size keeps its thread, and a queue on a loop (sq_loop.h) always runs on the loop's thread. If no thread can be started for an accepted task, the
 * task runs as soon as a thread can be started.
 *
 * @param label UTF-8, copied; NULL means "". The label names the queue in messages, and its thread, as far as the system permits. If the
 * label is too long for the name of a thread, the thread gets the part after the last dot.
 * @param options NULL: the defaults.
 * @return The queue, with one reference; or NULL with errno ENOMEM, EINVAL (options of an unknown size, a capacity that cannot be
 * counted, an unknown priority, a pool and a target, or a stack size that the system does not accept) or ESTALE (a pool or target from
 * before a fork).
 */
sq_queue_t *SQ_NULLABLE sq_queue_create(const char *SQ_NULLABLE label, const sq_queue_options_t *SQ_NULLABLE options);

/**
 * Makes the queue run its tasks on another queue, one at a time, each in a turn of the target. options.target does the same.
 *
 * Call it before the first use of the queue: a submission, a timer, a member of a group, a notification, a wait or a shutdown. The first use fixes all
 * targets of the chain. The queue holds a reference to its target. "Queues with a target" at the top of this header has the rules.
 *
 * @retval 0 The queue has the target.
 * @retval EINVAL The queue has a pool, or would be its own target. After every error nothing has changed.
 * @retval EBUSY The queue was used, or a queue above it in the chain.
 * @retval ENOMEM There is no memory.
 * @retval ESTALE The queue or the target is from before a fork.
 */
int sq_queue_set_target(sq_queue_t *queue, sq_queue_t *target);

/**
 * Adds a reference. The caller must hold a reference, or be a task of the queue. Any thread may call.
 *
 * @return The queue.
 */
sq_queue_t *sq_queue_retain(sq_queue_t *queue);

/**
 * Releases a reference. Never blocks; legal anywhere, also in the queue's own tasks. NULL is ignored.
 *
 * After the last release the accepted tasks still run; then the queue frees itself and its thread ends. If the queue is suspended
 * at the last release, its tasks are discarded, because nothing could resume the queue.
 */
void sq_queue_release(sq_queue_t *SQ_NULLABLE queue);

/**
 * Returns the label that the queue was created with.
 *
 * @return The label; "" if the queue has none. Valid as long as the caller's reference.
 */
const char *sq_queue_label(const sq_queue_t *queue);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
