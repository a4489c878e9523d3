/* item_submit.c: submitting an item, or one turn of an item that repeats, and cancelling it. item_record.h has the design. */
#include "objects/item_submit.h"

#include "gate/gate_inline.h"
#include "include/sq_private.h"
#include "objects/item.h"
#include "objects/member_count.h"
#include "queue/queue.h"
#include "state/state_inline.h"
#include "thread/explored.h"
#include "timer/timer.h"
#include "wait/wait.h"

#include <errno.h>

/* Withdraws the item from its queue, or from its delay. True: it was discarded, and the queue's reference is dropped. False: it has had its turn. The
 * item was accepted; the caller has a reference, and no lock. */
static bool take_back(sq_item_t *item) {
    if (!sq__delayed_withdraw(item->queue, &item->place) && !sq__async_withdraw(item->queue, &item->place)) {
        return false;
    }
    sq__item_discard(item);
    sq__item_drop(item);
    return true;
}

/* Called by the thread that set CANCELLED, or by the submitter that found it set after the item was accepted. Returns as sq_item_cancel. The caller
 * has a reference, and no lock. */
static int cancel_accepted(sq_item_t *item) {
    if (take_back(item)) {
        return 0;
    }
    /* [item] release: the cancellation. acquire: the outcome, if there is one. */
    uint32_t state = sq__or_acq_rel(&item->state, SQ__ITEM_STARTED);
    if (state & SQ__ITEM_WATCHED && !(state & SQ__ITEM_OVER)) {
        sq__deadlock_look_again(item);
    }
    return state & SQ__ITEM_OVER ? EALREADY : EINPROGRESS;
}

int sq__item_cancel_one(sq_item_t *item) {
    if (item->process != sq__process()) {
        return ESTALE;
    }
    if (!(sq__load_relaxed(&item->state) & (SQ__ITEM_OVER | SQ__ITEM_CANCELLED))) {
        sq__explored_pause("cancels item", item->label, NULL); /* the item may begin first */
    }
    /* [item] acquire: the queue and the place, if it is ACCEPTED; the outcome, if it is OVER. */
    uint32_t state = sq__or_acq_rel(&item->state, SQ__ITEM_CANCELLED);
    if (state & SQ__ITEM_OVER) {
        return EALREADY;
    }
    if (state & SQ__ITEM_CANCELLED || (state & (SQ__ITEM_SUBMITTED | SQ__ITEM_ACCEPTED)) == SQ__ITEM_SUBMITTED) {
        return EINPROGRESS;
    }
    sq__item_hold(item); /* its functions may release the caller's reference */
    int error = 0;
    if (state & SQ__ITEM_ACCEPTED) {
        error = cancel_accepted(item);
    } else {
        sq__item_discard(item);
    }
    sq__item_drop(item);
    sq__explored_pause_after();
    return error;
}

/* Submitting */

int sq__item_begin(sq_item_t *item) {
    uint32_t state = sq__load_relaxed(&item->state);
    if (item->process != sq__process()) {
        return ESTALE;
    }
    do {
        if (state & (SQ__ITEM_SUBMITTED | SQ__ITEM_CANCELLED)) {
            return state & SQ__ITEM_SUBMITTED ? EALREADY : ECANCELED;
        }
        /* [item] acquire: what another submitter, that was refused, did with the item. */
    } while (!sq__cas_acquire(&item->state, &state, state | SQ__ITEM_SUBMITTED));
    return 0;
}

/* By its submitter: the item was refused, and may be submitted again. False: it was cancelled since then, and the canceller has left the rest to
 * us. */
static bool renew(sq_item_t *item) {
    uint32_t state = sq__load_relaxed(&item->state);
    while (!(state & SQ__ITEM_CANCELLED)) {
        /* [item] release: what we did with the item. */
        if (sq__cas_release(&item->state, &state, state & ~(uint32_t)SQ__ITEM_SUBMITTED)) {
            return true;
        }
    }
    return false;
}

/* Called when the queue has refused the item: undoes what the submission has set, counted and referenced. Returns the error, or ECANCELED: the item
 * was cancelled meanwhile, and is discarded. The caller has a reference. */
static int refuse(sq_item_t *item, int error) {
    sq__runner_t runner = item->runner;
    sq__member_count_t *member_count = item->member_count;
    item->runner = 0;
    item->member_count = NULL;
    sq__item_drop(item); /* the queue's; not the last */
    if (member_count != NULL) {
        sq__member_count_cancel(member_count);
    }
    sq__runner_release(runner);
    if (item->origin != NULL) { /* a turn that was never made */
        sq__item_drop_origin(item->origin); /* not the last: the caller has one */
    } else if (!renew(item)) {
        sq__item_discard(item);
        error = ECANCELED;
    }
    return error;
}

/* Called when the queue has accepted the item. Returns 0, or ECANCELED: it was cancelled meanwhile, and does not run. The caller has a reference; the
 * item may be over. */
static int accept(sq_item_t *item) {
    /* [item] release: the queue and the place. acquire: WATCHED, or not: then that wait will find it ACCEPTED. */
    uint32_t state = sq__or_acq_rel(&item->state, SQ__ITEM_ACCEPTED);
    if (item->origin != NULL && sq__item_turn(item) == SQ__TURN_REFUSED) {
        (void)take_back(item); /* else its turn has come, and passes */
        return ECANCELED;
    }
    if (state & SQ__ITEM_CANCELLED) { /* cancelled since then; the canceller has left the rest to us */
        return cancel_accepted(item) == 0 ? ECANCELED : 0;
    }
    if (state & SQ__ITEM_WATCHED && !(state & SQ__ITEM_OVER)) {
        sq__deadlock_look_again(item);
    }
    return 0;
}

/* The caller has begun: no other thread submits it. The caller has a reference. `member_count`: where it is counted as pending; NULL: it is no member
 * of a group. Returns 0, or an error: the item was refused, or cancelled. */
static int submit(sq_item_t *item, sq_queue_t *queue, sq__member_count_t *member_count, const sq__item_call_t *how) {
    const sq__submission_t submission = {
        .work.cancellable = { .place = &item->place, .pair = &item->pair, .is_exempt = how->is_delayed },
        .kind = SQ__CANCELLABLE | (item->is_barrier ? sq__barrier_on(queue) : 0), .site = how->site
    };
    int error;
    item->queue = queue;
    item->member_count = member_count;
    sq__targeted_fix(queue);
    item->runner = sq__runner_retain(sq__queue_threadless_runner(queue, &item->entry));
    sq__item_hold(item); /* the queue's, or the delay's */
    if (how->is_delayed) {
        error = sq__delayed_submit(queue, how->delay, &submission);
        error = error ? sq__queue_reject(queue, error) : 0;
    } else {
        error = sq__async_submit(queue, &submission);
    }
    if (error) {
        return refuse(item, error);
    }
    if (member_count != NULL) {
        sq__member_count_confirm_item(member_count);
    }
    return accept(item);
}

int sq__item_submit_begun(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how) {
    sq__member_count_t *member_count = NULL;
    sq__item_hold(item); /* its functions may release the caller's reference */
    int error = how->group != NULL ? sq__member_count_begin(how->group, queue, &member_count) : 0;
    if (error) { /* it is refused like one that the queue has not accepted */
        sq__item_hold(item);
        error = refuse(item, sq__queue_reject(queue, error));
    } else {
        error = submit(item, queue, member_count, how);
    }
    sq__item_drop(item);
    return error;
}

int sq__item_submit_one(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how) {
    int error = sq__item_begin(item);
    return error ? error : sq__item_submit_begun(item, queue, how);
}
