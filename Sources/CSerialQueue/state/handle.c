/* handle.c: is this a queue? In builds with SQ_DEBUG only.
 *
 * DESIGN. In such a build a queue has a mark, and its memory is kept for a while after it was freed. So a call with a handle
 * that is NULL, zeroed, freed or not a queue ends the program with a message, instead of corrupting memory. Other builds have
 * neither the mark nor the checks. */
#include "state/state_inline.h"

#ifdef SQ_DEBUG

#include "platform/fatal.h"
#include "platform/mutex.h"

#define LIVE UINT64_C(0x5351206c69766521)  /* "SQ live!" */
#define FREED UINT64_C(0x5351206672656564) /* "SQ freed" */

enum { KEPT = 64 };

static sq__mutex_t lock = SQ__MUTEX_INIT;
static void *kept[KEPT];       /* under the lock: the memory of the last ones freed */
static unsigned oldest;        /* under the lock */

/* Ends the program with a message, which names this `call`, if the pointer is not one to a queue that exists. */
void sq__handle_check(const sq_queue_t *queue, const char *call) {
    if (queue == NULL) {
        sq__fatal("%s was called with NULL instead of a queue.", call);
    }
    uint64_t mark = sq__load_relaxed(&queue->mark);
    if (mark == LIVE) {
        return;
    }
    if (mark == FREED) {
        sq__fatal("%s was called with queue \"%s\" (%p), which has been freed: its last reference was released.", call,
                  queue->label, (const void *)queue);
    }
    sq__fatal("%s was called with %p, which is not a queue: %s.", call, (const void *)queue,
              mark == 0 ? "the memory is zeroed" : "it was overwritten, or never was one");
}

SQ__AROUND_FORK(SQ__RANK_HANDLES, .lock = &lock)

void sq__handle_mark(sq_queue_t *queue) { sq__store_relaxed(&queue->mark, LIVE); }

void sq__handle_free(sq_queue_t *queue, void *memory) {
    sq__store_relaxed(&queue->mark, FREED);
    sq__mutex_lock(&lock);
    void *out = kept[oldest];
    kept[oldest] = memory;
    oldest = (oldest + 1) % KEPT;
    sq__mutex_unlock(&lock);
    sq__memory_free(out);
}

#endif
