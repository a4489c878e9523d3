/* sq_queue.h: creating and releasing queues.
 *
 * A serial queue runs tasks one at a time, in the order in which they were submitted. A concurrent queue (sq_barrier.h) runs several
 * at a time.
 *
 * Which calls may run at the same time, on one queue, from any threads (the caller holds a reference throughout; only the task that the
 * call submits may release it earlier):
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
 * Every call is legal in a task, in a discard function and in a thread-exit destructor. None is async-signal-safe.
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
 * The priority of a queue among the queues of one pool. FIFO within each, as far as the pool's turns are in FIFO order (sq_pool.h); a lower
 * one gets at least one batch in 64 of the threads that share its list, so that its wait is bounded. A running batch is not interrupted: a
 * queue of high priority waits for the end of one, about a millisecond.
 */
typedef enum sq_priority {
    SQ_PRIORITY_LOW = -1,   /**< when no other queue is ready, and one batch in 64 */
    SQ_PRIORITY_NORMAL = 0, /**< the default */
    SQ_PRIORITY_HIGH = 1    /**< before all others */
} sq_priority_t;

/** What a queue is created with. Begin with SQ_QUEUE_OPTIONS_INIT and change what you need. */
typedef struct sq_queue_options {
    size_t size;                 /**< sizeof(sq_queue_options_t), so that later versions can add fields */
    sq_pool_t *SQ_NULLABLE pool; /**< whose threads run its async tasks; NULL: a thread of its own, see sq_queue_create */
    size_t capacity;             /**< how many async tasks may wait; 0: as many as there is memory for */
    size_t stack_size;           /**< bytes of stack of the queue's own thread, which it then keeps, in addition to its thread-local variables; 0: the system's default */
    size_t width;                /**< how many async tasks may run at a time; above 1: a concurrent queue (sq_barrier.h) */
    sq_priority_t priority;      /**< among the queues of its pool; without a pool it has no effect */
    bool helps;                  /**< a sync caller of a higher class of service runs the tasks ahead of it itself; see sq_service_t.
                                      Async tasks, and the functions of sq_run_and_wait, then leave the pool's threads. Without a pool, and if concurrent, it has no effect */
    sq_queue_t *SQ_NULLABLE target; /**< as sq_queue_set_target; not together with a pool. The queue is then serial, whatever its width. NULL: none */
} sq_queue_options_t;

/** The default options of a queue: serial, a thread of its own, no limit of capacity. */
#define SQ_QUEUE_OPTIONS_INIT { sizeof(sq_queue_options_t), NULL, 0, 0, 1, SQ_PRIORITY_NORMAL, false, NULL }

/** As the width of a queue: as many async tasks at a time as its pool runs. */
#define SQ_WIDTH_POOL SIZE_MAX

/**
 * Creates a queue. No thread is started.
 *
 * A queue without a pool has a thread of its own while it has something to run: the one that ran it last, if that is idle; else that of another idle
 * queue, or a new one. A thread that has been idle for half a second ends; up to 16 stay whose queues still exist. So do not rely on thread-local variables from one
 * task to a later one, and undo what a task changes of its thread (affinity, signal mask, locale). A queue with a stack_size keeps its thread, and that of
 * a loop (sq_loop.h) is always the same one.
 * If no thread can be started for an accepted task, the task runs as soon as one can.
 *
 * @param label UTF-8, copied; NULL means "". It names the queue in messages, and its thread: as far as the system permits, and if
 * it is too long, by what follows its last dot.
 * @param options NULL: the defaults.
 * @return The queue, with one reference; or NULL with errno ENOMEM, EINVAL (options of an unknown size, a capacity that cannot be
 * counted, an unknown priority, a pool and a target, or a stack size that the system does not accept) or ESTALE (a pool or target from
 * before a fork).
 */
sq_queue_t *SQ_NULLABLE sq_queue_create(const char *SQ_NULLABLE label, const sq_queue_options_t *SQ_NULLABLE options);

/**
 * Makes the queue run its tasks on another queue: one at a time, each in a turn of the target. So the queues of a serial target exclude each
 * other and its own tasks, in the order in which they became ready; a suspension of the target holds their tasks, too.
 *
 * Call it before the first use; options.target is the same. A target may be concurrent, on a pool or a loop, and have a target, too; keep chains short, as
 * what an asynchronous task costs grows with the square of their length. The first use of a queue (a submission, a timer, a member of a group, a
 * notification, a wait, a shutdown) fixes all of its targets, down to the last one. If a target was shut down, the queue's tasks run after its end.
 * Without memory for them, the submitting thread waits until there is some. The queue holds a reference to the target. If that is suspended when only such
 * references are left, it is shut down and its own tasks are discarded. A sync runs on the calling thread, in both turns. From a task of a serial target,
 * or a barrier of a concurrent one, it returns EDEADLK. In another task of a concurrent target it runs if the queue is free; otherwise it waits, or
 * returns EDEADLK if the target has a width other than SQ_WIDTH_POOL, was shut down, or has a barrier that waits for that task. A wait in a task of the
 * target for a group or an item of the queue is not refused, and hangs; so may a cycle through the width of a target.
 *
 * @return 0; EINVAL (the queue has a pool, or would be a target of itself), EBUSY (the queue, or one above it, was used), ENOMEM or ESTALE: nothing
 * changed.
 */
int sq_queue_set_target(sq_queue_t *queue, sq_queue_t *target);

/**
 * Adds a reference. The caller holds one already, or is a task of the queue. Any thread may call.
 *
 * @return The queue.
 */
sq_queue_t *sq_queue_retain(sq_queue_t *queue);

/**
 * Releases a reference. Never blocks; legal anywhere, also in the queue's own tasks. NULL is ignored.
 *
 * After the last release the accepted tasks still run; then the queue frees itself and its thread ends. If the queue is suspended
 * then, they are discarded, because nothing could resume it.
 */
void sq_queue_release(sq_queue_t *SQ_NULLABLE queue);

/**
 * Returns the label that the queue was created with.
 *
 * @return The label, "" if it has none. Valid as long as the caller's reference.
 */
const char *sq_queue_label(const sq_queue_t *queue);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
