/* dump_work.c: the lines of queues. Queues of one label and one state are one line (dump_fold.h). */
#include "inspect/dump_work.h"

#include "gate/gate_inline.h"
#include "inspect/dump_queues.h"

/* The largest values that were offered, the largest first. */
typedef struct top {
    uint64_t value[SQ__FOLD_TOP + 1];
    sq__view_queue_t *queue[SQ__FOLD_TOP + 1];
} top_t;

static void offer(top_t *top, uint64_t value, sq__view_queue_t *queue) {
    unsigned i = SQ__FOLD_TOP + 1;
    for (; i > 0 && value > top->value[i - 1]; i -= 1) {
        if (i <= SQ__FOLD_TOP) {
            top->value[i] = top->value[i - 1];
            top->queue[i] = top->queue[i - 1];
        }
    }
    if (i <= SQ__FOLD_TOP) {
        top->value[i] = value;
        top->queue[i] = queue;
    }
}

/* Those with more than the one behind them stand out. */
static void mark_top(const top_t *top) {
    for (unsigned i = 0; i < SQ__FOLD_TOP; i += 1) {
        if (top->value[i] > top->value[SQ__FOLD_TOP]) {
            top->queue[i]->stands_out = true;
        }
    }
}

/* Marks the deepest queues, those with the longest waits; and the suspended and deadlocked ones, and those that run, if they are few. */
static void mark_what_stands_out(const sq__view_t *view) {
    top_t deepest = { .value = { 0 } }, oldest = { .value = { 0 } };
    size_t suspended = 0, in_cycle = 0, run = 0;
    for (size_t i = 0; i < view->order.count; i += 1) {
        sq__view_queue_t *queue = sq__view_queue(view, i);
        offer(&deepest, queue->depth, queue);
        offer(&oldest, queue->oldest != 0 ? UINT64_MAX - queue->oldest : 0, queue);
        suspended += (queue->state & SQ__SUSPENDED) != 0;
        in_cycle += queue->is_in_cycle;
        run += queue->runs;
    }
    mark_top(&deepest);
    mark_top(&oldest);
    for (size_t i = 0; i < view->order.count; i += 1) {
        sq__view_queue_t *queue = sq__view_queue(view, i);
        queue->stands_out |= (queue->is_in_cycle && in_cycle <= SQ__FOLD_LISTED) || (queue->runs && run <= SQ__FOLD_LISTED)
                             || (queue->state & SQ__SUSPENDED && suspended <= SQ__FOLD_LISTED);
    }
}

enum { GATE_STATE = 4 };

/* What a concurrent queue's gate says, as a number: with readers inside or not, and what holds others back. */
static unsigned gate_state(const sq__view_queue_t *queue) {
    sq__gate_word_t gate = queue->gate;
    return !queue->is_concurrent ? 0 : gate & SQ__GATE_BARRIER ? 1 : (2 + (sq__gate_inside(gate) > 0)) << GATE_STATE
         | (gate & SQ__GATE_DRAINING ? 1u : gate & SQ__GATE_FULL ? 2u : gate & SQ__GATE_ENDING ? 3u : 0u);
}

/* What the queues that are one line have in common: label and state. */
static uint64_t key_of(const sq__view_queue_t *queue) {
    uint64_t state = queue->state & (SQ__SUSPENDED | SQ__ENDED | SQ__CLOSED);
    state = state << 4 | queue->is_ready << 3 | queue->lacks_owner << 2 | queue->runs << 1 | (queue->threads > 0);
    return sq__key_with_text(sq__key_with(sq__key_with(SQ__KEY, state << 8 | gate_state(queue)), queue->owner), queue->label);
}

/* True: at least one line has several queues. */
static bool is_folded(const sq__section_t *section) { return section->lines.count < section->items.count; }

static sq__view_queue_t *queue_of_item(const sq__view_t *view, size_t item) { return (sq__view_queue_t *)(void *)view->queues.items + item; }

