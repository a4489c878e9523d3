#include "kernel/withdraw.h"

#include "gate/gate_inline.h"
#include "observe/observe_inline.h"
#include "kernel/ring.h"
#include "state/state_inline.h"

#include <string.h>

static bool is_queued(uintptr_t place) {
    return place != SQ__NOT_SUBMITTED && place != SQ__OVER && !(place & SQ__DELAYED);
}

bool sq__withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place, sq__room_t **room, bool *takes_baton) {
    *room = NULL;
    *takes_baton = false;
    sq__lock(queue); /* uses only the address: if the task is not in the queue, the queue may be freed */
    uintptr_t where = sq__load_relaxed(place);
    bool is_ours = is_queued(where);
    if (is_ours) {
        sq__tally(queue, SQ__TALLY_WITHDRAWN, 1);
        if (queue->room != NULL && !sq__ring_work_at(queue, where)->cancellable.is_exempt) {
            *room = queue->room;
            sq__add_relaxed(&queue->room->references, 1);
        }
        bool is_concurrent = sq__is_concurrent(queue);
        if (sq__is_traced(queue)) {
            const sq__pair_t *pair = sq__ring_work_at(queue, where)->cancellable.pair;
            sq__trace_hook_withdrawn(queue, where, pair->call, pair->first);
        }
        sq__ring_mark_cancelled(queue, where); /* from here on a serial queue may be freed; a concurrent one ends under its lock */
        sq__store_relaxed(place, SQ__OVER);
        *takes_baton = is_concurrent && sq__concurrent_takes_back(queue);
    }
    sq__unlock(queue);
    return is_ours;
}

uintptr_t sq__withdraw_take(sq_queue_t *queue, sq__work_t *work) {
    sq__lock(queue);
    uintptr_t kind = sq__next_kind(queue);
    sq__cancellable_t cancellable = sq__next_take(queue).cancellable;
    bool is_ours = kind != SQ__CANCELLED;
    if (is_ours) {
        sq__store_relaxed(cancellable.place, SQ__OVER);
    }
    sq__unlock(queue);
    if (!is_ours) {
        sq__count(&queue->skipped, 1);
        return SQ__EMPTY;
    }
    memcpy(&work->pair, cancellable.pair, sizeof work->pair);
    return (cancellable.is_exempt ? SQ__JOB : SQ__PAIR) | (kind & SQ__BARRIER);
}

void sq__withdraw_pass(sq_queue_t *queue) {
    (void)sq__next_take(queue);
    sq__count(&queue->skipped, 1);
}
