#include "kernel/shared.h"

#include "platform/list.h"
#include "state/state_inline.h"

#include <errno.h>

static void append(sq__shared_t *list, sq__sharer_t *sharer) {
    sharer->list = list;
    SQ__LIST_APPEND(list->end, sharer);
}

static void take_off(sq__sharer_t *sharer) {
    SQ__LIST_REMOVE_FROM(sharer->list->end, sharer);
}

/* `slot`: the newest shared slot that has not been consumed, or NULL. Nothing was submitted after it if it was taken last.
 * Relaxed: CLOSED changes under the queue's lock, which the caller has. A slot that is not seen as taken yet was taken at the same time. */
static bool may_be_joined(sq_queue_t *queue, const sq__slot_t *slot) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    unsigned taken = sq__state_taken(state);
    return !(state & SQ__CLOSED) && taken > 0 && slot == &sq__state_tail(state)->slots[taken - 1];
}

int sq__shared_enter(sq_queue_t *queue, bool always_a_slot, sq__sharer_t *sharer, sq__reserved_t *place) {
    int error = 0;
    sq__joinable_t *joinable = sq__extra_make(queue, SQ__EXTRA_SHARED, sizeof *joinable);
    if (joinable == NULL) {
        error = ENOMEM;
    } else if (may_be_joined(queue, joinable->slot)) {
        *place = (sq__reserved_t){ .slot = NULL };
        append(&joinable->slot->work.shared, sharer);
        sq__count(&joinable->joined, 1);
    } else {
        error = sq__ring_reserve(queue, always_a_slot, place);
        if (error == 0 && place->slot != NULL) {
            sq__shared_t *list = &place->slot->work.shared;
            *list = (sq__shared_t){ .end = &list->first };
            append(list, sharer);
            joinable->slot = place->slot;
        }
    }
    return error;
}

void sq__shared_leave(sq_queue_t *queue, sq__sharer_t *sharer) {
    sq__lock(queue);
    if (sharer->link != NULL) {
        take_off(sharer);
    }
    sq__unlock(queue);
}

void sq__shared_next(sq_queue_t *queue) {
    sq__lock(queue);
    sq__joinable_t *joinable = sq__extra(queue, SQ__EXTRA_SHARED);
    sq__slot_t *slot = sq__ring_head(queue);
    sq__sharer_t *sharer = slot->work.shared.first;
    if (sharer != NULL) {
        take_off(sharer);
        sq__count(&queue->skipped, (uint64_t)-1); /* it was counted when it entered, and from now on the hand-off slot counts it, too */
        sq__next_put(queue, (uint16_t)sharer->kind, &(sq__work_t){ .waiter = sharer->waiter });
    }
    if (slot->work.shared.first == NULL) {
        joinable->slot = NULL; /* perhaps a newer slot than this: then it is joined no more, and the next thread takes a new one */
        (void)sq__ring_take(queue);
        sq__count(&queue->skipped, 1);
    }
    sq__unlock(queue);
}
