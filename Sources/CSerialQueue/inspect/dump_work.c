#include "inspect/dump_work.h"

#include "gate/gate_inline.h"

/* The deepest first; among equal ones, the one with the longest wait. From now on sq__view_queue_of finds nothing. */
static void order_by_depth(sq__view_t *view) {
    for (size_t i = 0; i < view->order.count; i += 1) {
        const sq__view_queue_t *queue = sq__view_queue(view, i);
        sq__view_key_t *key = sq__view_key(&view->order, i);
        key->first = UINT64_MAX - queue->depth;
        key->second = queue->oldest != 0 ? queue->oldest : UINT64_MAX;
    }
    sq__view_sort(&view->order);
}

/* Adds what a concurrent queue's gate says. */
static void add_gate(sq__dump_text_t *text, const sq__view_queue_t *queue) {
    sq__gate_word_t gate = queue->gate;
    sq__dump_add(text, ", concurrent: ");
    if (gate & SQ__GATE_BARRIER) {
        sq__dump_add(text, "a barrier runs");
        return;
    }
    unsigned long long inside = sq__gate_inside(gate);
    sq__dump_add(text, "%llu %s", inside, inside == 1 ? "task runs" : "tasks run");
    sq__dump_add(text, "%s", gate & SQ__GATE_DRAINING ? ", and a barrier waits for them" : gate & SQ__GATE_FULL ? ", as many as its width permits"
                             : gate & SQ__GATE_ENDING ? ", and its end waits for them" : "");
}

static void add_queue(sq__dump_text_t *text, const sq__view_t *view, const sq__view_queue_t *queue) {
    sq__dump_add(text, "  queue \"%s\": %llu waiting", queue->label, (unsigned long long)queue->depth);
    if (queue->threads > 0) {
        sq__dump_add(text, ", %u of them %s for ", queue->threads, queue->threads == 1 ? "a thread that has slept" : "threads that sleep, the longest");
        sq__dump_add_time(text, view->now > queue->oldest ? view->now - queue->oldest : 0);
    }
    if (queue->is_concurrent) {
        add_gate(text, queue);
    }
    sq__dump_add(text, "%s%s%s", queue->lacks_owner ? ", no thread runs its loop" : queue->is_ready ? ", waits for a thread of its pool" : "", queue->state & SQ__SUSPENDED ? ", suspended" : "",
                 queue->state & SQ__ENDED ? ", has ended" : queue->state & SQ__CLOSED ? ", shut down" : "");
    if (queue->oldest_site != 0) {
        sq__dump_add(text, "; the oldest");
        sq__dump_add_site(text, view, queue->oldest_site, queue->oldest_is_call);
    }
    sq__dump_add(text, "\n");
}

void sq__dump_queues(sq__dump_text_t *text, sq__view_t *view) {
    order_by_depth(view);
    sq__dump_add(text, "QUEUES, THE DEEPEST FIRST: %zu\n", view->order.count);
    sq__dump_add_none(text, view->order.count);
    for (size_t i = 0; i < view->order.count; i += 1) {
        add_queue(text, view, sq__view_queue(view, i));
    }
}

void sq__dump_suspended(sq__dump_text_t *text, const sq__view_t *view) {
    size_t count = 0;
    for (size_t i = 0; i < view->order.count; i += 1) {
        count += (sq__view_queue(view, i)->state & SQ__SUSPENDED) != 0;
    }
    sq__dump_add(text, "SUSPENDED QUEUES: %zu\n", count);
    sq__dump_add_none(text, count);
    for (size_t i = 0; i < view->order.count; i += 1) {
        const sq__view_queue_t *queue = sq__view_queue(view, i);
        if (queue->state & SQ__SUSPENDED) {
            sq__dump_add(text, "  queue \"%s\": suspended %u time%s, %llu waiting\n", queue->label, queue->suspensions,
                         queue->suspensions == 1 ? "" : "s", (unsigned long long)queue->depth);
        }
    }
}

void sq__dump_pools(sq__dump_text_t *text, const sq__view_t *view) {
    sq__dump_add(text, "POOLS: %zu\n", view->pools.count);
    sq__dump_add_none(text, view->pools.count);
    for (size_t i = 0; i < view->pools.count; i += 1) {
        const sq__pool_view_t *pool = (const sq__pool_view_t *)(void *)view->pools.items + i;
        sq__dump_add(text, "  pool \"%s\": ", pool->label);
        if (pool->clock != NULL || pool->is_loop) {
            sq__dump_add(text, pool->lacks_owner ? "a loop that no thread runs" : pool->is_loop ? "a loop" : "manual");
        } else {
            sq__dump_add(text, "%u of %u permits taken (%u at most), %u threads, %u idle, %u blocked in a task", pool->in_use, pool->permits,
                         pool->most, pool->workers, pool->idle, pool->blocked);
        }
        sq__dump_add(text, ", %zu queues ready%s\n", pool->waiting, pool->is_locked ? "" : " (its lock is held by another thread)");
    }
}
