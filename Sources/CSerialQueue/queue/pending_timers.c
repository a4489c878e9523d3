#include "queue/pending_timers.h"

#include "concurrent/concurrent.h"
#include "gate/gate_inline.h"
#include "platform/list.h"
#include "state/state_inline.h"

#include <errno.h>

/* L */
typedef struct pending_list {
    sq__pending_timer_t *first;
    size_t kept; /* how many of them have a reference to the queue */
} pending_list_t;

int sq__pending_timers_add(sq_queue_t *queue, sq__pending_timer_t *pending) {
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) { /* changes under the same lock */
        return ESHUTDOWN;
    }
    pending_list_t *list = sq__extra_make(queue, SQ__EXTRA_TIMERS, sizeof *list);
    if (list == NULL) {
        return ENOMEM;
    }
    SQ__LIST_PUT(list->first, pending);
    list->kept += pending->keeps_queue;
    return 0;
}

/* The record is there as long as anything is listed. `kept` is 0 from the close on. */
void sq__pending_timers_remove(sq_queue_t *queue, sq__pending_timer_t *pending) {
    pending_list_t *list = sq__extra(queue, SQ__EXTRA_TIMERS);
    list->kept -= list->kept > 0 && pending->keeps_queue;
    SQ__LIST_REMOVE(pending);
}

static sq__pending_timer_t *first_of(const sq_queue_t *queue) {
    const pending_list_t *list = sq__extra(queue, SQ__EXTRA_TIMERS);
    return list != NULL ? list->first : NULL;
}

bool sq__pending_timers_exists(const sq_queue_t *queue) { return first_of(queue) != NULL; }

size_t sq__pending_timers_take_references(sq_queue_t *queue) {
    pending_list_t *list = sq__extra(queue, SQ__EXTRA_TIMERS);
    size_t references = list != NULL ? list->kept : 0;
    if (references > 0) {
        list->kept = 0;
    }
    return references;
}

void sq__pending_timers_end_all(sq_queue_t *queue) {
    sq__pending_timer_t *pending;
    while ((pending = first_of(queue)) != NULL && !sq__queue_is_stale(queue)) {
        sq__pending_timers_remove(queue, pending);
        sq__unlock(queue);
        if (sq__is_concurrent(queue)) {
            sq__reader_run(queue, true, 0, pending->end, pending, 0);
        } else {
            sq__run_in_chain(queue, sq__queue_target(queue) == NULL /* else in a task of the target */, pending->end, pending);
        }
        sq__lock(queue);
    }
}
