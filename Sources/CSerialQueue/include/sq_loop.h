/* sq_loop.h: queues on one of the program's own threads, run by its event loop.
 *
 * A loop pool has no threads. A thread of the program runs it: all the time (sq_pool_run_forever: the main queue), or when the pool's
 * descriptor is readable, as one source of an event loop (epoll, GLib, libuv):
 *
 *     while (epoll_wait(set, &event, 1, -1) >= 0) {
 *         if (event.data.fd == sq_pool_fd(pool)) {
 *             sq_pool_run_some(pool, 64, SQ_NOW);
 *         } else ...
 *     }
 *
 * The owner of a loop pool is the first thread that runs it or calls sq_pool_own, until that thread ends. Tasks of the pool's queues run on the owner
 * only, as tasks of DispatchQueue.main run on the main thread:
 *
 *     what                                                               runs when
 *     async, timers, delayed tasks, items, groups                        the owner runs the pool
 *     sync, sync_until, async_and_wait, run_and_wait of another thread   the owner runs the pool; the caller waits
 *     sync of the owner                                                  at once, after the tasks ahead of it in that queue
 *
 * Waits of the owner: sq_group_wait and sq_item_wait run ready tasks of the queues concerned until the group is empty or the item is done. A wait
 * for a semaphore or a once runs nothing: don't wait there for something that only the owner can do.
 *
 * Until a thread has run the pool, the pool has no owner. A wait for its queues is then not a deadlock: the wait lasts until a thread runs the
 * pool. If a thread will run the pool later, but waits first, it should call sq_pool_own before. Dumps and stall notifications say when no thread
 * runs a loop.
 *
 * If the owner waits for a task, and that task waits for the loop (by a sync, or for a group or an item with a task there), one of the two waits
 * returns EDEADLK: the wait with the earlier deadline, or, if the deadlines are equal, the wait that began last.
 *
 * Such queues are serial. Their tasks run only while the pool is run: shut the queues down before you stop running it. Timers use the system's
 * clock. If a queue has ended, sq_sync_or_run runs its function on the calling thread. Running a pool is no cancellation point (sq_types.h). */
#ifndef SQ_LOOP_H
#define SQ_LOOP_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates a pool that one of the program's own threads runs.
 *
 * To create a queue on the pool, set sq_queue_options_t.pool. The queue must be serial.
 *
 * @param label Copied; NULL means "". For deadlock reports.
 * @return The pool, with one reference; or NULL with errno ENOMEM, EMFILE or ENFILE (no file descriptor is left).
 */
sq_pool_t *SQ_NULLABLE sq_pool_create_loop(const char *SQ_NULLABLE label);

/**
 * Returns a file descriptor that is readable while tasks of the pool are ready or due.
 *
 * For poll, epoll and similar calls, level-triggered. Don't read, write or close the descriptor: the next use of the pool would end the
 * program with a message. The descriptor may occasionally be readable although nothing is ready: then sq_pool_run_some returns 0. It
 * belongs to the pool, and is closed with the pool. Any thread may call.
 *
 * @return The descriptor.
 * @retval -1 With errno EINVAL (not a loop pool) or ESTALE (a pool from before a fork).
 */
int sq_pool_fd(sq_pool_t *pool);

/**
 * Makes the calling thread the owner, as the first run does, but runs nothing.
 *
 * Call it on the thread that will run the loop, before this thread waits for anything. If the thread then waits for a task that waits for the
 * loop, one of the two gets EDEADLK. Without an owner both wait forever.
 *
 * @retval 0 The thread owns the pool.
 * @retval EPERM Another thread owns the pool.
 * @retval EINVAL It is not a loop pool.
 * @retval ENOMEM There was no memory.
 * @retval ESTALE The pool is from before a fork.
 */
int sq_pool_own(sq_pool_t *pool);

/**
 * Runs at most `most` ready tasks, on this thread; if none is ready, waits for one until the deadline.
 *
 * Returns when nothing is ready, or after `most` tasks; if more are ready, the descriptor stays readable. Queues take turns. A task may
 * call this, too: such a nested run runs the other queues. The first call makes the thread the owner.
 *
 * @param most At least 1. SIZE_MAX: no limit; then the call does not return as long as tasks submit tasks. A function that a task runs by a
 * sync onto another queue does not count. Up to 64 tasks of a queue with a target count as one.
 * @return How many tasks it has run or discarded. If 0, errno is EAGAIN (nothing was ready, and `until` is SQ_NOW), ETIMEDOUT (nothing
 * became ready by the deadline), EPERM (another thread owns the pool), EINVAL (`most` is 0, or it is not a loop pool), ENOMEM, or ESTALE
 * (a pool from before a fork).
 */
size_t sq_pool_run_some(sq_pool_t *pool, size_t most, sq_time_t until);

/**
 * Runs the pool's tasks on this thread, and waits for more, until sq_pool_stop is called.
 *
 * On the main thread this makes the pool's queues main queues. A task may call this, too. The first call makes the thread the owner.
 *
 * @retval 0 sq_pool_stop was called. Tasks may still be ready.
 * @retval EPERM Another thread owns the pool.
 * @retval EINVAL It is not a loop pool.
 * @retval ENOMEM There was no memory.
 * @retval ESTALE The pool is from before a fork, or a task has forked and this is the child.
 */
int sq_pool_run_forever(sq_pool_t *pool);

/**
 * Ends the innermost sq_pool_run_forever of the pool. If none runs, the next one returns at once.
 *
 * The run returns after at most 512 more tasks. Several stops before a run end one run. Any thread may call, also in a task.
 *
 * @retval 0 The run ends, or the next one will not begin.
 * @retval EINVAL It is not a loop pool.
 * @retval ESTALE The pool is from before a fork.
 */
int sq_pool_stop(sq_pool_t *pool);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
