/* sq_pool.h: threads that several queues share.
 *
 * A queue on a pool keeps every promise of a queue; only its async tasks run on a thread of the pool, not on one of its own.
 * Queues on one pool take turns in FIFO order: after a batch of tasks, or about a millisecond, a queue goes to the back.
 * Every call may be made from any thread, while the caller holds a reference. */
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
 * What a pool is created with. Begin with SQ_POOL_OPTIONS_INIT and change what you need.
 *
 * A thread blocked in a call of this library, such as a sync within a task, does not count: another replaces it meanwhile, up to
 * 64 in total, and one more whenever all of them are blocked so.
 */
typedef struct sq_pool_options {
    size_t size;       /**< sizeof(sq_pool_options_t), so that later versions can add fields */
    size_t threads;    /**< how many tasks it runs at a time; 0: one per processor, and more, up to 64, while tasks block */
    size_t stack_size; /**< bytes of stack of each thread; 0: the system's default */
} sq_pool_options_t;

/** The default options of a pool: about one thread per processor. */
#define SQ_POOL_OPTIONS_INIT { sizeof(sq_pool_options_t), 0, 0 }

/**
 * Returns the pool that the process shares; the first call creates it. Borrowed: don't release it.
 *
 * It has about one thread per processor that the process may use (its affinity and its control group's quota count). It grows, up
 * to 64 threads, while ready queues wait and its threads are blocked: within some tens of milliseconds if all are blocked, later
 * if only some are. It shrinks again when they continue, or are idle.
 *
 * @return The pool, or NULL with errno ENOMEM (no memory, or no thread could be started).
 */
sq_pool_t *SQ_NULLABLE sq_pool_shared(void);

/**
 * Creates a pool and starts one thread of it; the others start when they are needed.
 *
 * It also starts the thread that all pools and timers of the process share, if it is not there yet.
 *
 * @param label Copied; NULL means "". It names the threads: as far as the system permits, and if it is too long, by what follows
 * its last dot.
 * @param options NULL: the defaults.
 * @return The pool, with one reference; or NULL with errno ENOMEM (no memory, or no thread could be started) or EINVAL (options of
 * an unknown size, or a stack size that the system does not accept).
 */
sq_pool_t *SQ_NULLABLE sq_pool_create(const char *SQ_NULLABLE label, const sq_pool_options_t *SQ_NULLABLE options);

/**
 * Creates a pool without threads, for tests: tasks run when the test runs the pool, and timers follow a clock that the test moves.
 *
 * A call that waits for a queue of such a pool (a sync, an async_and_wait, a shutdown, a wait for room) first runs what that queue
 * has ready, on the calling thread. If several threads use such a pool, one of them must continue to run it.
 *
 * @return The pool, with one reference; or NULL with errno ENOMEM.
 */
sq_pool_t *SQ_NULLABLE sq_pool_create_manual(const char *SQ_NULLABLE label);

/**
 * Runs what the queues of a manual pool have ready, on this thread, in turns, until nothing is ready.
 *
 * That includes timers that are due now, and what becomes ready meanwhile. Legal from a task, too.
 *
 * @return How many tasks it has run or discarded, or passed over (a cancelled firing). What is discarded only because its queue
 * ends before it is due does not count. 0 on any other pool.
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
 * Queues keep their pool: its threads end after the last of them. What the queues of a manual pool still have to run then needs a
 * thread that runs it.
 */
void sq_pool_release(sq_pool_t *SQ_NULLABLE pool);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
