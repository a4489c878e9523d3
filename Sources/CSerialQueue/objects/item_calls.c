/* item_calls.c: the calls that submit, perform and cancel an item. For one that repeats each submission is a turn (item_record.h). */
#include "include/sq_group.h"
#include "include/sq_private.h"
#include "objects/item.h"
#include "objects/item_submit.h"
#include "platform/unwind.h"
#include "state/state.h"

#include <errno.h>

/* sq__item_submit for an item that repeats: submits a turn of it. */
static __attribute__((noinline)) int submit_turn(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how) {
    if (item->process != sq__process()) {
        return ESTALE;
    }
    if (sq_item_is_cancelled(item)) {
        return ECANCELED;
    }
    sq_item_t *turn = sq__item_make_turn(item);
    if (turn == NULL) {
        return ENOMEM;
    }
    sq__item_hold(item); /* its functions may release the caller's reference */
    int error = sq__item_submit_begun(turn, queue, how);
    sq_item_release(turn);
    sq__item_drop_origin(item);
    return error;
}

int sq__item_submit(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how) {
    SQ__CHECK_HANDLE(queue);
    return item->repeats ? submit_turn(item, queue, how) : sq__item_submit_one(item, queue, how);
}

int sq_item_submit(sq_item_t *item, sq_queue_t *queue) {
    return sq__item_submit(item, queue, &(sq__item_call_t){ .site = __builtin_return_address(0) });
}

int sq_item_submit_after(sq_item_t *item, sq_queue_t *queue, uint64_t delay) {
    return sq__item_submit(item, queue, &(sq__item_call_t){ .is_delayed = true, .delay = delay, .site = __builtin_return_address(0) });
}

int sq_group_submit_item(sq_group_t *group, sq_item_t *item, sq_queue_t *queue) {
    return sq__item_submit(item, queue, &(sq__item_call_t){ .group = group, .site = __builtin_return_address(0) });
}

/* The caller has begun the item or turn, has a reference, and holds no lock. Calls its function as a duty of this thread (self.h), and publishes the
 * outcome. */
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

/* sq_item_perform for an item that repeats: performs a turn of it. */
static int perform_turn(sq_item_t *item) {
    if (item->process != sq__process()) {
        return ESTALE;
    }
    sq_item_t *turn = sq_item_is_cancelled(item) ? NULL : sq__item_make_turn(item);
    if (turn == NULL) {
        return sq_item_is_cancelled(item) ? ECANCELED : ENOMEM;
    }
    sq__item_hold(item); /* its function may release the caller's reference */
    int error = sq__item_turn(turn) == SQ__TURN_MADE ? 0 : ECANCELED;
    if (error == 0) {
        run_here(turn);
    } else {
        sq__item_drop_origin(item); /* the turn's */
    }
    sq_item_release(turn);
    sq__item_drop_origin(item);
    return error;
}

int sq_item_perform(sq_item_t *item) {
    if (item->repeats) {
        return perform_turn(item);
    }
    int error = sq__item_begin(item);
    if (error == 0) {
        sq__item_hold(item); /* as in perform_turn */
        run_here(item);
        sq__item_drop(item);
    }
    return error;
}

int sq_item_cancel(sq_item_t *item) {
    if (!item->repeats || item->process != sq__process()) {
        return sq__item_cancel_one(item);
    }
    sq__item_hold(item); /* as in submit_turn */
    sq__item_lock(item);
    sq__or_acq_rel(&item->state, SQ__ITEM_CANCELLED); /* [item] nothing: the lock orders it */
    sq_item_t *last = item->last; /* it stays the last */
    sq__item_unlock(item);
    int error = sq__item_cancel_one(last);
    sq__item_drop_origin(item);
    return error;
}
