/* item_await.c: waiting for an item's outcome without a thread. */
#include "include/sq_private.h"
#include "objects/item_record.h"
#include "objects/object_lock.h"
#include "thread/process.h"

#include <errno.h>

static int outcome_of(uint32_t state) { return state & SQ__ITEM_RAN ? 0 : ECANCELED; }

int sq_item_await(sq_item_t *item, sq_await_t *await) {
    if (item->repeats) {
        return EINVAL;
    }
    uint32_t state = sq__load_acquire(&item->state); /* [item] acquire: what the item did */
    if (state & SQ__ITEM_OVER) {
        return outcome_of(state);
    }
    if (item->process != sq__process()) {
        return ESTALE;
    }
    sq__object_lock(item);
    state = sq__or_acq_rel(&item->state, SQ__ITEM_WAITED); /* [item] acquire: the outcome, if it is OVER */
    bool waits = !(state & SQ__ITEM_OVER);
    if (waits) {
        sq__object_waiters_append_await(&item->waiters, await);
    }
    sq__object_unlock(item);
    return waits ? EINPROGRESS : outcome_of(state);
}

sq_item_t *sq__item_retain_last(sq_item_t *item) {
    if (!item->repeats) {
        return sq_item_retain(item);
    }
    sq__object_lock(item);
    sq_item_t *last = sq_item_retain(item->last);
    sq__object_unlock(item);
    return last;
}

bool sq_item_withdraw(sq_item_t *item, sq_await_t *await) {
    sq__object_lock(item);
    bool is_withdrawn = sq__object_waiters_remove_await(&item->waiters, await);
    sq__object_unlock(item);
    return is_withdrawn;
}
