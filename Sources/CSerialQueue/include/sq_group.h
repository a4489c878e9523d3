/* sq_group.h: waiting for many tasks.
 *
 * A wait is no cancellation point (sq_types.h). */
#ifndef SQ_GROUP_H
#define SQ_GROUP_H

#include "sq_async.h"
#include "sq_item.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * A group of tasks, on any queues, whose common end can be waited for.
 *
 * Opaque and reference-counted; made by sq_group_create. A group counts its members. sq_group_enter and sq_group_async add a
 * member; sq_group_leave and the outcome of a submitted task remove the member. Every time the count reaches zero, the pending waits
 * and notifications end. A group can be used again after that, even before the waiting threads have run.
 */
typedef struct sq_group sq_group_t;

/**
 * Makes a group with no members and one reference.
 *
 * @param label A name for reports; copied. NULL: none.
 * @return The group, or NULL with errno ENOMEM.
 */
sq_group_t *SQ_NULLABLE sq_group_create(const char *SQ_NULLABLE label);

/**
 * Adds a reference. The caller holds one already.
 *
 * @return The group.
 */
sq_group_t *sq_group_retain(sq_group_t *group);

/**
 * Releases a reference.
 *
 * Legal anywhere, also while the group has members: then the end of the last member submits the notifications and frees the group, and
 * members that have entered may still call sq_group_leave. NULL is ignored.
 */
void sq_group_release(sq_group_t *SQ_NULLABLE group);

/**
 * Returns the group's label.
 *
 * @return The label; "" if the group has none. Valid as long as the group.
 */
const char *sq_group_label(const sq_group_t *group);

/**
 * Adds a member. Balance it by sq_group_leave. Never blocks; any thread may call.
 *
 * @retval 0 The member was added.
 * @retval EOVERFLOW The group has 2^29 entered members already. Nothing changed.
 */
int sq_group_enter(sq_group_t *group);

/**
 * Removes a member that sq_group_enter added. Never blocks; any thread may call.
 *
 * @retval 0 The member was removed. What was written before is visible to the threads that wait.
 * @retval EINVAL No entered member is left: this is one leave too many. Nothing changed.
 * @retval ESTALE This is the child of a fork, and the member is the last one; and threads or notifications of the parent wait for the group, or
 * the parent has released its last reference. Nothing changed.
 */
int sq_group_leave(sq_group_t *group);

/**
 * Submits `function(context)` to the queue as sq_async does, as a member of the group.
 *
 * The member leaves at the outcome of the task: when the function has returned, or when the task was discarded.
 *
 * @retval 0 The task was submitted.
 * @retval ENOMEM, EAGAIN, ESHUTDOWN, ESTALE, EINVAL As sq_async. The group is unchanged when the call returns; during the call other threads may
 * see one more member.
 */
int sq_group_async(sq_group_t *group, sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Submits a task that owns its context, as a member of the group.
 *
 * As sq_group_async; the member leaves when task->run or task->discard has returned. `*task` is copied.
 *
 * @retval 0 The task was submitted: exactly one of task->run and task->discard will be called.
 * @retval ENOMEM, EAGAIN, ESHUTDOWN, ESTALE, EINVAL As sq_async_task: nothing will be called. The group: as sq_group_async.
 */
SQ_USE_RESULT int sq_group_async_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task);

/**
 * Submits `call(first, second, runs)`, as a member of the group.
 *
 * As sq_async_pair; the member leaves when `call` has returned.
 *
 * @retval 0 The task was submitted: `call` will be called exactly once.
 * @retval ENOMEM, EAGAIN, ESHUTDOWN, ESTALE, EINVAL As sq_async_pair with SQ_NOW: nothing will be called. The group: as
 * sq_group_async.
 */
SQ_USE_RESULT int sq_group_async_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first,
                        void *SQ_NULLABLE second);

