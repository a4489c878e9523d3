#include "kernel/withdraw.h"

#include "queue/async.h"
#include "queue/fork.h"
#include "kernel/lock.h"
#include "kernel/ring.h"

#include <string.h>

/* With the queue's lock. */
static void empty_slot(sq_queue_t *queue, uintptr_t place) {
    if (place == SQ__HANDED_OFF) {
        sq__store_relaxed(&queue->handoff_kind, SQ__GONE);
    } else {
        /* [withdraw] release: our use of the slot is over; pairs with sq__ring_peek. */
        sq__store_release(&((sq__slot_t *)place)->word, SQ__GONE);
    }
}

bool sq__withdraw(sq_queue_t *queue, uintptr_t *place) {
    if (sq__fork_is_stale(queue)) {
        return false; /* the task is the parent's */
    }
    sq__lock(queue);
    bool is_queued = *place != SQ__NOT_SUBMITTED && *place != SQ__OVER;
    if (is_queued) {
        sq__add_relaxed(&queue->withdrawn, 1);
        empty_slot(queue, *place);
        *place = SQ__OVER;
    }
    sq__unlock(queue);
    if (is_queued && queue->capacity != NULL) {
        sq__async_give_room(queue);
    }
    return is_queued;
}

/* Empties the hand-off slot, or passes over the place at the head of the ring. */
static sq__work_t take_next(sq_queue_t *queue) {
    if (sq__load_relaxed(&queue->handoff_kind) == SQ__EMPTY) {
        return sq__ring_take(queue);
    }
    sq__store_relaxed(&queue->handoff_kind, SQ__EMPTY);
    return queue->handoff;
}

uintptr_t sq__withdraw_take(sq_queue_t *queue, sq__work_t *work) {
    sq__lock(queue);
    uintptr_t kind = sq__load_relaxed(&queue->handoff_kind);
    if (kind == SQ__EMPTY) {
        kind = sq__ring_peek(queue);
    }
    sq__claim_t claim = take_next(queue).claim;
    if (kind == SQ__CLAIM) {
        *claim.place = SQ__OVER;
    }
    sq__unlock(queue);
    if (kind != SQ__CLAIM) {
        sq__count(&queue->skipped, 1);
        return SQ__EMPTY;
    }
    memcpy(&work->pair, claim.pair, sizeof work->pair);
    return SQ__PAIR;
}

void sq__withdraw_pass(sq_queue_t *queue) {
    take_next(queue);
    sq__count(&queue->skipped, 1);
}
