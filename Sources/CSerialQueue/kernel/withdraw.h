/* withdraw.h: withdrawing a submitted asynchronous task before its turn. A waiting sync withdraws through its token (thread/token.h); its
 * slot stays, and the holder skips it when the grant fails.
 *
 * DESIGN. A CANCELLABLE is an asynchronous task whose memory belongs to its submitter. The slot holds two pointers into that memory: to
 * the task's functions, and to one word, the task's place. The values for queued work are those of
 * sq__ring_where in kernel_inline.h, the others are defined in kernel.h:
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

#include "kernel/kernel.h"

/* O. Takes the CANCELLABLE that is next, and for that the lock. Returns its kind, SQ__PAIR or SQ__JOB, with SQ__BARRIER if it is one, and *work; or
 * SQ__EMPTY if it has just been withdrawn: its slot is consumed, and counted as skipped. */
uintptr_t sq__withdraw_take(sq_queue_t *queue, sq__work_t *work);
