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
    return 0;
}

void sq__dependent_remove(sq__dependent_t *dependent) {
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
    size_t references = 0;
    for (sq__dependent_t *dependent = first_of(queue); dependent != NULL; dependent = dependent->next) {
        references += dependent->keeps_queue;
        dependent->keeps_queue = false;
    }
    return references;
}

void sq__dependent_end_all(sq_queue_t *queue) {
    sq__dependent_t *dependent;
    while ((dependent = first_of(queue)) != NULL && !sq__fork_is_stale(queue)) {
        sq__dependent_remove(dependent);
        sq__unlock(queue);
        sq__run(queue, dependent->end, dependent);
        sq__lock(queue);
    }
}
