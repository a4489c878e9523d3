/* sq_item.h: a task that can be cancelled and waited for.
 *
 * An item that is cancelled while it waits in a queue leaves an empty slot there, 32 bytes, until its turn: slots are freed in their order, by
 * the thread that runs the queue. So each submission and cancellation on a queue that makes no progress costs that much, whatever its capacity
 * is. A wait is no cancellation point (sq_types.h). */
#ifndef SQ_ITEM_H
#define SQ_ITEM_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * A task that runs at most once, and whose outcome can be waited for.
 *
 * Opaque and reference-counted; made by sq_item_create. An item has exactly one outcome: its `run` has returned, or it will
 * never run and its `discard` has returned. The outcome is visible to others only after that function has returned, so what
 * the context held has been released by then.
 */
typedef struct sq_item sq_item_t;

/**
 * Makes an item with one reference.
 *
 * @param label A name for reports; copied. NULL: none.
 * @param task What it does. `*task` is copied. Exactly one of task->run and task->discard will be called, once.
 * @return The item, or NULL with errno ENOMEM, or EINVAL: task->run is NULL.
 */
sq_item_t *SQ_NULLABLE sq_item_create(const char *SQ_NULLABLE label, const sq_task_t *task);

/** What else an item does: flags of sq_item_options_t. */
typedef enum sq_item_flags {
    /**
     * It may be submitted again, also while it waits or runs: each submission that has its turn calls task->run. A wait or a notification is
     * for the submission that was made last; before the first, for that one. One that is refused was not made. Of two that overlap either may
     * be the last. Earlier ones may still wait or run when a wait has ended: sq_group_submit_item and sq_group_wait wait for all.
     * task->discard is called once, when the item has no reference and no submission is left.
     */
    SQ_ITEM_REPEATS = 1,
    SQ_ITEM_BARRIER = 2 /**< on a concurrent queue it runs alone, as sq_async_barrier_task */
} sq_item_flags_t;

/** What an item is made with. Begin with SQ_ITEM_OPTIONS_INIT and change what you need. */
typedef struct sq_item_options {
    size_t size;    /**< sizeof(sq_item_options_t), so that later versions can add fields */
    unsigned flags; /**< of sq_item_flags_t, combined by `|` */
} sq_item_options_t;

/** The default options of an item: none of the flags. */
#define SQ_ITEM_OPTIONS_INIT { sizeof(sq_item_options_t), 0 }

/**
 * Makes an item with options.
 *
 * @param options NULL: the defaults, as sq_item_create.
 * @return As sq_item_create. EINVAL also if options->size or a flag is unknown.
 */
sq_item_t *SQ_NULLABLE sq_item_create_with(const char *SQ_NULLABLE label, const sq_task_t *task, const sq_item_options_t *SQ_NULLABLE options);

/**
 * Adds a reference. The caller holds one already.
 *
 * @return The item.
 */
sq_item_t *sq_item_retain(sq_item_t *item);

/**
 * Releases a reference.
 *
 * Legal anywhere, also while the item waits, runs or is waited for. A submitted item still runs. The last release of an item
 * that was never submitted is its outcome: it calls task->discard, and what waits for the item ends with ECANCELED. NULL is
 * ignored.
 */
void sq_item_release(sq_item_t *SQ_NULLABLE item);

/**
 * Returns the item's label.
 *
 * @return The label, "" if it has none. Valid as long as the item.
 */
const char *sq_item_label(const sq_item_t *item);

/**
 * Submits the item to the queue, as sq_async_task does. Any thread may call.
 *
 * @retval 0 The item was submitted.
 * @retval EALREADY It was submitted before.
 * @retval ECANCELED It was cancelled before, or at the same time, and will never run.
 * @retval ENOMEM, EAGAIN, ESHUTDOWN As sq_async_task. Nothing was called, and the item can be submitted again.
 * @retval ESTALE The item or the queue is from before a fork.
 */
int sq_item_submit(sq_item_t *item, sq_queue_t *queue);

/**
 * Submits the item after a delay, as sq_async_task_after does.
 *
 * The item counts as submitted from this call on. Until the delay is over it is not in the queue; cancelling it then
 * ends the delay and releases the queue at once.
 *
 * @param delay Nanoseconds. 0: at once, in order with the caller's other submissions.
 * @retval 0, EALREADY, ECANCELED, ENOMEM, ESHUTDOWN, ESTALE As sq_item_submit. A full queue takes the item, too.
 */
