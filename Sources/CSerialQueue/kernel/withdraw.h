/* withdraw.h: taking back an asynchronous task that has been submitted, before its turn.
 *
 * DESIGN. A CLAIM is an asynchronous task whose memory belongs to its submitter. The slot holds two pointers into that memory: to
 * the task's functions, and to one word, the task's place:
 *
 *     0              not submitted
 *     where it lies  queued (sq__ring_where)
 *     ... | DELAYED  not queued yet: the address of its delay (delayed.c)
 *     OVER           its turn has come, or it was withdrawn
 *
 * The submitter writes the place before it publishes the slot. From then on the place changes only under the queue's lock,
 * to OVER, once: by the holder of the baton, which then owns the task, or by a thread that withdraws it. The latter turns
 * the slot's kind into GONE under the same lock. So a slot is never touched after the holder has passed over it, and the
 * task's memory never after it was withdrawn. What remains is an empty slot, which the next holder passes over. */
#ifndef SQ__KERNEL_WITHDRAW_H
#define SQ__KERNEL_WITHDRAW_H

#include "kernel/queue.h"

enum { SQ__NOT_SUBMITTED = 0, SQ__OVER = 2, SQ__DELAYED = 4 };

/* Withdraws the CLAIM with this place, and counts it as withdrawn. Returns false if its turn has come, or if it was never
 * submitted. On true the queue has no pointer to the task any more, and none of its functions will be called. *room: with a reference,
 * (*takes_baton: the caller passes the baton of a concurrent queue on)
 * where the caller gives back the room that the task took up; NULL: it took none. The call that submitted the task
 * has returned. The queue may be freed, if the task is not in it, or afterwards. */
bool sq__withdraw(sq_queue_t *queue, uintptr_t *place, sq__room_t **room, bool *takes_baton);

/* O. Takes the CLAIM at the head. Returns SQ__PAIR, or SQ__JOB if it took no room, and *work; or SQ__EMPTY: it was withdrawn at
 * this moment. */
uintptr_t sq__withdraw_take(sq_queue_t *queue, sq__work_t *work);

/* O. Passes over the GONE that is next. */
void sq__withdraw_pass(sq_queue_t *queue);

#endif
