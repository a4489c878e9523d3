#include "kernel/segment.h"

#include "platform/fatal.h"

sq__segment_t *sq__segment_obtain(sq_queue_t *queue) {
    sq__segment_t *segment = NULL;
    if (sq__load_relaxed(&queue->spare) != NULL) {
        segment = sq__exchange_acquire(&queue->spare, NULL); /* [spare] acquire: the last use of it is over */
    }
    if (segment == NULL) {
        segment = sq__memory_lines(sizeof *segment);
        if (segment == NULL) {
            return NULL;
        }
        if ((uintptr_t)segment & ~(uintptr_t)SQ__TAIL) {
            sq__fatal("memory at %p does not fit the state word of a queue, which has 48 bits for an address. Tagged pointers (MTE, "
                      "HWAddressSanitizer) and memory beyond 48 bits (five-level paging) are not supported.", (void *)segment);
        }
    }
    /* Cleared here and not when it was emptied: the submitter is about to write to these lines anyway. */
    sq__store_relaxed(&segment->next, 0);
    for (unsigned i = 0; i < SQ__SEGMENT_SLOTS; i += 1) {
        sq__store_relaxed(&segment->slots[i].word, SQ__EMPTY);
    }
    return segment;
}

void sq__segment_recycle(sq_queue_t *queue, sq__segment_t *segment) {
    sq__segment_t *none = NULL;
    /* [spare] release: our use of it is over; pairs with sq__segment_obtain. */
    if (!sq__cas_release(&queue->spare, &none, segment)) {
        sq__memory_free(segment);
    }
}

void sq__segment_free_spare(sq_queue_t *queue) {
    if (sq__load_relaxed(&queue->spare) != NULL) {
        sq__memory_free(sq__exchange_acquire(&queue->spare, NULL)); /* [spare] acquire */
    }
}
