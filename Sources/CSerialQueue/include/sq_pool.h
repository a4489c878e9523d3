/* sq_pool.h: threads that several queues share.
 *
 * A queue on a pool has all guarantees of a queue. Its async tasks run on threads of the pool instead of a thread of its own.
 *
 * Queues on one pool take turns: after a batch of tasks, or about a millisecond, a queue goes to the back of its list.
 *
 *   - A pool of one or two threads has one list: turns are in FIFO order. A larger pool has one list per two threads.
 *   - If a task submits to another queue, that queue goes into the list of the task's thread. It runs next on that thread if nothing else waits,
 *     or on another thread if the task does not end at once.
 *   - A thread takes queues from other lists when its own list is empty, when another list has a queue of higher priority, and every few
 *     milliseconds.
 *
 * Every call may be made from any thread, while the caller holds a reference. No call is a cancellation point (sq_types.h), not even a release
 * that waits. */
#ifndef SQ_POOL_H
#define SQ_POOL_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * A class of service: what the threads of a pool ask the system for, once, when they start.
 *
 * A nice value is never below that of the main thread. An unprivileged thread cannot lower its nice value again, so no thread changes its
 * class. If the system refuses or does not know a setting, the threads do without: sq_pool_granted returns what is in effect.
 */
typedef enum sq_service {
    SQ_SERVICE_DEFAULT,     /**< the same as the main thread */
    SQ_SERVICE_INTERACTIVE, /**< short time slices (0.5 ms, Linux 6.12): the scheduler runs its threads sooner after a wake-up */
    SQ_SERVICE_UTILITY,     /**< nice 5: less processor time on a busy machine */
    SQ_SERVICE_BACKGROUND   /**< nice 10 and SCHED_BATCH: on a busy machine, the processor time that others leave */
} sq_service_t;

/**
 * What a pool is created with. Begin with SQ_POOL_OPTIONS_INIT and change what you need.
 *
 * A thread that is blocked in a call of this library, such as a sync within a task, does not count: another thread replaces it meanwhile,
 * without a limit. From 64 threads on, one more starts whenever all of them are blocked in this way.
 */
typedef struct sq_pool_options {
    size_t size;       /**< sizeof(sq_pool_options_t), so that later versions can add fields */
    size_t threads;    /**< how many tasks it runs at a time; 0: one per processor, and up to 64 while tasks block outside of this library */
    size_t stack_size; /**< bytes of stack of each thread, in addition to thread-local variables; 0: the system's default */
    sq_service_t service; /**< the class of all threads */
} sq_pool_options_t;

/** The default options of a pool: about one thread per processor, of the default class. */
#define SQ_POOL_OPTIONS_INIT { sizeof(sq_pool_options_t), 0, 0, SQ_SERVICE_DEFAULT }

/** What the system uses for a pool's threads. Begin with SQ_POOL_GRANTED_INIT. */
typedef struct sq_pool_granted {
    size_t size;          /**< sizeof(sq_pool_granted_t), so that later versions can add fields */
    sq_service_t service; /**< the class that was asked for */
    bool complete;        /**< everything that the class asks for is in effect */
    bool batch;           /**< SCHED_BATCH is in effect */
    int nice;             /**< the nice value */
    uint64_t slice;       /**< the length of a time slice in nanoseconds; 0: the system does not say (before Linux 6.12) */
} sq_pool_granted_t;

/** An sq_pool_granted_t for sq_pool_granted to fill in. */
#define SQ_POOL_GRANTED_INIT { sizeof(sq_pool_granted_t), SQ_SERVICE_DEFAULT, false, false, 0, 0 }

/**
 * Returns the pool that the process shares; the first call creates it. Borrowed: don't release it.
 *
 * The pool has about one thread per processor that the process may use (affinity and the control group's quota count).
 *
 * The pool grows, up to 64 threads, while ready queues wait and threads are blocked: within some tens of milliseconds if all threads are
 * blocked, later if only some are. It shrinks when blocked threads continue, or are idle. It does not grow for threads that compute: while
 * as many tasks compute as there are processors, its other queues wait. A later change of the main thread's affinity changes neither the
 * size nor threads that run already (taskset -a changes such threads).
 *
 * @return The pool, or NULL with errno ENOMEM (no memory, or no thread could be started).
 */
