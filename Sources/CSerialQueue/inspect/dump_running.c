#include "inspect/dump_running.h"

#include "inspect/dump_queues.h"
#include "inspect/dump_threads.h"
#include "platform/thread.h"

/* Asking the system about a thread takes time, so only this many threads are asked about. */
enum { MOST_STATES = 1000 };

/* The code of a Swift closure, if it is known, else the C function. */
static void add_function(sq__dump_text_t *text, const sq__view_t *view, const sq__view_frame_t *frame) {
    char name[256];
    uintptr_t code = sq__symbols_is_code(view->symbols, frame->code) ? frame->code : (uintptr_t)frame->function;
    if (code == 0) {
        sq__dump_add(text, "%s", frame->what != NULL ? frame->what : "nothing yet, or something between two tasks");
        return;
    }
    sq__symbols_text(view->symbols, code, name, sizeof name);
    sq__dump_add(text, "%s", name);
}

uint64_t sq__dump_runs_since(const sq__view_t *view, const sq__view_frame_t *frame, bool *is_exact) {
    const sq__view_queue_t *queue = sq__view_queue_of(view, frame->owner);
    *is_exact = frame->since != 0 && frame->since <= view->now;
    return *is_exact ? frame->since : queue != NULL && queue->unchanged <= view->now ? queue->unchanged : 0;
}

static void add_since(sq__dump_text_t *text, const sq__view_t *view, const sq__view_frame_t *frame) {
    bool is_exact;
    uint64_t began = sq__dump_runs_since(view, frame, &is_exact);
    if (began != 0) {
        sq__dump_add(text, is_exact ? " for " : " for at least ");
        sq__dump_add_time(text, view->now - began);
    }
}

static void add_frame(sq__dump_text_t *text, const sq__view_t *view, const sq__view_frame_t *frame) {
    const sq__view_queue_t *queue = sq__view_queue_of(view, frame->owner);
    add_function(text, view, frame);
    if (frame->owner == NULL) {
        sq__dump_add(text, " outside of every queue");
    } else {
        sq__dump_add(text, " in ");
        sq__dump_add_queue(text, queue != NULL ? queue->label : "?", frame->owner);
        add_since(text, view, frame);
        sq__dump_add_site(text, view, frame->site, frame->is_call);
    }
}

/* Adds which apply the thread helps, and how many threads help it. */
static void add_apply(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread) {
    size_t threads;
    (void)sq__view_holders(view, thread->once, &threads);
    sq__dump_add(text, "%s", thread->frames > 0 ? ", and works for" : "");
    if (thread->code != 0) {
        char name[256];
        sq__symbols_text(view->symbols, thread->code, name, sizeof name);
        sq__dump_add(text, " %s", name);
    }
    sq__dump_add(text, "%s an apply on pool \"%s\", for which %zu %s", thread->frames > 0 && thread->code == 0 ? "" : " of", thread->apply, threads,
                 threads == 1 ? "thread works" : "threads work");
}

/* Asks the system whether the thread runs or sleeps, and adds what it says. */
static void add_state(sq__dump_text_t *text, uint64_t thread_id) {
    sq__thread_state_t state = sq__thread_state(thread_id);
    const char *sleeps_in = state == SQ__THREAD_BLOCKED ? sq__thread_sleeps_in(thread_id) : NULL;
    if (sleeps_in != NULL) {
        sq__dump_add(text, "; it sleeps in %s", sleeps_in);
    } else if (state != SQ__THREAD_UNKNOWN) {
        sq__dump_add(text, state == SQ__THREAD_READY ? "; it uses the processor" : "; it sleeps in the system");
    }
}

/* Adds the line of a thread that runs something. `asks`: asks the system about a thread that does not wait. */
static void add_thread(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread, bool asks) {
    sq__dump_add_thread(text, thread);
    sq__dump_add(text, thread->frames > 0 ? " runs " : thread->is_apply && thread->code != 0 ? " runs" : " runs a function");
    for (unsigned i = 0; i < thread->frames && i < SQ__VIEW_FRAMES; i += 1) {
        sq__dump_add(text, i > 0 ? ", called by " : "");
        add_frame(text, view, &thread->frame[i]);
    }
    if (thread->frames > SQ__VIEW_FRAMES) {
        sq__dump_add(text, ", and %u tasks further out", thread->frames - SQ__VIEW_FRAMES);
    }
    if (thread->is_apply) {
        add_apply(text, view, thread);
    } else if (thread->is_item) {
        sq__dump_add_object(text, view, thread->frames > 0 ? ", and performs item" : " of item", thread->apply, thread->item_maker);
    } else if (thread->once != NULL) {
        sq__dump_add(text, "%s once \"%p\"", thread->frames > 0 ? ", and is inside the function of" : " of", thread->once);
    }
    if (thread->waits) {
        sq__dump_add(text, "; it waits (see above)");
    } else if (asks) {
        add_state(text, thread->self.thread_id);
    }
    sq__dump_add(text, "\n");
}

