/* item_wait.c: waiting for a work item's outcome, and being notified of it.
 *
 * DESIGN. The state word decides between the outcome and a wait or notification that begins. Both sides change it by a
 * read-modify-write: if OVER comes first, the other finds it. If WAITED comes first, the thread that publishes finds it, and
 * takes the item's lock; the other thread holds that lock from setting the flag until it is on its list.
 *
 * Notifications that are registered after the outcome go to the list, too. NOTIFIES says that a thread, or an alarm, is submitting
 * those on the list. It repeats this until it finds the list empty, and then clears NOTIFIES, under the lock. So the order is
 * kept. */
#include "objects/item_wait.h"

#include "kernel/kernel.h"
#include "objects/object_lock.h"

#include <errno.h>

/* Called by the thread that has set NOTIFIES, with no lock held. Ends the waits. Returns the notifications to submit; NULL: there are none, and
 * NOTIFIES was cleared. */
static __attribute__((noinline)) sq__notification_t *end_waits(sq_item_t *item) {
    sq__item_lock(item);
    sq__notification_t *first = item->notices.first;
    item->notices = (sq__notifications_t){ 0 };
    sq_await_entry_t *awaits = sq__object_waiters_grant(&item->waiters);
    if (first == NULL) {
        sq__sub_acq_rel(&item->state, SQ__ITEM_NOTIFIES); /* [item] nothing but the lists, which the lock orders */
    }
    sq__item_unlock(item);
    sq__awaits_end(awaits);
    return first;
}

static void submit_more(void *item);

/* Submits this notification and those after it, by the thread that has set NOTIFIES. NULL: there is none. Takes over a reference. On return NOTIFIES
 * is cleared, or an alarm continues. */
static void submit_notices(sq_item_t *item, sq__notification_t *first) {
    while (first != NULL) {
        if (!sq__notification_submit_all(first, &(sq__notifier_t){ submit_more, item })) {
            return;
        }
        first = end_waits(item);
    }
    sq__item_drop(item);
}

static void submit_more(void *item) { submit_notices(item, end_waits(item)); }

void sq__item_publish(sq_item_t *item, bool ran) {
    uint32_t next, state = sq__load_relaxed(&item->state);
    do {
        next = state | SQ__ITEM_OVER | (ran ? SQ__ITEM_RAN : 0) | (state & SQ__ITEM_WAITED ? SQ__ITEM_NOTIFIES : 0);
        /* [item] release: what the item did. acquire: nothing but the lists, which the lock orders. */
    } while (!sq__cas_release(&item->state, &state, next));
    sq__notification_t *first = next & SQ__ITEM_NOTIFIES ? end_waits(item) : NULL;
    if (first != NULL) {
        sq__item_hold(item);
        submit_notices(item, first);
    }
}

/* A delayed item is not in the queue yet, but only a task of that queue can run it, so it counts. An item that is being withdrawn is in
 * no queue. An item that is over has granted its waits before another task of the queue began. */
static bool is_in_queue(const sq_item_t *item) {
    uint32_t state = sq__load_acquire(&item->state); /* [item] acquire: the queue and its pool */
    bool is_taken_back = (state & (SQ__ITEM_CANCELLED | SQ__ITEM_STARTED)) == SQ__ITEM_CANCELLED;
    return state & SQ__ITEM_ACCEPTED && !is_taken_back;
}

/* True: a thread that waits for this item cannot continue before a task of the queue `owner` ends. With the lock of the waits. */
static bool needs_queue(const sq__subject_t *subject, const void *owner) {
    const sq_item_t *item = subject->object;
    return owner == item || (is_in_queue(item) && item->queue == owner);
}

/* It has not started when a gate was read before this. A delayed item comes behind what waits there now. */
static uint64_t queued_in(const sq__subject_t *subject, const sq_queue_t *queue) {
    const sq_item_t *item = subject->object;
    return needs_queue(subject, queue) && sq__load_relaxed(&item->place) != SQ__OVER;
}

/* Only this owner's thread runs the item's queue, which may have been freed: another thread may cancel the item. */
static sq__runner_t find_owned(const sq__subject_t *subject, const sq__owner_t *owner) {
    const sq_item_t *item = subject->object;
    return is_in_queue(item) && sq__runner_is_owned_by(item->runner, owner) ? item->runner : 0;
}

static bool run_before(const sq__subject_t *subject, bool runs) {
    const sq_item_t *item = subject->object;
    return is_in_queue(item) && sq__runner_run_before(item->runner, item->entry, runs);
}

static const sq__runs_for_t runs_for = { find_owned, run_before };

/* True: the outcome is known, and is in *error. */
static bool is_over(sq_item_t *item, int *error) {
    uint32_t state = sq__load_acquire(&item->state); /* [item] acquire: what the item did */
    *error = state & SQ__ITEM_RAN ? 0 : ECANCELED;
    return state & SQ__ITEM_OVER;
}

/* L. The wait for it continues for another turn (item_record.h). */
static bool is_taken_over(const sq_item_t *item) { return item->first != NULL; }

/* The caller has a reference, and no lock. 0: the outcome is known, or another turn has taken the waits over; else ENOMEM, or the error of
 * sq__wait_end. */
