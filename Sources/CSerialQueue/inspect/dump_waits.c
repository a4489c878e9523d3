#include "inspect/dump_waits.h"

#include "inspect/dump_queues.h"
#include "inspect/dump_threads.h"
#include "objects/objects.h"
#include "state/state_inline.h"
#include "trace/trace.h"

enum { MOST_LINKS = 8 };

/* What the wait is for, in words. */
static void add_aim(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread) {
    static const char *const aims[] = { [SQ__AIM_TURN] = "its turn in queue", [SQ__AIM_ROOM] = "room in queue", [SQ__AIM_END] = "the end of queue",
                                        [SQ__AIM_TASK] = "a timer of queue" };
    unsigned aim = (unsigned)thread->wait.aim;
    const char *what = thread->kind[0] != '\0' ? thread->kind : aim <= SQ__AIM_TASK ? aims[aim] : "queue";
    if (thread->kind[0] == '\0' && aim == SQ__AIM_TURN && sq__peeked(&thread->wait.is_barrier)) {
        what = "its turn as a barrier in queue";
    }
    sq__dump_add_object(text, view, what, thread->label, thread->maker);
    if (thread->kind[0] == '\0') {
        sq__dump_add(text, " %p", thread->object);
    }
}

/* The queue or once that the thread waits for, or NULL. For a group or an item: the first of its queues, which are in `queues`, *count of them. */
static const void *needed(const sq__view_thread_t *thread, const void *queues[], size_t *count) {
    sq__object_view_t many = { .queues = 0 };
    *count = 0;
    if (thread->kind[0] == '\0' || thread->kind[0] == 'o' || thread->kind[0] == 'a') { /* a queue, a once or an apply */
        return thread->object;
    }
    if (thread->kind[0] == 'g' ? sq__group_peek(thread->object, &many) : thread->kind[0] == 'i' && sq__item_peek(thread->object, &many)) {
        for (; *count < many.queues && *count < SQ__PEEK_QUEUES; *count += 1) {
            queues[*count] = many.queue[*count].at;
        }
    }
    return *count > 0 ? queues[0] : NULL;
}

const void *sq__dump_entered_by(const sq__view_thread_t *thread) { return thread->kind[0] == 'g' ? sq__sites_look_entered(thread->object) : NULL; }

/* For a wait for a group: adds where its members are; peeks at the group, which may be gone. */
static void add_members(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread) {
    sq__object_view_t many;
    if (thread->kind[0] != 'g' || !sq__group_peek(thread->object, &many)) {
        return;
    }
    if (many.entered > 0) {
        const void *site = sq__dump_entered_by(thread);
        sq__dump_add(text, ", %llu entered%s", (unsigned long long)many.entered, site != NULL && many.entered > 1 ? ", the last" : "");
        sq__dump_add_site(text, view, site, true);
    }
    for (size_t i = 0; i < many.queues && i < SQ__PEEK_QUEUES; i += 1) {
        char label[SQ__VIEW_LABEL];
        sq__peek_text(many.queue[i].at != NULL ? sq__peek_at(many.queue[i].at, offsetof(sq_queue_t, label)) : NULL, label, sizeof label);
        sq__dump_add(text, ", %llu in ", (unsigned long long)many.queue[i].members);
        sq__dump_add_queue(text, label, many.queue[i].at);
    }
}

/* Says why nothing runs in a queue that a thread waits for. */
static void add_cause(sq__dump_text_t *text, const sq__view_queue_t *queue) {
    if (queue == NULL) {
        return;
    }
    if (queue->state & SQ__SUSPENDED) {
        sq__dump_add(text, "; it is suspended (%u)", queue->suspensions);
    } else if (queue->is_ready) {
        sq__dump_add(text, queue->lacks_owner ? "; " : "; it ");
        sq__dump_add_ready(text, queue);
    } else {
        sq__dump_add(text, "; no thread runs it at the moment");
    }
}

const sq__view_key_t *sq__dump_holders_of(const sq__view_t *view, const sq__view_thread_t *thread, const void **what, size_t *count) {
    const void *queues[SQ__PEEK_QUEUES];
    size_t others;
    *what = needed(thread, queues, &others);
    const sq__view_key_t *held = sq__view_holders(view, *what, count);
    for (size_t i = 1; *count == 0 && i < others; i += 1) {
        held = sq__view_holders(view, *what = queues[i], count);
    }
    return held;
}

/* Adds "; thread T runs it and waits for ...", and so on to the end of the chain, or MOST_LINKS threads. `first` waits. */
static void add_chain(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *first) {
    const sq__view_thread_t *thread = first;
    for (unsigned link = 0; link < MOST_LINKS; link += 1) {
        const void *what;
        size_t count;
        const sq__view_key_t *held = sq__dump_holders_of(view, thread, &what, &count);
        if (count == 0) {
            add_cause(text, sq__view_queue_of(view, what));
            return;
        }
        const sq__view_thread_t *holder = sq__view_thread(view, held->item);
        sq__dump_add(text, "; ");
        sq__dump_add_thread(text, holder);
        sq__dump_add(text, thread->kind[0] == 'o' ? " is inside its function" : " runs it");
        if (count > 1) {
            sq__dump_add(text, " (and %llu more)", (unsigned long long)(count - 1));
        }
        if (holder == first) {
            sq__dump_add(text, ": this is a cycle");
            return;
        }
        if (!holder->waits) {
            return;
        }
        sq__dump_add(text, " and waits for ");
        add_aim(text, view, holder);
        thread = holder;
    }
    sq__dump_add(text, "; ...");
}

