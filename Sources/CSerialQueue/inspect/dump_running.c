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

/* Adds how long the task has been running: the time that a watched queue has noted, or else the longest wait during which no other task
 * began. */
static void add_since(sq__dump_text_t *text, const sq__view_t *view, const sq__view_frame_t *frame) {
    const sq__view_queue_t *queue = sq__view_queue_of(view, frame->owner);
    if (frame->since != 0 && frame->since <= view->now) {
        sq__dump_add(text, " for ");
        sq__dump_add_time(text, view->now - frame->since);
    } else if (queue != NULL && queue->unchanged != 0 && queue->unchanged <= view->now) {
        sq__dump_add(text, " for at least ");
        sq__dump_add_time(text, view->now - queue->unchanged);
    }
}

static void add_frame(sq__dump_text_t *text, const sq__view_t *view, const sq__view_frame_t *frame) {
    const sq__view_queue_t *queue = sq__view_queue_of(view, frame->owner);
    add_function(text, view, frame);
    if (frame->owner == NULL) {
        sq__dump_add(text, " outside of every queue");
    } else {
        sq__dump_add(text, " in queue \"%s\"", queue != NULL ? queue->label : "?");
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
    sq__dump_add(text, "  ");
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
        sq__dump_add(text, "%s item \"%s\"", thread->frames > 0 ? ", and performs" : " of", thread->apply);
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

void sq__dump_running(sq__dump_text_t *text, const sq__view_t *view) {
    size_t count = 0;
    for (size_t i = 0; i < view->threads.count; i += 1) {
        const sq__view_thread_t *thread = sq__view_thread(view, i);
        count += thread->frames > 0 || thread->once != NULL;
    }
    sq__dump_add(text, "THREADS THAT RUN TASKS: %zu\n", count);
    sq__dump_add_none(text, count);
    for (size_t i = 0; i < view->threads.count; i += 1) {
        const sq__view_thread_t *thread = sq__view_thread(view, i);
        if (thread->frames > 0 || thread->once != NULL) {
            add_thread(text, view, thread, i < MOST_STATES);
        }
    }
}
