/* dump_queues.c: the queues that have work, waiting threads or a suspension. */
#include "inspect/dump_queues.h"

#include "gate/gate_inline.h"
#include "inspect/dump_timers.h"
#include "kernel/kernel_inline.h"
#include "observe/observe.h"
#include "platform/container.h"
#include "platform/text.h"
#include "state/state_inline.h"

#include <string.h>

/* A copy of a queue as it is in memory: the part of a concurrent queue is in front of it. */
typedef struct copied {
    _Alignas(SQ__LINE) char bytes[sizeof(sq__concurrent_t) + sizeof(sq_queue_t) + SQ__VIEW_LABEL];
    sq__extras_t extras;
    sq__joinable_t joinable;
    sq__tallies_t tallies;
} copied_t;

/* Adds the readers that the stripes count to the gate of the copy, which then has no stripes. Not exact while readers enter and leave. */
static void add_stripes(sq__concurrent_t *copy) {
    const sq__stripes_t *stripes = sq__load_relaxed(&copy->stripes);
    sq__stripes_t head = { .mask = 0 };
    sq__store_relaxed(&copy->stripes, NULL);
    if (stripes == NULL || !sq__peek(stripes, &head, sizeof head)) {
        return;
    }
    for (uint32_t i = 0; i <= head.mask && i < SQ__MOST_STRIPES; i += 1) {
        sq__stripe_word_t word;
        if (sq__peek(sq__peek_at(stripes, offsetof(sq__stripes_t, stripe) + i * sizeof(sq__stripe_t)), &word, sizeof word)) {
            (void)sq__add_relaxed(&copy->gate, sq__stripe_not_counted(word) * SQ__GATE_INSIDE_ONE);
        }
    }
}

/* Copies a queue, and of its records what its depth needs. Only fields within the block that was copied may be used. NULL: the queue cannot be read. */
static sq_queue_t *copy_queue(const sq_queue_t *queue, copied_t *copied) {
    sq_queue_t *copy = (sq_queue_t *)(void *)(copied->bytes + sizeof(sq__concurrent_t));
    /* With the label, in one call, unless that would reach into an unmapped page. */
    if (!sq__peek(queue, copy, sizeof *copy + SQ__VIEW_LABEL)) {
        copy->label[0] = '\0';
        if (!sq__peek(queue, copy, sizeof *copy)) {
            return NULL;
        }
        sq__peek_text(sq__peek_at(queue, offsetof(sq_queue_t, label)), copy->label, SQ__VIEW_LABEL);
    }
    sq__make_printable(copy->label, SQ__VIEW_LABEL);
    if (sq__is_concurrent(copy)) {
        if (!sq__peek(sq__concurrent_of(queue), copied->bytes, sizeof(sq__concurrent_t))) {
            return NULL;
        }
        add_stripes(sq__concurrent_of(copy));
    }
    bool has_joinable = sq__extra_peek(copy, SQ__EXTRA_SHARED, &copied->joinable, sizeof copied->joinable);
    bool has_tallies = sq__extra_peek(copy, SQ__EXTRA_TALLIES, &copied->tallies, sizeof copied->tallies);
    memset(&copied->extras, 0, sizeof copied->extras);
    sq__store_relaxed(&copied->extras.records[SQ__EXTRA_SHARED], has_joinable ? &copied->joinable : NULL);
    sq__store_relaxed(&copied->extras.records[SQ__EXTRA_TALLIES], has_tallies ? &copied->tallies : NULL);
    sq__store_relaxed(&copy->extras, &copied->extras);
    return copy;
}

/* Reads what any thread may read of a queue that exists. */
static void read_counts(const sq_queue_t *queue, sq__view_queue_t *seen) {
    const sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    seen->is_concurrent = sq__is_concurrent(queue);
    seen->state = sq__load_relaxed(&queue->state);
    seen->gate = 0;
    if (seen->is_concurrent) {
        const sq__stripes_t *stripes = sq__load_acquire(&concurrent->stripes); /* [striped] acquire: the stripes */
        seen->gate = sq__load_relaxed(&concurrent->gate) + sq__stripes_not_counted(stripes) * SQ__GATE_INSIDE_ONE;
    }
    seen->depth = sq__depth(queue);
    seen->ran = sq__load_relaxed(&queue->ran);
    seen->suspensions = sq__load_relaxed(&queue->suspensions);
}

/* The queue may not exist: it is peeked at. seen->is_there: it could be read. */
static void read_queue(const sq_queue_t *queue, sq__view_queue_t *seen) {
    copied_t copied;
    sq_queue_t *copy = copy_queue(queue, &copied);
    seen->at = queue;
    seen->is_there = copy != NULL;
    if (copy != NULL) {
        read_counts(copy, seen);
        memcpy(seen->label, copy->label, sizeof seen->label);
    }
}

/* The queue exists during this call, so it is read without a peek. */
static void read_there(const sq_queue_t *queue, sq__view_queue_t *seen) {
    seen->at = queue;
    seen->is_there = true;
    read_counts(queue, seen);
    sq__text_copy(seen->label, sizeof seen->label, queue->label);
    sq__make_printable(seen->label, sizeof seen->label);
}

/* Adds an item for the queue. `is_there`: the queue exists during this call. Returns NULL if `queue` is NULL, or without memory. */
static sq__view_queue_t *add(sq__view_t *view, const void *queue, bool is_there) {
    sq__view_queue_t *seen = queue != NULL ? sq__view_add(view, &view->queues) : NULL;
    if (seen != NULL && is_there) {
        read_there(queue, seen);
    } else if (seen != NULL) {
        read_queue(queue, seen);
    }
    return seen;
}