/* Sums up the groups, in the order of their places: what is found is in `sums`. */
static void sum_up(sq__view_t *view, const sq__section_t *section, sq__view_list_t *sums) {
    for (size_t i = 0; i < section->groups.count; i += 1) {
        (void)sq__view_add(view, sums);
    }
    for (size_t i = 0; i < section->items.count; i += 1) {
        const sq__fold_item_t *item = sq__section_item(section, i);
        sq__view_queue_t *queue = queue_of_item(view, item->item);
        if (item->group >= sums->count) { /* also SQ__ALONE */
            continue;
        }
        sq__queue_sum_t *sum = (sq__queue_sum_t *)(void *)sums->items + item->group;
        bool is_first = sum->deepest == NULL;
        sum->waiting += queue->depth;
        sum->least = is_first || queue->depth < sum->least ? queue->depth : sum->least;
        sum->first = is_first || queue < sum->first ? queue : sum->first;
        sum->deepest = is_first || queue->depth > sum->deepest->depth ? queue : sum->deepest;
        if (queue->oldest != 0 && (sum->oldest == NULL || queue->oldest < sum->oldest->oldest)) {
            sum->oldest = queue;
        }
    }
}

static const sq__queue_sum_t *sum_of(const sq__queues_section_t *queues, size_t line) {
    size_t place = sq__view_key(&queues->section.lines, line)->item, group = sq__section_item(&queues->section, place)->group;
    return group < queues->sums.count ? (const sq__queue_sum_t *)(const void *)queues->sums.items + group : NULL;
}

/* What stands out first, if there are lines with several queues; then the deepest; among equal ones, the one with the longest wait. */
static void order_lines(sq__view_t *view, sq__queues_section_t *queues) {
    for (size_t i = 0, item; i < queues->section.lines.count; i += 1) {
        sq__view_key_t *key = sq__view_key(&queues->section.lines, i);
        bool is_group = sq__section_line(&queues->section, i, &item) > 1;
        const sq__queue_sum_t *sum = is_group ? sum_of(queues, i) : NULL;
        const sq__view_queue_t *queue = queue_of_item(view, item), *deepest = sum != NULL ? sum->deepest : queue, *oldest = sum != NULL ? sum->oldest : queue;
        key->first = INT64_MAX - deepest->depth;
        key->first |= is_folded(&queues->section) && !queue->stands_out ? (uint64_t)1 << 63 : 0;
        key->second = oldest != NULL && oldest->oldest != 0 ? oldest->oldest : UINT64_MAX;
    }
    sq__view_sort(view, &queues->section.lines);
}

void sq__dump_queues_fold(sq__view_t *view, sq__queues_section_t *queues) {
    sq__section_t *section = &queues->section;
    queues->sums.size = sizeof(sq__queue_sum_t);
    mark_what_stands_out(view);
    sq__section_begin(view, section, view->order.count);
    for (size_t i = 0; i < view->order.count; i += 1) {
        const sq__view_queue_t *queue = sq__view_queue(view, i);
        sq__section_add(view, section, queue->stands_out ? 0 : key_of(queue), sq__view_key(&view->order, i)->item);
    }
    sq__section_end(view, section);
    sum_up(view, section, &queues->sums);
    order_lines(view, queues);
}

/* The suspended queues of one label and as many suspensions are one line; the deepest first. */
void sq__dump_suspended_fold(sq__view_t *view, sq__section_t *section) {
    sq__section_begin(view, section, view->order.count);
    for (size_t i = 0; i < view->order.count; i += 1) {
        const sq__view_queue_t *queue = sq__view_queue(view, i);
        if (queue->state & SQ__SUSPENDED) {
            uint64_t key = sq__key_with_text(sq__key_with(SQ__KEY, queue->suspensions), queue->label);
            sq__section_add(view, section, queue->stands_out ? 0 : key, sq__view_key(&view->order, i)->item);
        }
    }
    sq__section_end(view, section);
    for (size_t i = 0, item; i < section->lines.count; i += 1) {
        (void)sq__section_line(section, i, &item);
        const sq__view_queue_t *queue = queue_of_item(view, item);
        sq__view_key(&section->lines, i)->first = !queue->stands_out;
        sq__view_key(&section->lines, i)->second = UINT64_MAX - queue->depth;
    }
    sq__view_sort(view, &section->lines);
}