int sq_item_submit_after(sq_item_t *item, sq_queue_t *queue, uint64_t delay);

/**
 * Runs the item on the calling thread, at once, in no queue's turn; what waits for it continues when its task has returned.
 *
 * A wait for it inside its own task is EDEADLK. The task must return: no exception, longjmp or pthread_exit. Any thread may call.
 *
 * @retval 0 The task has returned.
 * @retval EALREADY It was submitted or performed before. Not if it repeats: then this is one more run.
 * @retval ECANCELED It was cancelled before.
 * @retval ENOMEM It repeats, and there is no memory for one more run.
 * @retval ESTALE The item is from before a fork.
 */
int sq_item_perform(sq_item_t *item);

/**
 * Cancels the item, if it has not started.
 *
 * Legal before the item is submitted: then it never can be. The item's depth and room in the queue are free at once, and it
 * counts as withdrawn there, if its delay was over. task->discard runs on the calling thread, outside every lock, with
 * no current queue, also if the caller is a task. Any thread may call, the item's own run included. Never blocks.
 *
 * If the item repeats, none of its submissions starts after this, and none is made: the last one is withdrawn, and earlier ones are skipped in
 * their turns. What this returns is about the last one; an earlier one that runs continues. task->discard is not called here.
 *
 * @retval 0 It will never run, and task->discard has returned.
 * @retval EINPROGRESS It runs, is being discarded, or is being cancelled by another thread; a thread that is just submitting
 * the item cancels it instead of the caller. From now on sq_item_is_cancelled is true.
 * @retval EALREADY It has an outcome.
 * @retval ESTALE The item is from before a fork.
 */
int sq_item_cancel(sq_item_t *item);

/**
 * Whether sq_item_cancel was called: a long task can check this, and return early. Any thread may call; one load.
 *
 * @return True after a call of sq_item_cancel, whatever it returned except ESTALE.
 */
bool sq_item_is_cancelled(const sq_item_t *item);

/**
 * Waits for the outcome.
 *
 * Any number of threads may wait, tasks included, also before the item is submitted. On a manual pool it runs the tasks that are ready
 * there. On a loop that the calling thread owns it runs those that are ready in the item's queue.
 *
 * @retval 0 The item ran; what it wrote is visible.
 * @retval ECANCELED It will never run: it was cancelled, discarded, or released without having been submitted.
 * @retval ETIMEDOUT It had no outcome at the deadline.
 * @retval EAGAIN It has no outcome, and the deadline is SQ_NOW.
 * @retval EDEADLK It cannot end before this call returns, for example because the caller is the item; sq_deadlock_report
 * says why. An item that is submitted during the wait may end the wait in this way.
 * @retval ENOMEM It would have to wait, and there is no memory for that.
 * @retval ESTALE It would have to wait, and the item is from before a fork, or a task that the wait ran has forked and this is
 * the child.
 */
SQ_USE_RESULT int sq_item_wait(sq_item_t *item, sq_time_t deadline);

/**
 * Submits a task to the queue once, when the item has an outcome, whichever it is; at once if it has one already.
 *
 * Notifications are submitted in the order in which they were registered, after task->run or task->discard of the item has
 * returned. The task needs no room in a queue of limited capacity, and the notification keeps the queue alive. Submitting
 * cannot fail later for lack of memory: it is tried again until there is some. If the queue is shut down before that,
 * task->discard is called by the thread that caused the outcome, outside every lock. `*task` is copied.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called.
 * @retval ENOMEM There is no memory, or the queue's thread could not be started.
 * @retval ESHUTDOWN The queue is shut down.
 * @retval ESTALE The item or the queue is from before a fork.
 * @retval EINVAL task->run is NULL.
 */
SQ_USE_RESULT int sq_item_notify(sq_item_t *item, sq_queue_t *queue, const sq_task_t *task);

/**
 * Submits a barrier to the queue once, when the item has an outcome.
 *
 * As sq_item_notify, with which it shares the order; on a serial queue it is the same.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_item_notify.
 */
SQ_USE_RESULT int sq_item_notify_barrier(sq_item_t *item, sq_queue_t *queue, const sq_task_t *task);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
