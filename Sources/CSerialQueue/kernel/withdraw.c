#include "kernel/withdraw.h"

#include "queue/async.h"
#include "queue/capacity.h"
#include "kernel/lock.h"
#include "kernel/ring.h"

#include <string.h>

/* With the queue's lock, both. */
static const sq__work_t *work_at(const sq_queue_t *queue, uintptr_t place) {
    return place == SQ__HANDED_OFF ? &queue->handoff : &((const sq__slot_t *)place)->work;
}

static void empty_slot(sq_queue_t *queue, uintptr_t place) {
    /* [withdraw] release: our use of the slot, and of the queue, is over; pairs with sq__next_take and sq__ring_peek. */
    if (place == SQ__HANDED_OFF) {
        sq__store_release(&queue->handoff_kind, SQ__GONE);
    } else {
        sq__store_release(&((sq__slot_t *)place)->word, SQ__GONE);
    }
}

static bool is_queued(uintptr_t place) {
    return place != SQ__NOT_SUBMITTED && place != SQ__OVER && !(place & SQ__DELAYED);
}

bool sq__withdraw(sq_queue_t *queue, uintptr_t *place) {
    sq__capacity_t *capacity = NULL;
    sq__lock(queue); /* by address alone: a queue that the task is not in may be freed */
    bool is_ours = is_queued(*place);
    if (is_ours) {
        bool takes_no_room = work_at(queue, *place)->claim.takes_no_room;
        sq__add_relaxed(&queue->withdrawn, 1);
        if (queue->capacity != NULL && !takes_no_room) {
            capacity = sq__capacity_retain(queue->capacity);
        }
        empty_slot(queue, *place); /* from now on the queue may end */
        *place = SQ__OVER;
    }
    sq__unlock(queue);
    if (capacity != NULL) {
        sq__async_give_room(queue, capacity);
        sq__capacity_release(capacity);
    }
    return is_ours;
}

uintptr_t sq__withdraw_take(sq_queue_t *queue, sq__work_t *work) {
    sq__lock(queue);
    uintptr_t kind = sq__next_kind(queue);
    sq__claim_t claim = sq__next_take(queue).claim;
    if (kind == SQ__CLAIM) {
        *claim.place = SQ__OVER;
    }
    sq__unlock(queue);
    if (kind != SQ__CLAIM) {
        sq__count(&queue->skipped, 1);
        return SQ__EMPTY;
    }
    memcpy(&work->pair, claim.pair, sizeof work->pair);
    return claim.takes_no_room ? SQ__JOB : SQ__PAIR;
}

void sq__withdraw_pass(sq_queue_t *queue) {
    (void)sq__next_take(queue);
    sq__count(&queue->skipped, 1);
}