sq_pool_t *SQ_NULLABLE sq_pool_shared(void);

/**
 * Returns the pool of this class that the process shares. For the default class it is the pool of sq_pool_shared. Borrowed: don't release it.
 *
 * @return The pool, or NULL with errno ENOMEM (no memory, or no thread could be started) or EINVAL (no such class).
 */
sq_pool_t *SQ_NULLABLE sq_pool_shared_of(sq_service_t service);

/**
 * Creates a pool and starts one of its threads; the others start when they are needed.
 *
 * The call also starts the thread that all pools and timers of the process share, unless that thread is running already.
 *
 * @param label Copied; NULL means "". The label names the threads. If it is too long for the system, they get the part after its last
 * dot, truncated.
 * @param options NULL: the defaults.
 * @return The pool, with one reference; or NULL with errno ENOMEM (no memory, or no thread could be started) or EINVAL (options of
 * an unknown size, an unknown class, a stack size that the system does not accept, or 2^31 threads or more).
 */
sq_pool_t *SQ_NULLABLE sq_pool_create(const char *SQ_NULLABLE label, const sq_pool_options_t *SQ_NULLABLE options);

/**
 * Reads back what the system uses for the threads of the pool's class.
 *
 * A refusal by the system is never an error: nice values may be limited, a container may forbid the setting, and kernels before 6.12
 * ignore the length of a slice. The call starts a thread as the pool does, asks the system about that thread, and ends the thread: some
 * tens of microseconds.
 *
 * @retval 0 *granted is filled in.
 * @retval EINVAL An unknown size of *granted, or a pool without threads of its own (sq_pool_create_manual,
 * sq_pool_create_loop).
 * @retval ENOMEM No thread could be started.
 */
int sq_pool_granted(const sq_pool_t *pool, sq_pool_granted_t *granted);

/**
 * Creates a pool without threads, for tests.
 *
 * Tasks run when the test runs the pool, and timers use a clock that the test advances.
 *
 * A call that waits for a queue of such a pool (a sync, an async_and_wait, a shutdown, a wait for room) first runs the ready tasks of this
 * queue, on the calling thread. If several threads wait on a manual pool, one of them must keep calling sq_pool_run.
 * If only one thread runs the pool, the tasks of a concurrent queue that wait for later tasks, beyond the queue's width, never end.
 *
 * @return The pool, with one reference; or NULL with errno ENOMEM.
 */
sq_pool_t *SQ_NULLABLE sq_pool_create_manual(const char *SQ_NULLABLE label);

/**
 * Runs the ready tasks of a manual pool's queues, on this thread, one batch after the other, until nothing is ready.
 *
 * Timers that are due now run, too, and so do tasks that become ready during the call. Legal from a task, too.
 *
 * @return How many steps the call took; 0: nothing was ready, or it is not a manual pool. Don't compare the result with a number of tasks: a
 * discarded task and a cancelled firing are steps, and up to 64 tasks of a queue with a target are one step.
 */
size_t sq_pool_run(sq_pool_t *pool);

/**
 * Moves the clock of a manual pool forward; at the time of each timer on the way, runs what becomes ready.
 *
 * Timers fire in the order in which they are due. Don't call it from a task that this call runs.
 *
 * @return The same as sq_pool_run.
 */
size_t sq_pool_advance(sq_pool_t *pool, uint64_t nanoseconds);

/**
 * Returns the manual pool that the queue is on. Borrowed: valid as long as the caller's reference to the queue.
 *
 * @return The pool; NULL: the queue is not on a manual pool.
 */
sq_pool_t *SQ_NULLABLE sq_queue_manual_pool(const sq_queue_t *queue);

/**
 * Adds a reference. The shared pool needs none.
 *
 * @return The pool.
 */
sq_pool_t *sq_pool_retain(sq_pool_t *pool);

/**
 * Releases a reference. Never blocks; legal anywhere. NULL is ignored.
 *
 * A queue keeps its pool: the pool's threads end after its last queue has ended. Tasks that are left on a manual pool run only if a
 * thread runs the pool.
 */
void sq_pool_release(sq_pool_t *SQ_NULLABLE pool);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