/* Finds the sites that the lines of the section name, and wants their symbols. */
void sq__dump_queues_want(sq__view_t *view, const sq__queues_section_t *queues) {
    for (size_t i = 0, item; i < queues->section.granted; i += 1) {
        const sq__queue_sum_t *sum = sq__section_line(&queues->section, i, &item) > 1 ? sum_of(queues, i) : NULL;
        sq__view_queue_t *queue = sum == NULL ? queue_of_item(view, item) : sum->oldest != NULL ? sum->oldest : sum->first;
        sq__view_find_site(queue);
        sq__view_want_site(view, queue->oldest_site);
    }
}

/* Adds what a concurrent queue's gate says; of several queues without a number. */
static void add_gate(sq__dump_text_t *text, const sq__view_queue_t *queue, bool is_one) {
    sq__gate_word_t gate = queue->gate;
    sq__dump_add(text, ", concurrent: ");
    if (gate & SQ__GATE_BARRIER) {
        sq__dump_add(text, "a barrier runs");
        return;
    }
    unsigned long long inside = sq__gate_inside(gate);
    if (is_one || inside == 0) {
        sq__dump_add(text, "%llu %s", inside, inside == 1 ? "task runs" : "tasks run");
    } else {
        sq__dump_add(text, "tasks run");
    }
    sq__dump_add(text, "%s", gate & SQ__GATE_DRAINING ? ", and a barrier waits for them" : gate & SQ__GATE_FULL ? ", as many as its width permits"
                             : gate & SQ__GATE_ENDING ? ", and its end waits for them" : "");
}

/* Adds why nothing starts, and whether the queue takes more. */
static void add_state(sq__dump_text_t *text, const sq__view_queue_t *queue) {
    if (queue->is_ready) {
        sq__dump_add(text, ", ");
        sq__dump_add_ready(text, queue);
    }
    const char *end = queue->state & SQ__ENDED ? ", has ended" : queue->state & SQ__CLOSED ? ", shut down" : "";
    sq__dump_add(text, "%s%s", queue->state & SQ__SUSPENDED ? ", suspended" : "", end);
}

static void add_queue(sq__dump_text_t *text, const sq__view_t *view, const sq__view_queue_t *queue) {
    sq__dump_add(text, "  ");
    sq__dump_add_queue(text, queue->label, queue->at);
    sq__dump_add(text, ": %llu waiting", (unsigned long long)queue->depth);
    if (queue->threads > 0) {
        sq__dump_add(text, ", %u of them %s for ", queue->threads, queue->threads == 1 ? "a thread that has slept" : "threads that sleep, the longest");
        sq__dump_add_time(text, view->now > queue->oldest ? view->now - queue->oldest : 0);
    }
    if (queue->is_concurrent) {
        add_gate(text, queue, true);
    }
    add_state(text, queue);
    if (queue->oldest_site != 0) {
        sq__dump_add(text, "; the oldest");
        sq__dump_add_site(text, view, queue->oldest_site, queue->oldest_is_call);
    }
    sq__dump_add(text, "\n");
}

