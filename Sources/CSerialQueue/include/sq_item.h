/* sq_item.h: a task that can be cancelled and waited for.
 *
 * An item that is cancelled while it waits in a queue leaves an empty slot of 32 bytes until its turn: the thread that runs the queue frees slots
 * in their order. So on a queue that makes no progress, each submission with a cancellation costs 32 bytes, whatever the queue's capacity. A
 * wait is no cancellation point (sq_types.h). */
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
 * Opaque and reference-counted; made by sq_item_create. An item has exactly one outcome: either `run` has returned, or the item will
 * never run and `discard` has returned. Others see the outcome only after this function has returned, so the function has released
 * by then what the context held.
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
     * The item may be submitted again, also while it waits or runs: each submission that gets its turn calls task->run. task->discard is called
     * once, when the item has no reference and no submission is left.
     *
     * Waits and notifications are for the latest submission or, if there is none yet, for the first one to come. A refused submission does not
     * count. Of two overlapping submissions either may be the latest. Earlier submissions may still wait or run when a wait ends: use
     * sq_group_submit_item and sq_group_wait to wait for all of them.
     */
    SQ_ITEM_REPEATS = 1,
    SQ_ITEM_BARRIER = 2 /**< on a concurrent queue the item runs alone, as a task of sq_async_barrier_task does */
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
 * that was never submitted is its outcome: the release calls task->discard, and waits for the item return ECANCELED; not in the child of a
 * fork, if the item is from before. NULL is ignored.
 */
void sq_item_release(sq_item_t *SQ_NULLABLE item);

/**
 * Returns the item's label.
 *
 * @return The label; "" if the item has none. Valid as long as the item.
 */
const char *sq_item_label(const sq_item_t *item);

/**
 * Submits the item to the queue, as sq_async_task does. Any thread may call.
 *
 * @retval 0 The item was submitted.
 * @retval EALREADY The item was submitted before.
 * @retval ECANCELED The item was cancelled before, or at the same time, and will never run.
 * @retval ENOMEM, EAGAIN, ESHUTDOWN As sq_async_task. Nothing was called, and the item can be submitted again.
 * @retval ESTALE The item or the queue is from before a fork.
 */
int sq_item_submit(sq_item_t *item, sq_queue_t *queue);

/**
 * Submits the item after a delay, as sq_async_task_after does.
 *
 * The item counts as submitted from this call on, but is not in the queue until the delay is over. A cancellation during the
 * delay ends the delay and releases the queue at once.
 *
 * @param delay Nanoseconds. 0: at once, in order with the caller's other submissions.
 * @retval 0, EALREADY, ECANCELED, ENOMEM, ESHUTDOWN, ESTALE As sq_item_submit. A full queue takes the item, too.
 */
int sq_item_submit_after(sq_item_t *item, sq_queue_t *queue, uint64_t delay);

/**
 * Runs the item on the calling thread, at once, in no queue's turn; waits for the item end when its task has returned.
 *
 * A wait for the item inside its own task returns EDEADLK. The task must return: no exception, longjmp or pthread_exit. Any thread may call.
 *
 * @retval 0 The task has returned.
 * @retval EALREADY The item was submitted or performed before, and does not repeat.
 * @retval ECANCELED The item was cancelled before.
 * @retval ENOMEM The item repeats, and there is no memory for one more run.
 * @retval ESTALE The item is from before a fork.
 */
int sq_item_perform(sq_item_t *item);

/**
 * Cancels the item, if it has not started.
 *
 * Also before the submission: then the item can never be submitted. If the item is in a queue, it no longer counts in sq_queue_depth, its place in a
 * bounded queue is free at once, and it counts as withdrawn. task->discard runs on the calling thread, with no lock held and no current queue,
 * even if the caller is a task. Any thread may call, also the item's own task. Never blocks.
 *
 * If the item repeats, no submission starts or is made after this: the latest one is withdrawn, and earlier ones are skipped in their turns; a run
 * in progress continues. The result is about the latest submission. task->discard is not called here.
 *
 * @retval 0 The item will never run, and task->discard has returned.
 * @retval EINPROGRESS The item runs, or is being discarded or cancelled; or another thread is submitting it, and will cancel it.
 * sq_item_is_cancelled returns true from this call on.
 * @retval EALREADY The item has an outcome.
 * @retval ESTALE The item is from before a fork.
 */
int sq_item_cancel(sq_item_t *item);

/**
 * Returns whether sq_item_cancel was called: a long task can check this, and return early. Any thread may call; one load.
 *
 * @return True after each sq_item_cancel that did not return ESTALE.
 */
bool sq_item_is_cancelled(const sq_item_t *item);

/**
 * Waits for the outcome.
 *
 * Any number of threads may wait, also in tasks, and also before the item is submitted. The wait runs ready tasks in two cases: all those of the
 * item's manual pool, and those of the item's queue on a loop that the calling thread owns.
 *
 * @retval 0 The item ran; what it wrote is visible.
 * @retval ECANCELED The item will never run: it was cancelled, discarded, or released without having been submitted.
 * @retval ETIMEDOUT The item had no outcome at the deadline.
 * @retval EAGAIN The item has no outcome, and the deadline is SQ_NOW.
 * @retval EDEADLK The item cannot end before this call returns, for example because the caller is the item; sq_deadlock_report
 * says why. If the item is submitted during the wait, the wait may end in this way.
 * @retval ENOMEM The call would have to wait, and there is no memory for the wait.
 * @retval ESTALE The call would have to wait, and the item is from before a fork. Or a task that the call ran has forked, and this is the child.
 */
SQ_USE_RESULT int sq_item_wait(sq_item_t *item, sq_time_t deadline);

/**
 * Submits a task to the queue once, when the item has an outcome, whichever it is; at once if the item has one already.
 *
 * Notifications are submitted in the order of their registration, after task->run or task->discard of the item has returned. The task needs no
 * room in a queue of limited capacity, and the notification keeps the queue alive. Without memory, the submission is tried again until it
 * succeeds. If the queue is shut down before the submission, the thread that caused the outcome calls task->discard, with no lock
 * held. `*task` is copied.
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
 * As sq_item_notify, in one order with its notifications. On a serial queue both calls do the same.
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
