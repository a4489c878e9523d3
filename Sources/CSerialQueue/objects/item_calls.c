/* item_calls.c: the calls that submit, perform and cancel an item. For one that repeats each submission is a turn (item_record.h). */
#include "include/sq_group.h"
#include "include/sq_private.h"
#include "objects/item.h"
#include "platform/unwind.h"
#include "state/handle.h"

#include <errno.h>

/* A turn that nobody has begun, with a reference, or, if the item was cancelled, any; NULL: no memory. Another thread may begin it first. */
static sq_item_t *next_turn(sq_item_t *item) {
    sq_item_t *turn = sq__item_hold_last(item), *made, *old;
    if (sq__item_is_fresh(turn) || sq_item_is_cancelled(item)) {
        return turn;
    }
    sq__item_drop(turn);
    made = sq__item_make_turn(item);
    if (made == NULL) {
        return NULL;
    }
    sq__object_lock(item);
    turn = item->last;
    old = made;
    /* A cancel that comes later finds the new turn. */
    if (!sq__item_is_fresh(turn) && !sq_item_is_cancelled(item)) {
        old = turn;
        turn = item->last = made;
    }
    sq__item_hold(turn);
    sq__object_unlock(item);
    sq_item_release(old); /* if it is the one that was made: nobody has seen it */
    return turn;
}

static int submit(sq_group_t *group, sq_item_t *item, sq_queue_t *queue, bool is_delayed, uint64_t delay, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    int error;
    if (!item->repeats) {
        return sq__item_submit_one(group, item, queue, is_delayed, delay, caller);
    }
    if (item->process != sq__process()) {
        return ESTALE;
    }
    sq__item_hold(item); /* its functions may release the caller's reference */
    do {
        sq_item_t *turn = sq_item_is_cancelled(item) ? NULL : next_turn(item);
        error = turn != NULL ? sq__item_submit_one(group, turn, queue, is_delayed, delay, caller)
                : sq_item_is_cancelled(item) ? ECANCELED : ENOMEM;
        if (turn != NULL) {
            sq__item_drop(turn);
        }
    } while (error == EALREADY); /* another thread has submitted this turn */
    sq__item_drop_origin(item);
    return error;
}

int sq__item_submit_from(sq_item_t *item, sq_queue_t *queue, const void *caller) { return submit(NULL, item, queue, false, 0, caller); }

int sq_item_submit(sq_item_t *item, sq_queue_t *queue) { return submit(NULL, item, queue, false, 0, __builtin_return_address(0)); }

int sq__item_submit_after_from(sq_item_t *item, sq_queue_t *queue, uint64_t delay, const void *caller) {
    return submit(NULL, item, queue, true, delay, caller);
}

int sq_item_submit_after(sq_item_t *item, sq_queue_t *queue, uint64_t delay) {
    return submit(NULL, item, queue, true, delay, __builtin_return_address(0));
}

int sq__group_submit_item_from(sq_group_t *group, sq_item_t *item, sq_queue_t *queue, const void *caller) {
    return submit(group, item, queue, false, 0, caller);
}

int sq_group_submit_item(sq_group_t *group, sq_item_t *item, sq_queue_t *queue) {
    return submit(group, item, queue, false, 0, __builtin_return_address(0));
}

/* The caller has begun it. */
static void run_here(sq_item_t *turn) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self_listed();
    sq__duty_t duty = { .what = turn, .item = turn->label, .parent = self->duty };
    self->duty = &duty;
    turn->task.run(turn->task.context);
    self->duty = duty.parent;
    if (turn->process == sq__process()) { /* else it has forked, and this is the child: the item is the parent's */
        sq__item_publish_performed(turn);
    }
}

int sq_item_perform(sq_item_t *item) {
    int error;
    if (item->process != sq__process()) {
        return ESTALE;
    }
    sq__item_hold(item); /* its functions may release the caller's reference */
    do {
        sq_item_t *turn = item;
        if (item->repeats) {
            turn = sq_item_is_cancelled(item) ? NULL : next_turn(item);
        } else {
            sq__item_hold(item);
        }
        error = turn != NULL ? sq__item_begin(turn) : sq_item_is_cancelled(item) ? ECANCELED : ENOMEM;
        if (error == 0) {
            run_here(turn);
        }
        if (turn != NULL && turn->process == sq__process()) {
            sq__item_drop(turn);
        }
    } while (item->repeats && error == EALREADY);
    if (item->repeats) {
        sq__item_drop_origin(item);
    } else {
        sq__item_drop(item);
    }
    return error;
}

int sq_item_cancel(sq_item_t *item) {
    if (!item->repeats || item->process != sq__process()) {
        return sq__item_cancel_one(item);
    }
    sq__item_hold(item); /* as in submit */
    sq__or_acq_rel(&item->state, SQ__ITEM_CANCELLED); /* [item] nothing: the turns' own states order the rest */
    sq_item_t *turn = sq__item_hold_last(item);
    int error = sq__item_cancel_one(turn);
    sq__item_drop(turn);
    sq__item_drop_origin(item);
    return error;
}
