/* sq_loop.h: queues on one of the program's own threads, run by its event loop.
 *
 * A loop pool has no threads. The program's thread runs it: all the time (sq_pool_run_forever: the main queue), or when the pool's
 * descriptor is readable, as one of the sources of an event loop (epoll, GLib, libuv):
 *
 *     while (epoll_wait(set, &event, 1, -1) >= 0) {
 *         if (event.data.fd == sq_pool_fd(pool)) {
 *             sq_pool_run_some(pool, 64, SQ_NOW);
 *         } else ...
 *     }
 *
 * The first thread that runs a loop pool, or calls sq_pool_own, owns it, until that thread ends. Tasks of a queue on the pool run on the owner only, as those
 * of DispatchQueue.main run on the main thread:
 *
 *     - async, timers, delayed tasks, items, groups: when the owner runs the pool
 *     - sync, sync_until, async_and_wait and run_and_wait of another thread: the same, and the caller waits
 *     - sync of the owner: runs what is ahead in that queue, then its own function, at once
 *     - sq_group_wait, sq_item_wait of the owner: run what is ready in the queues of the members, or of the item, up to the last of these
 *
 * A wait for a semaphore or a once runs nothing: don't wait there for something that only this thread can do. While no thread has run the pool, it has no
 * owner, and a wait for its queues may be a wait for any thread: it is not a deadlock, and lasts until one runs the pool. A thread that will run it later, and
 * waits first, becomes the owner by sq_pool_run_some(pool, 1, SQ_NOW). Dumps and stall notifications say that no thread runs a loop.
 *
 * If the owner waits for a task, and that task for the loop (by sync, or for a group or an item with a task there), one of the two waits
 * returns EDEADLK: the one with the earlier deadline, else the one that came last. Timers use the system's clock. The function of a
 * sq_sync_or_run on a queue that has ended runs on the calling thread.
 *
 * Such queues are serial. Their tasks run only while the pool is run: shut the queues down before you stop running it. Running a pool is no
 * cancellation point (sq_types.h). */
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
 * Queues are created on it with sq_queue_options_t.pool; they must be serial.
 *
 * @param label Copied; NULL means "". For deadlock reports.
 * @return The pool, with one reference; or NULL with errno ENOMEM, EMFILE or ENFILE (no file descriptor is left).
 */
sq_pool_t *SQ_NULLABLE sq_pool_create_loop(const char *SQ_NULLABLE label);

/**
 * Returns a file descriptor that is readable while tasks of the pool are ready or due.
 *
 * For poll, epoll and similar calls, level-triggered. Don't read, write or close it: a use of the pool then ends the
 * program with a message. It may occasionally become readable although
 * nothing is ready: then sq_pool_run_some returns 0. It belongs to the pool, and is closed with it. Any thread may call.
 *
 * @return The descriptor.
 * @retval -1 With errno EINVAL (not a loop pool) or ESTALE (a pool from before a fork).
 */
int sq_pool_fd(sq_pool_t *pool);

/**
 * Makes the calling thread the owner, as the first run does, but runs nothing.
 *
 * Call it on the thread that will run the loop, before that thread waits for anything: then a task that it waits for, and that waits for the
 * loop, gets EDEADLK. Without an owner both wait forever.
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
 * It returns when nothing is ready, or after that many tasks; then the descriptor stays readable if more are ready. Queues take turns. A task
 * may call it, too: a nested run, which runs the other queues. The first call makes the thread the owner.
 *
 * @param most At least 1; SIZE_MAX: no limit, so it does not return as long as tasks submit tasks. What a task itself runs, by a sync
 * onto another queue, does not count. Up to 64 tasks of a queue with a target count as one.
 * @return How many tasks it has run or discarded. If 0, errno is EAGAIN (nothing was ready, and `until` is SQ_NOW), ETIMEDOUT (nothing
 * became ready by the deadline), EPERM (another thread owns the pool), EINVAL (`most` is 0, or it is not a loop pool), ENOMEM, or ESTALE
 * (a pool from before a fork).
 */
size_t sq_pool_run_some(sq_pool_t *pool, size_t most, sq_time_t until);

/**
 * Runs the pool's tasks on this thread, and waits for more, until sq_pool_stop is called.
 *
 * On the main thread this makes the pool's queues main queues. A task may call it, too. The first call makes the thread the owner.
 *
 * @retval 0 sq_pool_stop was called. Tasks may still be ready.
 * @retval EPERM Another thread owns the pool.
 * @retval EINVAL It is not a loop pool.
 * @retval ENOMEM There was no memory.
 * @retval ESTALE The pool is from before a fork; also in the child of a fork that a task made.
 */
int sq_pool_run_forever(sq_pool_t *pool);

/**
 * Ends the innermost sq_pool_run_forever of the pool, or the next one if none runs.
 *
 * It returns after the tasks that the running queue's turn still has: at most 512. Stops do not add up. Any thread may
 * call, also in a task.
 *
 * @retval 0 It ends, or will not begin.
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
