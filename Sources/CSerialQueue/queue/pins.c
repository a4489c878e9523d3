#include "queue/pins.h"

#include "include/sq_queue.h"
#include "queue/queue_runner.h"
#include "queue/shutdown.h"
#include "state/queue_lock.h"

void sq__pin(sq_queue_t *target, sq__targeted_t *record) {
    record->pins += 1;
    if (record->pins == 1) {
        sq__add_release(&target->references, SQ__PINNED); /* [pinned] release: the record */
    }
}

void sq__unpin(sq_queue_t *target) {
    if (target == NULL) {
        return;
    }
    sq__lock(target);
    sq__targeted_t *record = sq__extra(target, SQ__EXTRA_TARGET);
    record->pins -= 1;
    bool is_last = record->pins == 0;
    if (is_last) {
        sq__add_relaxed(&target->references, 1 - SQ__PINNED); /* from now on it is an ordinary one: sq_queue_release orders that */
    }
    sq__unlock(target);
    if (is_last) {
        sq_queue_release(target);
    }
}

/* L. The program has no reference any more. True: the queue was suspended, and the caller now holds the baton. */
static bool abandon(sq_queue_t *queue) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    bool is_stuck = (state & (SQ__SUSPENDED | SQ__ENDED)) == SQ__SUSPENDED && !sq__queue_is_stale(queue);
    return is_stuck && sq__shutdown_close(queue, SQ_SHUTDOWN_DISCARD);
}

void sq__pins_release(sq_queue_t *queue) {
    sq__lock(queue);
    bool is_pinned = sq__load_relaxed(&queue->references) & SQ__PINNED;
    /* [reference] release: our use of the queue, as in sq_queue_release. The rest is ordered by the lock. */
    bool takes = is_pinned && sq__sub_acq_rel(&queue->references, 1) == SQ__PINNED + 1 && abandon(queue);
    sq__unlock(queue);
    if (!is_pinned) {
        sq_queue_release(queue);
    } else if (takes) {
        sq__baton_pass(queue);
    }
}
