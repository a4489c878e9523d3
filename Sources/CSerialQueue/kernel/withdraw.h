/* withdraw.h: withdrawing a submitted asynchronous task before its turn. A waiting sync withdraws through its token (thread/token.h); its
 * slot stays, and the holder skips it when the grant fails.
 *
 * DESIGN. A CANCELLABLE is an asynchronous task whose memory belongs to its submitter. The slot holds two pointers into that memory: to
 * the task's functions, and to one word, the task's place. The values for queued work are those of
 * sq__ring_where in ring.h, the others are defined below:
 *
 *     0              not submitted (SQ__NOT_SUBMITTED)
 *     1              queued in the hand-off slot (SQ__IN_HANDOFF)
 *     a slot         queued there
 *     ... | DELAYED  not queued yet: the address of its delay (delayed.c)
 *     OVER           its turn has come, or it was withdrawn
 *
 * The submitter writes the place before it publishes the slot. From then on the place changes once, to OVER, under the queue's
 * lock: either by the baton's holder, which then owns the task, or by a thread that withdraws it. The latter also changes the
 * slot's kind to CANCELLED, under the same lock. So no thread accesses a slot after the holder has consumed it, or the task's memory
 * after the task was withdrawn. The next holder skips the cancelled slot. */
#pragma once

#include "state/queue.h"

enum { SQ__NOT_SUBMITTED = 0, SQ__OVER = 2, SQ__DELAYED = 4 };

/* Withdraws the CANCELLABLE with this place, and counts it as withdrawn. Call it after the call that submitted the task has returned.
 * Returns false if the task's turn has come, or if it is not queued: never submitted, or delayed. After true the queue has no pointer to the task, and
 * none of its functions will be called. Then *permits is the capacity to which the caller must return the task's permit, with a
 * reference, or NULL; and if *takes_baton, the caller must pass on the baton of a concurrent queue. If the task is not in the
 * queue, the queue may already be freed; if it was, the queue may be freed from the moment the slot is CANCELLED: the caller does not
 * touch it again unless it has the baton. */
bool sq__withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place, sq__permits_t **permits, bool *takes_baton);

/* O. Takes the CANCELLABLE that is next. Returns its kind, SQ__PAIR or SQ__JOB, with SQ__BARRIER if it is one, and *work; or SQ__EMPTY if it has
 * just been withdrawn. */
uintptr_t sq__withdraw_take(sq_queue_t *queue, sq__work_t *work);

/* O. Skips the next work, which is CANCELLED. */
void sq__withdraw_pass(sq_queue_t *queue);
