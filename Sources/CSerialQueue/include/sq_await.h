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
 * The struct belongs to the caller, which fills in all but `reserved`. While the wait lasts, until `ended` begins or the await
 * is withdrawn, the struct must stay valid and must not move, and the caller keeps a reference to what it waits for.
 */
typedef struct sq_await {
    /** Called once, on any thread, outside every lock. It must not block. It may free the struct and release the object. */
    void (*ended)(struct sq_await *await);
    /** For `ended`; the library does not use it. */
    void *SQ_NULLABLE context;
    sq_await_entry_t reserved; /**< for the library only */
} sq_await_t;

/**
 * Takes a permit as sq_semaphore_wait does, or waits for one.
 *
 * Threads and awaits that wait get their permits in one FIFO order. What was written before the signal that gave
 * the permit is visible to the caller, or to `ended`. Never blocks; any thread may call.
 *
 * @retval 0 A permit was taken. `ended` will not be called.
 * @retval EINPROGRESS There is no permit yet. `await->ended` is called, with a permit, unless the await is withdrawn before.
 * @retval ESTALE It would have to wait, and the semaphore is from before a fork.
 */
SQ_USE_RESULT int sq_semaphore_await(sq_semaphore_t *semaphore, sq_await_t *await);

/**
 * Withdraws the wait.
 *
 * Takes constant time and never blocks. Any thread may call, once sq_semaphore_await has returned EINPROGRESS. The struct must
 * be valid, even if `ended` has been called.
 *
 * @return True: `ended` will not be called, no permit was taken, and the struct is not used any more. False: there is a
 * permit for it, and `ended` was called or is about to be.
 */
bool sq_semaphore_withdraw(sq_semaphore_t *semaphore, sq_await_t *await);

/**
 * Waits until the group has no members, as sq_group_wait does.
 *
 * It does not run the tasks of a manual pool.
 *
 * @retval 0 The group has no members. `ended` will not be called.
 * @retval EINPROGRESS It has. `await->ended` is called when the count next reaches zero, unless the await is withdrawn before.
 * @retval ESTALE It would have to wait, and the group is from before a fork.
 */
SQ_USE_RESULT int sq_group_await(sq_group_t *group, sq_await_t *await);

/**
 * Stops waiting.
 *
 * Takes constant time and never blocks. Any thread may call, once sq_group_await has returned EINPROGRESS. The struct must be
 * valid, even if `ended` has been called.
 *
 * @return True: `ended` will not be called, and the struct is not used any more. False: the count has reached zero, and
 * `ended` was called or is about to be.
 */
bool sq_group_withdraw(sq_group_t *group, sq_await_t *await);

/**
 * Waits for the outcome of an item, as sq_item_wait does.
 *
 * It does not run the tasks of a manual pool.
 *
 * @retval 0 The item ran. `ended` will not be called.
 * @retval ECANCELED It will never run. `ended` will not be called.
 * @retval EINPROGRESS It has no outcome yet. `await->ended` is called when it has one, unless the await is withdrawn before;
 * then sq_item_wait with SQ_NOW returns the outcome.
 * @retval ESTALE It would have to wait, and the item is from before a fork.
 * @retval EINVAL The item repeats: use sq_item_notify.
 */
SQ_USE_RESULT int sq_item_await(sq_item_t *item, sq_await_t *await);

/**
 * Stops waiting.
 *
 * Takes constant time and never blocks. Any thread may call, once sq_item_await has returned EINPROGRESS. The struct must be
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