/* What the threads that are one line have in common. */
static uint64_t key_of(const sq__view_t *view, const sq__view_thread_t *thread) {
    const sq__view_frame_t *frame = &thread->frame[0];
    uint64_t key = sq__key_with(SQ__KEY, thread->frames << 4 | thread->waits << 3 | thread->is_apply << 2 | thread->is_item << 1 | (thread->once != NULL));
    if (thread->frames > 0) {
        const sq__view_queue_t *queue = sq__view_queue_of(view, frame->owner);
        key = sq__key_with(sq__key_with(key, (uintptr_t)frame->function), frame->code);
        key = sq__key_with_text(key, queue != NULL ? queue->label : frame->owner != NULL ? "?" : "");
    }
    return thread->once != NULL ? sq__key_with_text(sq__key_with(key, (uintptr_t)thread->item_maker), thread->apply) : key;
}

/* When the first of its tasks began whose begin is known; UINT64_MAX: of none. Marks their queues. */
static uint64_t look_at_frames(const sq__view_t *view, const sq__view_thread_t *thread) {
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < thread->frames && i < SQ__VIEW_FRAMES; i += 1) {
        bool is_exact;
        sq__view_queue_t *queue = sq__view_queue_of(view, thread->frame[i].owner);
        uint64_t began = sq__dump_runs_since(view, &thread->frame[i], &is_exact);
        if (queue != NULL) {
            queue->runs = true;
        }
        first = began != 0 && began < first ? began : first;
    }
    return first;
}

/* The queues of one of the longest runs are not folded. */
static void mark_queues(const sq__view_t *view, const sq__view_thread_t *thread) {
    for (unsigned i = 0; i < thread->frames && i < SQ__VIEW_FRAMES; i += 1) {
        sq__view_queue_t *queue = sq__view_queue_of(view, thread->frame[i].owner);
        if (queue != NULL) {
            queue->stands_out = true;
        }
    }
}

/* The longest runs first, then those whose begin is not known. */
void sq__dump_running_fold(sq__view_t *view, sq__section_t *section) {
    sq__view_list_t list = { .size = sizeof(sq__view_key_t) };
    for (size_t i = 0; i < view->threads.count; i += 1) {
        const sq__view_thread_t *thread = sq__view_thread(view, i);
        if (thread->frames > 0 || thread->once != NULL) {
            sq__view_add_key(view, &list, look_at_frames(view, thread), i, i);
        }
    }
    sq__view_sort(view, &list);
    sq__section_begin(view, section, list.count);
    for (size_t i = 0; i < list.count; i += 1) {
        const sq__view_key_t *key = sq__view_key(&list, i);
        bool is_alone = i < SQ__FOLD_TOP && key->first != UINT64_MAX;
        if (is_alone) {
            mark_queues(view, sq__view_thread(view, key->item));
        }
        sq__section_add(view, section, is_alone ? 0 : key_of(view, sq__view_thread(view, key->item)), key->item);
    }
    sq__section_end(view, section);
    sq__view_list_free(&list);
}

void sq__dump_want_functions(sq__view_t *view, const sq__view_thread_t *thread) {
    for (unsigned i = 0; i < thread->frames && i < SQ__VIEW_FRAMES; i += 1) {
        sq__symbols_want(view->symbols, (uintptr_t)thread->frame[i].function);
        sq__symbols_want(view->symbols, thread->frame[i].code);
        sq__view_want_site(view, thread->frame[i].site);
    }
    sq__symbols_want(view->symbols, thread->once != NULL ? thread->code : 0);
    sq__view_want_site(view, thread->item_maker);
}

void sq__dump_running_want(sq__view_t *view, const sq__section_t *section) {
    for (size_t i = 0, item; i < section->granted; i += 1) {
        (void)sq__section_line(section, i, &item);
        sq__dump_want_functions(view, sq__view_thread(view, item));
    }
}

void sq__dump_running(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section) {
    sq__dump_add(text, "THREADS THAT RUN TASKS: %zu\n", section->items.count);
    sq__dump_add_none(text, section->items.count);
    for (size_t i = 0, item; i < section->granted; i += 1) {
        size_t count = sq__section_line(section, i, &item);
        sq__dump_add_alike(text, count, "the first");
        add_thread(text, view, sq__view_thread(view, item), i < MOST_STATES);
    }
    sq__dump_add_left_out(text, section);
}
