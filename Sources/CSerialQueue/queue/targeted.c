#include "queue/targeted.h"

#include "state/state_inline.h"

/* With all queues' locks. Fixes this queue, which has a record, and its targets. The last target comes first: a thread that finds a queue fixed
 * without the lock finds all of its targets fixed, too. */
static void fix_chain(sq_queue_t *queue) {
    sq_queue_t *last = NULL;
    while (queue != NULL && sq__load_relaxed(&queue->control) & SQ__MOVABLE) {
        sq__targeted_t *record = sq__targeted(queue);
        record->above = last;
        last = queue;
        queue = record->target;
    }
    for (; last != NULL; last = sq__targeted(last)->above) {
        sq__targeted_t *record = sq__targeted(last);
        if (record->target != NULL) {
            sq__store_release(&last->runner, sq__targeted_runner(record)); /* [fixed] release: the record */
        }
        sq__control(last, SQ__MOVABLE, 0); /* [fixed] release: the runner */
    }
}

void sq__targeted_fix_now(sq_queue_t *queue) {
    sq__lock(queue);
    bool has_record = sq__targeted(queue) != NULL;
    if (!has_record) { /* it has no target, and only this lock keeps it from getting one */
        sq__control(queue, SQ__MOVABLE, 0);
    }
    sq__unlock(queue);
    if (has_record) {
        sq__lock_all();
        fix_chain(queue);
        sq__unlock_all();
    }
}