static void add_suspended(void *context, const sq_queue_t *queue) { (void)add(context, queue, true); }

/* Visits an entry of a pool (sq__pool_visitor_t). `is_locked`: with the lock under which the entry's queue exists. */
static void add_ready(void *context, const sq__ready_t *entry, const sq__pool_view_t *pool, bool is_locked) {
    sq__view_queue_t *seen = add(context, SQ__CONTAINER(entry, sq_queue_t, ready), is_locked);
    if (seen != NULL) {
        seen->is_ready = true;
        seen->lacks_owner = pool->lacks_owner;
        seen->owner = pool->owner;
    }
}

/* Visits a pool (sq__pool_visitor_t), and adds its timers if it has a clock of its own. */
static void add_pool(void *context, const sq__pool_view_t *pool) {
    sq__view_t *view = context;
    sq__pool_view_t *seen = sq__view_add(view, &view->pools);
    if (seen != NULL) {
        *seen = *pool;
    }
    if (pool->clock != NULL) { /* the pool exists: the lock of the list of pools is held */
        sq__view_look_at_timers(view, pool->clock, pool->label);
    }
}

/* Adds the queues that the thread runs or waits for. They may not exist any more. */
static void add_of_thread(sq__view_t *view, const sq__view_thread_t *thread) {
    for (unsigned i = 0; i < thread->frames && i < SQ__VIEW_FRAMES; i += 1) {
        (void)add(view, thread->frame[i].owner, false);
    }
    if (thread->waits) {
        (void)add(view, thread->wait.queue, false);
    }
}

/* Several threads may have led to the same queue. It is kept once; if its pool had its entry, that one is kept. */
static void order_by_address(sq__view_t *view) {
    size_t kept = 0;
    for (size_t i = 0; i < view->queues.count; i += 1) {
        const sq__view_queue_t *queue = (const sq__view_queue_t *)(void *)view->queues.items + i;
        if (queue->is_there) {
            sq__view_add_key(view, &view->order, (uintptr_t)queue->at, !queue->is_ready, i);
        }
    }
    sq__view_sort(view, &view->order);
    for (size_t i = 0; i < view->order.count; i += 1) {
        sq__view_key_t *key = sq__view_key(&view->order, i);
        if (kept == 0 || sq__view_key(&view->order, kept - 1)->first != key->first) {
            *sq__view_key(&view->order, kept++) = *key;
        }
    }
    view->order.count = kept;
}

sq__view_queue_t *sq__view_queue_of(const sq__view_t *view, const void *queue) {
    size_t first = sq__view_first(&view->order, (uintptr_t)queue);
    return first < view->order.count && sq__view_queue(view, first)->at == queue ? sq__view_queue(view, first) : NULL;
}

/* Adds the thread's wait for a queue to what the view says of that queue. After order_by_address. */
static void count_wait(const sq__view_t *view, const sq__view_thread_t *thread) {
    sq__view_queue_t *queue = thread->waits && thread->kind[0] == '\0' ? sq__view_queue_of(view, thread->wait.queue) : NULL;
    if (queue != NULL) {
        queue->threads += 1;
        if (queue->oldest == 0 || thread->wait.since < queue->oldest) {
            queue->oldest = thread->wait.since;
        }
        if (!queue->is_concurrent && thread->wait.ran == queue->ran && (queue->unchanged == 0 || thread->wait.since < queue->unchanged)) {
            queue->unchanged = thread->wait.since;
        }
    }
}

/* Where the oldest waiting tasks were submitted. The next task of a queue waits in the hand-off slot, or in the slot at the head of the ring. The
 * site is in the table under that place (trace/sites.c), from which it is not taken. The queue may run, or be freed, meanwhile: what is then
 * read does not belong together, and nothing is found under it. */

/* The segment and the slot at the head; NULL: it is not filled. */
static const sq__slot_t *slot_at_head(const sq_queue_t *queue) {
    sq__segment_t *segment = queue->head;
    unsigned index = sq__position_index(sq__load_relaxed(&queue->position));
    uintptr_t link = sq__load_relaxed(&queue->first_link);
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

static bool is_call(uintptr_t kind) { return kind == SQ__AWAITED || kind == SQ__RUN_ANYWHERE || (kind & ~(uintptr_t)SQ__BARRIER) == SQ__WAITER; }

void sq__view_find_site(sq__view_queue_t *seen) {
    struct sq_queue copy;
    sq__epoch_t epoch;
    uintptr_t word = 0;
    if (seen->depth == 0 || !sq__peek(seen->at, &copy, sizeof copy) || !(sq__load_relaxed(&copy.control) & SQ__SITED)
        || !sq__extra_peek(&copy, SQ__EXTRA_SITES, &epoch, sizeof epoch)) {
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
    if (kind > SQ__BATON && kind != SQ__CANCELLED && kind != SQ__SHARED) {
        seen->oldest_site = sq__sites_look(epoch, seen->at, where);
        seen->oldest_is_call = is_call(kind);
    }
}

void sq__view_look_at_queues(sq__view_t *view) {
    const sq__pool_visitor_t visitor = { .patience = &view->patience, .entry = add_ready, .pool = add_pool, .context = view };
    for (size_t i = 0; i < view->threads.count; i += 1) {
        add_of_thread(view, sq__view_thread(view, i));
    }
    view->had_pools = sq__pools_visit(&visitor);
    view->without_suspended = sq__suspended_visit(&view->patience, add_suspended, view);
    order_by_address(view);
    for (size_t i = 0; i < view->threads.count; i += 1) {
        count_wait(view, sq__view_thread(view, i));
    }
}
