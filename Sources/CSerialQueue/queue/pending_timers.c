#include "queue/pending_timers.h"

#include "state/extras.h"
#include "state/lock.h"
#include "observe/reader.h"
#include "kernel/run.h"

#include <errno.h>

int sq__pending_timers_add(sq_queue_t *queue, sq__pending_timer_t *pending) {
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) { /* changes under the same lock */
        return ESHUTDOWN;
    }
    sq__cold_t *cold = sq__cold_record(queue);
    if (cold == NULL) {
        return ENOMEM;
    }
    pending->next = cold->pending_timers;
    pending->link = &cold->pending_timers;
    if (pending->next != NULL) {
        pending->next->link = &pending->next;
    }
    cold->pending_timers = pending;
    cold->kept += pending->keeps_queue;
    return 0;
}

/* The record is there as long as anything is listed. `kept` is 0 from the close on. */
void sq__pending_timers_remove(sq_queue_t *queue, sq__pending_timer_t *pending) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold);
    cold->kept -= cold->kept > 0 && pending->keeps_queue;
    *pending->link = pending->next;
    if (pending->next != NULL) {
        pending->next->link = pending->link;
    }
    pending->link = NULL;
}

static sq__pending_timer_t *first_of(const sq_queue_t *queue) {
    const sq__cold_t *cold = sq__load_relaxed(&queue->cold); /* written under the same lock */
    return cold != NULL ? cold->pending_timers : NULL;
}

bool sq__pending_timers_exists(const sq_queue_t *queue) { return first_of(queue) != NULL; }

size_t sq__pending_timers_take_references(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold); /* written under the same lock */
    size_t references = cold != NULL ? cold->kept : 0;
    if (references > 0) {
        cold->kept = 0;
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
            sq__run_in_chain(queue, true, pending->end, pending);
        }
        sq__lock(queue);
    }
}
