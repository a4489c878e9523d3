/* async.h: submissions that are exempt from the capacity, and room that becomes free. */
#pragma once

#include "include/sq_async.h"
#include "include/sq_deferred.h"
#include "state/queue.h"

/* Submits work that needs no room: a DUE, or such a CANCELLABLE. Returns 0, ENOMEM, ESHUTDOWN, ESTALE, or EINVAL: it
 * has no function. */
int sq__async_due(sq_queue_t *queue, const sq__submission_t *submission);

/* The same, but not more than that: L; without the lock for work that cannot be withdrawn (SQ__NOTIFICATION). The queue has its runner. *passes is set to
 * true if the caller now holds the baton: it must release the lock, if it has it, and then pass the baton (sq__baton_pass). The queue exists until
 * then. Returns 0, ENOMEM or ESHUTDOWN. */
int sq__async_put(sq_queue_t *queue, const sq__submission_t *submission, bool *passes);

/* Gives back one room of a queue of limited capacity, whose capacity this is. Submits the deferred task that gets the room, if
 * one does, and calls its `decided`. The queue may be freed by then if no deferred task waits: a submitter of one holds a
 * reference. */
void sq__async_give_permit(sq_queue_t *queue, sq__permits_t *permits);

/* Refuses all requests for room: those that wait and those that come later. */
void sq__async_close_capacity(sq_queue_t *queue);

/* As sq__withdraw, and gives back the room. May call the `decided` of a task that waits for room. */
bool sq__async_withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place);

/* Makes sure that the queue can take tasks. Returns 0, ENOMEM, ESHUTDOWN or ESTALE. */
int sq__async_prepare(sq_queue_t *queue);

/* As sq_async_until, for work of any kind that takes up room. */
int sq__async_submit(sq_queue_t *queue, const sq__submission_t *submission);