/* True: the chain of waits leads back to this thread. Then what it waits for is marked. */
static bool is_in_cycle(const sq__view_t *view, const sq__view_thread_t *first) {
    const sq__view_thread_t *thread = first;
    const void *what_of_first = NULL;
    for (unsigned link = 0; link < MOST_LINKS && thread->waits; link += 1) {
        const void *what;
        size_t count;
        const sq__view_key_t *held = sq__dump_holders_of(view, thread, &what, &count);
        what_of_first = link == 0 ? what : what_of_first;
        if (count == 0) {
            return false;
        }
        thread = sq__view_thread(view, held->item);
        if (thread == first) {
            sq__view_queue_t *queue = sq__view_queue_of(view, what_of_first);
            if (queue != NULL) {
                queue->is_in_cycle = true;
            }
            return true;
        }
    }
    return false;
}

/* Adds the line of a thread that waits. */
static void add_wait(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread) {
    sq__dump_add_thread(text, thread);
    sq__dump_add(text, " has waited ");
    sq__dump_add_time(text, view->now > thread->wait.since ? view->now - thread->wait.since : 0);
    sq__dump_add(text, " for ");
    add_aim(text, view, thread);
    add_members(text, view, thread);
    sq__dump_add_site(text, view, thread->wait.site, true);
    if (thread->wait.deadline != SQ_FOREVER) {
        sq__dump_add(text, thread->wait.deadline > view->now ? ", for " : ", its limit has passed");
        if (thread->wait.deadline > view->now) {
            sq__dump_add_time(text, thread->wait.deadline - view->now);
            sq__dump_add(text, " more at most");
        }
    }
    add_chain(text, view, thread);
    sq__dump_add(text, "\n");
}

/* What the waits that are one line have in common. */
static uint64_t key_of(const sq__view_t *view, const sq__view_thread_t *thread) {
    const void *what;
    size_t count;
    (void)sq__dump_holders_of(view, thread, &what, &count);
    const sq__view_queue_t *queue = count == 0 ? sq__view_queue_of(view, what) : NULL;
    uint64_t cause = queue == NULL ? 0 : queue->state & SQ__SUSPENDED ? 1 : 2 + queue->is_ready + queue->lacks_owner;
    uint64_t key = sq__key_with(SQ__KEY, (uint64_t)thread->wait.aim << 8 | cause << 2 | (count > 0) << 1 | sq__peeked(&thread->wait.is_barrier));
    return sq__key_with_text(sq__key_with_text(sq__key_with(key, (uintptr_t)thread->maker), thread->kind), thread->label);
}

/* Cycles first, then the longest waits. */
void sq__dump_waits_fold(sq__view_t *view, sq__section_t *section) {
    sq__view_list_t list = { .size = sizeof(sq__view_key_t) };
    size_t cycles = 0;
    for (size_t i = 0; i < view->threads.count; i += 1) {
        const sq__view_thread_t *thread = sq__view_thread(view, i);
        if (thread->waits) {
            bool is_cycle = is_in_cycle(view, thread);
            sq__view_add_key(view, &list, !is_cycle, thread->wait.since, i);
            cycles += is_cycle;
        }
    }
    sq__view_sort(view, &list);
    size_t alone = cycles <= SQ__FOLD_LISTED ? cycles + SQ__FOLD_TOP : SQ__FOLD_TOP;
    sq__section_begin(view, section, list.count);
    for (size_t i = 0; i < list.count; i += 1) {
        const sq__view_key_t *key = sq__view_key(&list, i);
        sq__section_add(view, section, i < alone ? 0 : key_of(view, sq__view_thread(view, key->item)), key->item);
    }
    sq__section_end(view, section);
    sq__view_list_free(&list);
}

void sq__dump_waits_want(sq__view_t *view, const sq__section_t *section) {
    for (size_t i = 0, item; i < section->granted; i += 1) {
        (void)sq__section_line(section, i, &item);
        const sq__view_thread_t *thread = sq__view_thread(view, item);
        sq__view_want_site(view, thread->wait.site);
        sq__view_want_site(view, thread->maker);
        sq__view_want_site(view, sq__dump_entered_by(thread));
    }
}

void sq__dump_waits(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section) {
    sq__dump_add(text, "WAITING THREADS, THE LONGEST FIRST: %zu\n", section->items.count);
    sq__dump_add_none(text, section->items.count);
    for (size_t i = 0, item; i < section->granted; i += 1) {
        size_t count = sq__section_line(section, i, &item);
        sq__dump_add_alike(text, count, "the longest");
        add_wait(text, view, sq__view_thread(view, item));
    }
    sq__dump_add_left_out(text, section);
}
