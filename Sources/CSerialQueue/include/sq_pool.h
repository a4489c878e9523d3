/* sq_pool.h: threads that several queues share.
 *
 * A queue on a pool has all guarantees of a queue; only its async tasks run on a thread of the pool, not on one of its own.
 * A queue that a task submits to runs next on the task's thread if nothing else waits, or on another thread if the task does not end at once.
 * Queues on one pool take turns: after a batch of tasks, or about a millisecond, a queue goes to the back. On a pool of one or two threads the
 * turns are in FIFO order. In a larger one each two threads have a list of their own, so that they need not share one: a queue that a task
 * submits to goes into the list of the task's thread. Threads take from other lists when their own is empty, when
 * another one has a queue of higher priority, and every few milliseconds.
 * Every call may be made from any thread, while the caller holds a reference. None is a cancellation point (sq_types.h), also a release that waits. */
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
 * Nice values are at least those of the main thread. An unprivileged thread cannot lower a nice value again, so no thread changes its
 * class. What the system refuses or does not know is left out: sq_pool_granted reads back what is in effect.
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
 * A thread blocked in a call of this library, such as a sync within a task, does not count: another thread replaces it while it waits. The number of
 * threads has no limit: from 64 on, one more starts whenever all of them are blocked in this way.
 */
typedef struct sq_pool_options {
    size_t size;       /**< sizeof(sq_pool_options_t), so that later versions can add fields */
    size_t threads;    /**< how many tasks it runs at a time; 0: one per processor, and more, up to 64, while tasks block */
    size_t stack_size; /**< bytes of stack of each thread, besides its thread-local variables; 0: the system's default */
    sq_service_t service; /**< the class of its threads */
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
 * It has about one thread per processor that the process may use (its affinity and its control group's quota count). It grows, up
 * to 64 threads, while ready queues wait and its threads are blocked: within some tens of milliseconds if all are blocked, later
 * if only some are. It shrinks again when they continue, or are idle. It does not grow for threads that compute: while as many tasks
 * compute as there are processors, its other queues wait. A later change of the main thread's affinity has no effect on its size, nor on
 * threads that run already (taskset -a changes those).
 *
 * @return The pool, or NULL with errno ENOMEM (no memory, or no thread could be started).
 */
sq_pool_t *SQ_NULLABLE sq_pool_shared(void);

/**
 * Returns the pool of this class that the process shares, as sq_pool_shared. For the default class it is the pool of sq_pool_shared.
 *
 * @return The pool, or NULL with errno ENOMEM (no memory, or no thread could be started) or EINVAL (no such class).
 */
sq_pool_t *SQ_NULLABLE sq_pool_shared_of(sq_service_t service);

/**
 * Creates a pool and starts one thread of it; the others start when they are needed.
 *
 * It also starts the thread that all pools and timers of the process share, unless it is running already.
 *
 * @param label Copied; NULL means "". It names the threads; if it is too long for the system, they get the part after its last
 * dot, truncated.
 * @param options NULL: the defaults.
 * @return The pool, with one reference; or NULL with errno ENOMEM (no memory, or no thread could be started) or EINVAL (options of
 * an unknown size, an unknown class, a stack size that the system does not accept, or 2^31 threads or more).
 */
sq_pool_t *SQ_NULLABLE sq_pool_create(const char *SQ_NULLABLE label, const sq_pool_options_t *SQ_NULLABLE options);

/**
 * Reads back what the system uses for the threads of the pool's class.
 *
 * A refusal is never an error: nice values may be limited, a container may forbid the call, and kernels before 6.12 ignore the length
 * of a slice without an error. The call starts a thread as the pool does, asks the system about it, and ends it: some tens of
 * microseconds.
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
 * Tasks run when the test runs the pool, and timers follow a clock that the test advances.
 *
 * A call that waits for a queue of such a pool (a sync, an async_and_wait, a shutdown, a wait for room) first runs what that queue
 * has ready, on the calling thread. If several threads use such a pool, one of them must continue to run it.
 * On a concurrent queue, tasks that wait for later ones beyond the queue's width never end if one thread runs the pool.
 *
 * @return The pool, with one reference; or NULL with errno ENOMEM.
 */
sq_pool_t *SQ_NULLABLE sq_pool_create_manual(const char *SQ_NULLABLE label);

/**
 * Runs what the queues of a manual pool have ready, on this thread, one batch after the other, until nothing is ready.
 *
 * That includes timers that are due now, and what becomes ready while it runs. Legal from a task, too.
 *
 * @return How many tasks it has run or discarded, or skipped because it was a cancelled firing. What is discarded only because its queue
 * ends before it is due does not count. Up to 64 tasks of a queue with a target count as one. 0 on any other pool.
 */
size_t sq_pool_run(sq_pool_t *pool);

/**
 * Moves the clock of a manual pool forward; stops at each timer on the way and runs what becomes ready there.
 *
 * Timers fire in the order in which they are due. Don't call it from a task that it runs itself.
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
 * Queues keep their pool: its threads end after the last of them. Tasks that are left on a manual pool run only if a
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
