/* extras.c: records that few queues need.
 *
 * DESIGN. Most queues are never watched or traced, have no timers, and are not polled while many tasks wait. What the others need stands in
 * records, one for each owner, which defines, makes and uses it. The queue has one pointer to a table of them, made with the first. The
 * records live as long as the queue: the baton's holder uses some of them without a lock. */
#include "state/state_inline.h"

#include "platform/memory.h"
#include "platform/peek.h"

void *sq__extra_make(sq_queue_t *queue, sq__extra_t owner, size_t bytes) {
    sq__extras_t *extras = sq__load_relaxed(&queue->extras);
    if (extras == NULL) {
        extras = sq__memory_zeroed(sizeof *extras);
        if (extras == NULL) {
            return NULL;
        }
        sq__store_release(&queue->extras, extras); /* [extras] release: the table as it was made */
    }
    void *record = sq__load_relaxed(&extras->records[owner]);
    if (record == NULL) {
        record = sq__memory_zeroed(bytes);
        sq__store_release(&extras->records[owner], record); /* [extras] release: the record as it was made */
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