static int wait_in_line(sq_item_t *item, sq_time_t deadline) {
    const sq__self_t *self = sq__self_listed();
    uint32_t flags = SQ__ITEM_WAITED | (sq__self_may_be_needed(self) ? SQ__ITEM_WATCHED : 0);
    const sq__subject_t subject = { .kind = "item", .label = item->label, .relation = "is in", .object = item,
                                    .call = item->pair.call, .needs = needs_queue, .queued = queued_in,
                                    .runs_for = &runs_for };
    sq__object_waiter_t waiter = { .wait.subject = &subject };
    int error = sq__wait_begin(&waiter.wait, false);
    if (error) {
        return error;
    }
    sq__item_lock(item);
    /* [item] acquire: the outcome, or ACCEPTED. release: WATCHED, for a submission that comes after. */
    bool waits = !(sq__or_acq_rel(&item->state, flags) & SQ__ITEM_OVER) && !is_taken_over(item);
    return sq__object_wait_and_unlock(sq__item_lock_of(item), &item->waiters, &waiter, waits, deadline);
}

/* EAGAIN: another turn has taken its waits over. */
static int wait_for_outcome(sq_item_t *item, sq_time_t deadline) {
    int outcome, error = wait_in_line(item, deadline);
    return error ? error : is_over(item, &outcome) ? outcome : EAGAIN;
}

/* sq_item_wait for a turn, or an item that does not repeat. The caller has a reference. EAGAIN also: another turn has taken its waits over. */
static int wait_for_one(sq_item_t *item, sq_time_t deadline) {
    int error;
    if (is_over(item, &error)) {
        return error;
    }
    if (item->process != sq__process()) {
        return ESTALE;
    }
    return deadline == SQ_NOW ? EAGAIN : wait_for_outcome(item, deadline);
}

/* The turn that has taken over the waits for this one, which the caller holds; NULL: none has. */
static sq_item_t *taken_over_by(const sq_item_t *turn) {
    sq__item_lock(turn);
    sq_item_t *first = turn->first;
    sq__item_unlock(turn);
    return first;
}

int sq_item_wait(sq_item_t *item, sq_time_t deadline) {
    int error;
    if (is_over(item, &error)) { /* never of one that repeats: it has no outcome of its own */
        return error;
    }
    sq_item_t *first, *last = sq__item_hold_last(item); /* the owners may release it during the wait */
    error = wait_for_one(last, deadline);
    if (error == EAGAIN && (first = taken_over_by(last)) != NULL) {
        error = wait_for_one(first, deadline);
    }
    sq__item_drop(last);
    return error;
}

/* Without a thread */

int sq_item_await(sq_item_t *item, sq_await_t *await) {
    int outcome;
    if (item->repeats) {
        return EINVAL;
    }
    if (is_over(item, &outcome)) {
        return outcome;
    }
    if (item->process != sq__process()) {
        return ESTALE;
    }
    sq__item_lock(item);
    bool waits = !(sq__or_acq_rel(&item->state, SQ__ITEM_WAITED) & SQ__ITEM_OVER) && !is_taken_over(item); /* [item] acquire: the outcome, if it is OVER */
    if (waits) {
        sq__object_waiters_append_await(&item->waiters, await);
    } else {
        (void)is_over(item, &outcome);
    }
    sq__item_unlock(item);
    return waits ? EINPROGRESS : outcome;
}

bool sq_item_withdraw(sq_item_t *item, sq_await_t *await) {
    sq__item_lock(item);
    bool is_withdrawn = sq__object_waiters_remove_await(&item->waiters, await, item->process);
    sq__item_unlock(item);
    return is_withdrawn;
}

/* sq_item_notify for a turn, or an item that does not repeat; `is_barrier`: sq_item_notify_barrier. The caller has a reference. */
static int notify_of_one(sq_item_t *item, sq_queue_t *queue, const sq_task_t *task, bool is_barrier) {
    sq__notification_t *notice;
    if (item->process != sq__process()) {
        return ESTALE;
    }
    int error = sq__notification_create(&notice, queue, task, is_barrier);
    if (error) {
        return error;
    }
    sq__item_lock(item);
    if (is_taken_over(item)) {
        item = item->first; /* has the same lock */
    }
    sq__notifications_append(&item->notices, notice);
    bool is_over = sq__or_acq_rel(&item->state, SQ__ITEM_WAITED) & SQ__ITEM_OVER; /* [item] acquire: the outcome. release: WAITED */
    bool submits = is_over && !(sq__or_acq_rel(&item->state, SQ__ITEM_NOTIFIES) & SQ__ITEM_NOTIFIES); /* [item] nothing more: the lock */
    sq__item_unlock(item);
    if (submits) {
        sq__item_hold(item); /* its owners may release it meanwhile */
        submit_more(item);
    }
    return 0;
}

static int notify(sq_item_t *item, sq_queue_t *queue, const sq_task_t *task, bool is_barrier) {
    sq_item_t *last = sq__item_hold_last(item);
    int error = notify_of_one(last, queue, task, is_barrier);
    sq__item_drop(last);
    return error;
}

int sq_item_notify(sq_item_t *item, sq_queue_t *queue, const sq_task_t *task) { return notify(item, queue, task, false); }

int sq_item_notify_barrier(sq_item_t *item, sq_queue_t *queue, const sq_task_t *task) { return notify(item, queue, task, true); }