/**
 * Submits a barrier that owns its context, as a member of the group.
 *
 * As sq_async_barrier_task; on a serial queue the same as sq_group_async_task.
 *
 * @retval 0 The task was submitted: exactly one of task->run and task->discard will be called.
 * @retval ENOMEM, EAGAIN, ESHUTDOWN, ESTALE, EINVAL As sq_async_barrier_task: nothing will be called. The group: as sq_group_async.
 */
SQ_USE_RESULT int sq_group_async_barrier_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task);

/**
 * Submits a barrier with two words of context, as a member of the group.
 *
 * As sq_async_barrier_pair; on a serial queue the same as sq_group_async_pair.
 *
 * @retval 0 The task was submitted: `call` will be called exactly once.
 * @retval ENOMEM, EAGAIN, ESHUTDOWN, ESTALE, EINVAL As sq_async_barrier_pair: nothing will be called. The group: as sq_group_async.
 */
SQ_USE_RESULT int sq_group_async_barrier_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first,
                        void *SQ_NULLABLE second);

/**
 * Submits a work item, as sq_item_submit does, as a member of the group.
 *
 * The member leaves when the item has its outcome: it has run, was discarded, or was cancelled. Others see the outcome before the member leaves.
 *
 * Known limit: on a concurrent queue, an item may be behind a barrier that waits for the caller of sq_group_wait. This deadlock is not found:
 * sq_group_wait hangs. sq_item_wait finds it.
 *
 * @retval 0 The item was submitted.
 * @retval EALREADY, ECANCELED, ENOMEM, EAGAIN, ESHUTDOWN, ESTALE As sq_item_submit. The group: as sq_group_async.
 */
int sq_group_submit_item(sq_group_t *group, sq_item_t *item, sq_queue_t *queue);

/**
 * Waits until the group has no members.
 *
 * The wait ends when the count next reaches zero; members that are added later do not extend the wait. Any thread may call, also in a task:
 * while a thread of a pool waits, another thread replaces it. The wait runs ready tasks in two cases, as they would otherwise never run: all
 * those of a member's manual pool, and those of a member's queue on a loop that the calling thread owns.
 *
 * @retval 0 The group had no members at some moment of the call. What the members wrote is visible.
 * @retval ETIMEDOUT The group still had members at the deadline.
 * @retval EAGAIN The group has members, and the deadline is SQ_NOW.
 * @retval EDEADLK A member on a queue cannot end before this call returns; sq_deadlock_report says why. If a member that is added later closes
 * such a cycle, the wait ends with EDEADLK then.
 * @retval ENOMEM The call would have to wait, and there is no memory for the wait.
 * @retval ESTALE The call would have to wait, and the group is from before a fork. Or a task that the call ran has forked, and this is the child.
 */
SQ_USE_RESULT int sq_group_wait(sq_group_t *group, sq_time_t deadline);

/**
 * Submits a task to the queue once, when the group has no members.
 *
 * At once if the group has no members now, otherwise when the count next reaches zero. Notifications are submitted in the order of their
 * registration. The task needs no room in a queue of limited capacity, and the notification keeps the queue alive. Without memory, the
 * submission is tried again until it succeeds. If the queue is shut down before the submission, the thread that ended the last
 * member calls task->discard, with no lock held. `*task` is copied.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called.
 * @retval ENOMEM There is no memory, or the queue's thread could not be started.
 * @retval ESHUTDOWN The queue is shut down.
 * @retval ESTALE The group or the queue is from before a fork.
 * @retval EINVAL task->run is NULL.
 */
SQ_USE_RESULT int sq_group_notify(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task);

/**
 * Submits a barrier to the queue once, when the group has no members.
 *
 * As sq_group_notify, in one order with its notifications. On a serial queue both calls do the same.
 *
 * @retval 0 Exactly one of task->run and task->discard will be called.
 * @retval ENOMEM, ESHUTDOWN, ESTALE, EINVAL As sq_group_notify.
 */
SQ_USE_RESULT int sq_group_notify_barrier(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
