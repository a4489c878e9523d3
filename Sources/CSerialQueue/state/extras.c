/* extras.c: records that few queues need.
 *
 * DESIGN. Most queues are never watched or traced, have no timers, and are not polled while many tasks wait. What the others need stands in
 * records, one for each owner, which defines, makes and uses it. The queue has one pointer to a table of them, made with the first. The
 * records live as long as the queue: the baton's holder uses some of them without a lock. Most owners have the queue's lock when they make
 * theirs; the table is made without. Of two threads that make the same at once, the one whose swap of the pointer comes first has made it, and the
 * other frees its own, which no thread has seen. */
#include "state/state_inline.h"

#include "platform/memory.h"
#include "platform/peek.h"

void *sq__extra_make(sq_queue_t *queue, sq__extra_t owner, size_t bytes) {
    sq__extras_t *extras = sq__load_acquire(&queue->extras); /* [extras] acquire: the table as it was made */
    if (extras == NULL) {
        sq__extras_t *made = sq__memory_zeroed(sizeof *made);
        /* [extras] release: the table as it was made; acquire if it fails: another thread's. */
        if (made == NULL || sq__cas_release_or_acquire(&queue->extras, &extras, made)) {
            extras = made;
        } else {
            sq__memory_free(made);
        }
    }
    if (extras == NULL) {
        return NULL;
    }
    void *record = sq__load_acquire(&extras->records[owner]); /* [extras] acquire: the record as it was made */
    if (record == NULL) {
        void *made = sq__memory_zeroed(bytes);
        /* [extras] release: the record as it was made; acquire if it fails: another thread's. */
        if (made == NULL || sq__cas_release_or_acquire(&extras->records[owner], &record, made)) {
            return made;
        }
        sq__memory_free(made);
    }
    return record;
}

bool sq__extra_peek(const sq_queue_t *copy, sq__extra_t owner, void *record, size_t bytes) {
    sq__extras_t extras;
    return sq__peek(sq__load_relaxed(&copy->extras), &extras, sizeof extras) && sq__peek(sq__load_relaxed(&extras.records[owner]), record, bytes);
}

void sq__extras_free(sq_queue_t *queue) {
    sq__extras_t *extras = sq__load_relaxed(&queue->extras); /* nobody else has the queue */
    for (unsigned i = 0; i < SQ__EXTRAS; i += 1) {
        sq__memory_free(sq__load_relaxed(&extras->records[i]));
    }
    sq__memory_free(extras);
}
