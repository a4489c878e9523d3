/* dump_oldest.c: where the oldest waiting tasks were submitted.
 *
 * DESIGN. The next task of a queue waits in the hand-off slot, or in the slot at the head of the ring. The site is in the table under that
 * place (trace/sites.h), from which it is not taken. All is peeked at: the queue may run, or be freed, meanwhile. What is then read does not
 * belong together, and nothing is found under it. */
#include "inspect/dump_view.h"

#include "state/extras.h"
#include "kernel/ring.h"
#include "observe/call_sites.h"

/* Each of them costs four system calls. With more queues none is looked at. */
enum { MOST_QUEUES = 10000 };

/* The segment and the slot at the head; NULL: it is not filled. */
static const sq__slot_t *slot_at_head(const sq_queue_t *queue) {
    sq__segment_t *segment = queue->head;
    uint16_t index = sq__load_relaxed(&queue->index);
    uintptr_t link = sq__load_relaxed(&queue->first);
    if (segment != NULL && index == SQ__SEGMENT_SLOTS && !sq__peek(sq__peek_at(segment, offsetof(sq__segment_t, next)), &link, sizeof link)) {
        return NULL;
    }
    if (segment == NULL || index == SQ__SEGMENT_SLOTS) {
        segment = link > SQ__BATON ? (sq__segment_t *)link : NULL;
        index = 0;
    }
    if (segment == NULL || index >= SQ__SEGMENT_SLOTS) {
        return NULL;
    }
    return sq__peek_at(segment, offsetof(sq__segment_t, slots) + index * sizeof(sq__slot_t));
}

static bool is_call(uintptr_t kind) { return kind == SQ__AWAITED || kind == SQ__EITHER || (kind & ~(uintptr_t)SQ__BARRIER) == SQ__WAITER; }

static void look_at(sq__view_queue_t *seen) {
    struct sq_queue copy;
    sq__era_t era;
    uintptr_t word = 0;
    if (!sq__peek(seen->at, &copy, sizeof copy) || !(sq__load_relaxed(&copy.control) & SQ__SITED)) {
        return;
    }
    sq__extras_t extras;
    if (!sq__peek(sq__load_relaxed(&copy.extras), &extras, sizeof extras) || !sq__peek(sq__sited_era(&extras), &era, sizeof era)) {
        return;
    }
    uintptr_t where = SQ__IN_HANDOFF, kind = sq__load_relaxed(&copy.handoff_kind);
    if (kind == SQ__EMPTY) {
        const sq__slot_t *slot = slot_at_head(&copy);
        if (slot == NULL || !sq__peek(sq__peek_at(slot, offsetof(sq__slot_t, word)), &word, sizeof word)) {
            return;
        }
        where = (uintptr_t)slot;
        kind = sq__ring_kind(word);
    }
    if (kind > SQ__BATON && kind != SQ__GONE && kind != SQ__SHARED) {
        seen->oldest_site = sq__sites_look(era, seen->at, where);
        seen->oldest_is_call = is_call(kind);
    }
}

void sq__view_look_at_oldest(sq__view_t *view) {
    for (size_t i = 0; i < view->order.count && view->order.count <= MOST_QUEUES; i += 1) {
        sq__view_queue_t *queue = sq__view_queue(view, i);
        if (queue->depth > 0) {
            look_at(queue);
            sq__view_want_site(view, queue->oldest_site);
        }
    }
}
