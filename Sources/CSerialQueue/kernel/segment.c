#include "kernel/segment.h"

#include "platform/fatal.h"

/* The reserve. A queue on a pool keeps no segment while it is free, because there may be very many such queues. If it took each
 * one from malloc, a submitter would allocate it and a thread of the pool would free it, and both would meet at malloc's lock
 * again and again. Static memory also never lies above a long backlog in the heap. */
#define WHOLE_RESERVE ((uint32_t)((UINT64_C(1) << SQ__RESERVE) - 1))
static sq__segment_t reserve[SQ__RESERVE];
static SQ__ATOMIC(uint32_t) in_use; /* a bit for each */

static sq__segment_t *take_from_reserve(void) {
    uint32_t used = sq__load_relaxed(&in_use);
    while (used != WHOLE_RESERVE) {
        unsigned lowest = (unsigned)__builtin_ctz(~used);
        /* [reserve] acquire: the last use of the segment is over; pairs with sq__segment_free. */
        if (sq__cas_acquire(&in_use, &used, used | UINT32_C(1) << lowest)) {
            return &reserve[lowest];
        }
    }
    return NULL;
}

void sq__segment_free(sq__segment_t *segment) {
    uintptr_t offset = (uintptr_t)segment - (uintptr_t)reserve;
    if (offset >= sizeof reserve) {
        sq__memory_free(segment);
        return;
    }
    /* [reserve] release: our use of it is over. */
    sq__and_release(&in_use, ~(UINT32_C(1) << offset / sizeof *segment));
}

sq__segment_t *sq__segment_obtain(sq_queue_t *queue) {
    sq__segment_t *segment = NULL;
    if (sq__load_relaxed(&queue->spare) != NULL) {
        segment = sq__exchange_acquire(&queue->spare, NULL); /* [spare] acquire: the last use of it is over */
    }
    if (segment == NULL && sq__runner_pool(sq__load_relaxed(&queue->runner)) != NULL) {
        segment = take_from_reserve();
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
        sq__segment_free(segment);
    }
}

void sq__segment_free_spare(sq_queue_t *queue) {
    if (sq__load_relaxed(&queue->spare) != NULL) {
        sq__segment_free(sq__exchange_acquire(&queue->spare, NULL)); /* [spare] acquire */
    }
}
