#include "queue/dependent.h"

#include "queue/fork.h"
#include "queue/lock.h"
#include "queue/run.h"
#include "queue/watch.h"
#include "queue/watch_thread.h"

#include <errno.h>

int sq__dependent_add(sq_queue_t *queue, sq__dependent_t *dependent) {
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) { /* changes under the same lock */
        return ESHUTDOWN;
    }
    sq__note_t *note = sq__watch_note(queue);
    if (note == NULL) {
        return ENOMEM;
    }
    dependent->next = note->dependents;
    dependent->link = &note->dependents;
    if (dependent->next != NULL) {
        dependent->next->link = &dependent->next;
    }
    note->dependents = dependent;
    note->kept += dependent->keeps_queue;
    return 0;
}

/* The note is there as long as anything is listed. `kept` is 0 from the close on. */
void sq__dependent_remove(sq_queue_t *queue, sq__dependent_t *dependent) {
    sq__note_t *note = sq__load_relaxed(&queue->note);
    note->kept -= note->kept > 0 && dependent->keeps_queue;
    *dependent->link = dependent->next;
    if (dependent->next != NULL) {
        dependent->next->link = dependent->link;
    }
    dependent->link = NULL;
}

static sq__dependent_t *first_of(const sq_queue_t *queue) {
    const sq__note_t *note = sq__load_relaxed(&queue->note); /* written under the same lock */
    return note != NULL ? note->dependents : NULL;
}

bool sq__dependent_exists(const sq_queue_t *queue) { return first_of(queue) != NULL; }

size_t sq__dependent_let_go(sq_queue_t *queue) {
    sq__note_t *note = sq__load_relaxed(&queue->note); /* written under the same lock */
    size_t references = note != NULL ? note->kept : 0;
    if (references > 0) {
        note->kept = 0;
    }
    return references;
}

void sq__dependent_release(sq_queue_t *queue, size_t references) {
    if (references > 0) {
        sq__add_relaxed(&queue->references, 1 - (uint32_t)references); /* not the last one: sq_queue_release orders that */
        sq_queue_release(queue);
    }
}

void sq__dependent_end_all(sq_queue_t *queue) {
    sq__dependent_t *dependent;
    while ((dependent = first_of(queue)) != NULL && !sq__fork_is_stale(queue)) {
        sq__dependent_remove(queue, dependent);
        sq__unlock(queue);
        sq__run(queue, dependent->end, dependent);
        sq__lock(queue);
    }
}
