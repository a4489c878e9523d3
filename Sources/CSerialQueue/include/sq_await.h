/* sq_await.h: waiting for a semaphore, a group or an item without a thread. */
#ifndef SQ_AWAIT_H
#define SQ_AWAIT_H

#include "sq_group.h"
#include "sq_item.h"
#include "sq_semaphore.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

struct sq_await;

/** An entry in a list of waits; for the library only. */
typedef struct sq_await_entry {
    struct sq_await_entry *SQ_NULLABLE next;              /**< for the library only */
    struct sq_await_entry *SQ_NULLABLE *SQ_NULLABLE link; /**< for the library only */
    struct sq_await *SQ_NULLABLE await;                   /**< for the library only */
} sq_await_entry_t;

/**
 * A wait that calls a function when it ends.
 *
 * The struct belongs to the caller, which fills in all fields except `reserved`. While the wait lasts, the struct must stay valid and must
 * not move, and the caller must hold a reference to the object. The wait lasts until `ended` begins or the await is withdrawn.
 */
typedef struct sq_await {
    /** Called once, on any thread, with no lock held. Must not block, and must return: no exception, longjmp or pthread_exit. May free the struct
     * and release the object. If it ends other awaits, by a signal for example, their functions are called after it has returned; until then their
     * structs must stay valid, and they can no longer be withdrawn. */
    void (*ended)(struct sq_await *await);
    /** For `ended`; the library does not use it. */
    void *SQ_NULLABLE context;
    sq_await_entry_t reserved; /**< for the library only */
} sq_await_t;

/**
 * Takes a permit as sq_semaphore_wait does, or waits for a permit.
 *
 * Threads and awaits get permits in one FIFO order. What was written before the signal that gave the permit is visible to the caller, or
 * to `ended`. Never blocks; any thread may call.
 *
 * @retval 0 A permit was taken. `ended` will not be called.
 * @retval EINPROGRESS There is no permit yet. When there is one, it is taken and `await->ended` is called, unless the await is withdrawn before.
 * @retval ESTALE The await would have to wait, and the semaphore is from before a fork.
 */
SQ_USE_RESULT int sq_semaphore_await(sq_semaphore_t *semaphore, sq_await_t *await);

/**
 * Withdraws the wait.
 *
 * Takes constant time and never blocks. Any thread may call, after sq_semaphore_await has returned EINPROGRESS. The struct must
 * be valid, even if `ended` has been called.
 *
 * @return True: `ended` will not be called, no permit was taken, and the struct is not used any more. False: the await has a
 * permit, and `ended` was called or is about to be.
 */
bool sq_semaphore_withdraw(sq_semaphore_t *semaphore, sq_await_t *await);

/**
 * Waits until the group has no members, as sq_group_wait does.
 *
 * The await does not run tasks of a manual pool.
 *
 * @retval 0 The group has no members. `ended` will not be called.
 * @retval EINPROGRESS The group has members. `await->ended` is called when the count next reaches zero, unless the await is withdrawn before.
 * @retval ESTALE The await would have to wait, and the group is from before a fork.
 */
SQ_USE_RESULT int sq_group_await(sq_group_t *group, sq_await_t *await);

/**
 * Stops waiting.
 *
 * Takes constant time and never blocks. Any thread may call, after sq_group_await has returned EINPROGRESS. The struct must be
 * valid, even if `ended` has been called.
 *
 * @return True: `ended` will not be called, and the struct is not used any more. False: the count has reached zero, and
 * `ended` was called or is about to be.
 */
bool sq_group_withdraw(sq_group_t *group, sq_await_t *await);

/**
 * Waits for the outcome of an item, as sq_item_wait does.
 *
 * The await does not run tasks of a manual pool.
 *
 * @retval 0 The item ran. `ended` will not be called.
 * @retval ECANCELED The item will never run. `ended` will not be called.
 * @retval EINPROGRESS The item has no outcome yet. `await->ended` is called when there is an outcome, unless the await is withdrawn before. In
 * `ended`, sq_item_wait with SQ_NOW returns the outcome.
 * @retval ESTALE The await would have to wait, and the item is from before a fork.
 * @retval EINVAL The item repeats: use sq_item_notify.
 */
SQ_USE_RESULT int sq_item_await(sq_item_t *item, sq_await_t *await);

/**
 * Stops waiting.
 *
 * Takes constant time and never blocks. Any thread may call, after sq_item_await has returned EINPROGRESS. The struct must be
 * valid, even if `ended` has been called. The item itself is not cancelled.
 *
 * @return True: `ended` will not be called, and the struct is not used any more. False: the item has its outcome, and `ended`
 * was called or is about to be.
 */
bool sq_item_withdraw(sq_item_t *item, sq_await_t *await);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