/* Adds the line of several queues: how many, what they have in common, the deepest, and the oldest, or that which was the first in line. */
static void add_queues(sq__dump_text_t *text, const sq__view_t *view, const sq__queue_sum_t *sum, size_t count) {
    const sq__view_queue_t *named = sum->oldest != NULL ? sum->oldest : sum->first;
    unsigned long long least = sum->least, most = sum->deepest->depth;
    sq__dump_add(text, "  queue \"%s\" x %zu: ", named->label, count);
    if (least == most) {
        sq__dump_add(text, "%llu waiting each", least);
    } else {
        sq__dump_add(text, "%llu to %llu waiting, %llu in all", least, most, (unsigned long long)sum->waiting);
    }
    if (named->is_concurrent) {
        add_gate(text, named, false);
    }
    add_state(text, named);
    if (least < most) {
        sq__dump_add(text, "; the deepest: %p", (const void *)sum->deepest->at);
    }
    sq__dump_add(text, "; the %s: %p", sum->oldest != NULL ? "oldest" : "first", (const void *)named->at);
    if (sum->oldest != NULL) {
        sq__dump_add(text, ", a thread has slept for ");
        sq__dump_add_time(text, view->now > named->oldest ? view->now - named->oldest : 0);
    }
    sq__dump_add_site(text, view, named->oldest_site, named->oldest_is_call);
    sq__dump_add(text, "\n");
}

void sq__dump_queues(sq__dump_text_t *text, const sq__view_t *view, const sq__queues_section_t *queues) {
    const sq__section_t *section = &queues->section;
    const char *heading = is_folded(section) ? "QUEUES, WHAT STANDS OUT FIRST, THEN THE DEEPEST: %zu\n" : "QUEUES, THE DEEPEST FIRST: %zu\n";
    sq__dump_add(text, heading, section->items.count);
    sq__dump_add_none(text, section->items.count);
    for (size_t i = 0, item; i < section->granted; i += 1) {
        size_t count = sq__section_line(section, i, &item);
        const sq__queue_sum_t *sum = count > 1 ? sum_of(queues, i) : NULL;
        if (sum != NULL) {
            add_queues(text, view, sum, count);
        } else {
            add_queue(text, view, queue_of_item(view, item));
        }
    }
    sq__dump_add_left_out(text, section);
}

void sq__dump_suspended(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section) {
    sq__dump_add(text, "SUSPENDED QUEUES: %zu\n", section->items.count);
    sq__dump_add_none(text, section->items.count);
    for (size_t i = 0, item; i < section->granted; i += 1) {
        size_t count = sq__section_line(section, i, &item);
        const sq__view_queue_t *queue = queue_of_item(view, item);
        sq__dump_add_alike(text, count, "the first");
        sq__dump_add_queue(text, queue->label, queue->at);
        sq__dump_add(text, ": suspended %u time%s, %llu waiting\n", queue->suspensions, queue->suspensions == 1 ? "" : "s", (unsigned long long)queue->depth);
    }
    sq__dump_add_left_out(text, section);
}

void sq__dump_pools(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section) {
    sq__dump_add(text, "POOLS: %zu\n", view->pools.count);
    sq__dump_add_none(text, view->pools.count);
    for (size_t i = 0; i < section->granted; i += 1) {
        const sq__pool_view_t *pool = (const sq__pool_view_t *)(void *)view->pools.items + i;
        sq__dump_add(text, "  pool \"%s\": ", pool->label);
        if (pool->lacks_owner) {
            sq__dump_add(text, "a loop that no thread runs: ");
            sq__dump_add_last_owner(text, pool->owner);
        } else if (pool->is_loop) {
            sq__dump_add(text, "a loop");
            if (pool->owner != 0) {
                sq__dump_add(text, " of ");
                sq__dump_add_thread_of(text, pool->owner);
            }
        } else if (pool->clock != NULL) {
            sq__dump_add(text, "manual");
        } else {
            sq__dump_add(text, "%u of %u permits taken (%u at most), %u threads, %u idle, %u blocked in a task", pool->in_use, pool->permits,
                         pool->most, pool->workers, pool->idle, pool->blocked);
            if (pool->lent > 0) {
                sq__dump_add(text, ", %u more in a wait of this library, without a permit", pool->lent);
            }
        }
        sq__dump_add(text, ", %zu queues ready%s\n", pool->waiting, pool->is_locked ? "" : " (its lock is held by another thread)");
    }
    sq__dump_add_left_out(text, section);
}
