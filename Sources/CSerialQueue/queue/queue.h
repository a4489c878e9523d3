/* queue.h: what the rooms above submit to a queue, and what they must know of its calls. The public calls (include/) are defined in the files of this room. */
#pragma once

#include "include/sq_time.h"
#include "state/state_inline.h"

/* Submitting */

/* Makes sure that the queue can take tasks. Returns 0, ENOMEM, ESHUTDOWN or ESTALE. */
int sq__async_prepare(sq_queue_t *queue);

/* As sq_async_until, for work of any kind that takes up room. */
int sq__async_submit(sq_queue_t *queue, const sq__submission_t *submission);

/* Submits work that needs no room: a DUE, or such a CANCELLABLE. Returns 0, ENOMEM, ESHUTDOWN, ESTALE, or EINVAL: it
 * has no function. */
int sq__async_due(sq_queue_t *queue, const sq__submission_t *submission);

/* L; without the lock for work that cannot be withdrawn (SQ__NOTIFICATION). Puts valid work of that kind into the queue, which has its runner, and
 * does no more. *passes is set to true if the caller now holds the baton: it must release the lock, if it has it, and then pass the baton
 * (sq__baton_pass). The queue exists until then. Returns 0, ENOMEM or ESHUTDOWN. */
int sq__async_put(sq_queue_t *queue, const sq__submission_t *submission, bool *passes);

/* As sq__withdraw; also gives back the room, and passes the baton. May call the `decided` of a task that waits for room: no lock is held. */
bool sq__async_withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place);

/* What sq__targeted_fix does on a queue that may still be moved, or was fixed a moment ago. Takes the locks. */
void sq__targeted_fix_now(sq_queue_t *queue) __attribute__((cold));

/* Fixes the queue's target, that one's target, and so on: from now on sq_queue_set_target returns EBUSY for each of them. Comes before everything
 * that depends on them: a submission, a wait, a member of a group, a clock. The caller has none of the queues' locks. */
static inline void sq__targeted_fix(sq_queue_t *queue) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__MOVABLE, 0)) { /* [fixed] acquire: the targets, if they are fixed */
        sq__targeted_fix_now(queue);
    }
}

/* Running */

/* O. Passes the baton on, by a thread that does not run asynchronous tasks; ends the queue if it is to end. No lock is held. The caller does not
 * touch the queue again unless it has a reference. */
void sq__baton_pass(sq_queue_t *queue);

/* What runners call for the entry of a queue that they have taken: a sq__ready_function_t (runner/runner.h). Ends the queue if it is to end. */
sq__ready_end_t sq__run_queue(sq__ready_t *ready, size_t batch, size_t *ran);

/* Delayed tasks and timers that end with their queue: pending_timers.h */

/* A member of the delayed task or timer. L under the queue's lock. */
typedef struct sq__pending_timer {
    sq_function_t end;           /* O  called with this record, which is off the list; no lock is held, the queue is the current one */
    bool keeps_queue;            /* fixed  it has a reference to the queue, which is released when the queue is closed */
    struct sq__pending_timer *next;  /* L */
    struct sq__pending_timer **link; /* L  what points to it; NULL: it is not on the list */
} sq__pending_timer_t;

/* L. Adds it to the list. Returns 0, ESHUTDOWN or ENOMEM. */
int sq__pending_timers_add(sq_queue_t *queue, sq__pending_timer_t *pending);

/* L. Removes it from the list, which it is on: the end of the queue no longer concerns it. */
void sq__pending_timers_remove(sq_queue_t *queue, sq__pending_timer_t *pending);

/* L. False: it was removed from the list. */
static inline bool sq__pending_timers_is_listed(const sq__pending_timer_t *pending) { return pending->link != NULL; }
