/* dump_threads.c: what each thread runs and waits for. */
#include "inspect/dump_threads.h"

#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"
#include "state/state_inline.h"

enum { MOST_THREADS = 1 << 17, MOST_FRAMES = 64 };

/* Visits a thread (sq__self_visit). False: no further one is wanted, as there is no memory, or there are too many. */
static bool add(void *context, const sq__self_t *at, const sq__self_t *copy) {
    sq__view_t *view = context;
    sq__view_thread_t *thread = sq__view_add(view, &view->threads);
    if (thread == NULL || view->threads.count > MOST_THREADS) {
        return false;
    }
    thread->at = at;
    thread->self = *copy;
    return true;
}

/* When the running task began, if the queue is watched and this thread noted it; else 0. */
static uint64_t since(const sq_queue_t *queue, uint64_t thread_id) {
    struct sq_queue copy;
    sq__watch_note_t note;
    if (!sq__peek(queue, &copy, sizeof copy) || !(sq__load_relaxed(&copy.control) & SQ__WATCHED)
        || !sq__extra_peek(&copy, SQ__EXTRA_WATCH, &note, sizeof note)) {
        return 0;
    }
    uint64_t began = sq__load_relaxed(&note.began);
    return sq__load_relaxed(&note.thread_id) == thread_id && began != SQ__WATCH_RESTS ? began : 0;
}

/* Of the copy of a frame. */
static const void *site_of(const sq__frame_t *copy) { return sq__peeked(&copy->has_site) ? copy->site : 0; }

/* Replaces a function of the library by the user's that it calls. If that cannot be read, or `context` is NULL: by what it is, in words. */
static void unwrap(sq__view_frame_t *seen, const void *context) {
    for (const sq__wrapper_t *wrapper; (wrapper = sq__wrapper_of(seen->function)) != NULL;) {
        seen->what = wrapper->name;
        seen->function = (sq_function_t)sq__wrapper_peek(context, wrapper->run);
        seen->code = sq__wrapper_peek(context, wrapper->code);
        context = (const void *)sq__wrapper_peek(context, wrapper->context);
    }
}

/* Fills in what the thread that this frame belongs to runs in a batch; peeks. Nothing is filled in if it cannot be read, or between two tasks. */
static void read_batch(const sq__frame_t *at, sq__view_frame_t *seen) {
    sq__batch_frame_t batch;
    if (!sq__peek(at, &batch, sizeof batch) || batch.kind == SQ__EMPTY) {
        return;
    }
    seen->site = site_of(&batch.frame);
    const uintptr_t kind = batch.kind & ~(uintptr_t)SQ__BARRIER;
    if (kind == SQ__AWAITED || kind == SQ__RUN_ANYWHERE) { /* its function is in the caller's memory, which the kernel would just read */
        sq__call_t call;
        bool is_there = sq__peek(batch.work.waiter.call, &call, sizeof call);
        seen->is_call = true;
        seen->function = is_there ? call.task.run : NULL;
        unwrap(seen, is_there ? call.task.context : NULL);
        return;
    }
    seen->function = sq__run_function_of(kind, 0, &batch.work);
    if (kind == SQ__PAIR || kind == SQ__JOB) {
        seen->code = (uintptr_t)batch.work.pair.first;
    }
    unwrap(seen, batch.work.task.context); /* whatever the kind: behind its function */
}

/* Fills in what is known of another thread's task. `frame`: a copy of the frame at `at`; all else is peeked at. */
static void read_frame(const sq__frame_t *at, const sq__frame_t *frame, uint64_t thread_id, sq__view_frame_t *seen) {
    *seen = (sq__view_frame_t){ .owner = frame->owner, .site = site_of(frame) };
    bool is_batch = sq__peeked(&frame->is_batch), is_reader = sq__peeked(&frame->is_reader);
    if (is_batch) {
        read_batch(at, seen);
    } else {
        seen->function = frame->function;
        if (!is_reader) {
            unwrap(seen, NULL); /* its context is not known */
        }
    }
    if (is_reader) {
        sq__reader_t reader;
        if (sq__peek(at, &reader, sizeof reader)) {
            seen->code = (uintptr_t)reader.subject;
            unwrap(seen, reader.call != NULL ? reader.subject : NULL); /* else it is a member, and the subject its group */
            seen->since = reader.began;
            seen->site = site_of(&reader.frame);
            seen->is_call = !sq__peeked(&frame->begins) || reader.caller != NULL;
        }
    } else if (frame->owner != NULL) {
        seen->since = since(frame->owner, thread_id);
    }
    if (!is_batch && !is_reader && sq__peeked(&frame->has_site)) {
        seen->is_call = true;
    }
}

/* Fills in the tasks of thread number i, and adds their queues to `held`; peeks. */
static void read_frames(sq__view_t *view, size_t i) {
    sq__view_thread_t *thread = sq__view_thread(view, i);
    const sq__frame_t *at = thread->self.frame;
    sq__frame_t frame;
    while (at != NULL && at != SQ__UNLISTED && thread->frames < MOST_FRAMES && sq__peek(at, &frame, sizeof frame)) {
        if (thread->frames < SQ__VIEW_FRAMES) {
            read_frame(at, &frame, thread->self.thread_id, &thread->frame[thread->frames]);
        }
        if (frame.owner != NULL) {
            sq__view_add_key(view, &view->held, (uintptr_t)frame.owner, 0, i);
        }
        thread->frames += 1;
        at = frame.parent;
    }
}

/* Where the semaphore, group or item with this label was made (trace/sites.c). NULL: it has a label, or cannot be read. */
static const void *maker_of(const char *label, const char *copy) {
    char bytes[SQ__MAKER];
    return copy[0] == '\0' && label != NULL && sq__peek(label, bytes, sizeof bytes) ? sq__maker_of(bytes) : NULL;
}

/* Fills in what the thread waits for, if it waits; peeks. */
static void read_wait(sq__view_thread_t *thread) {
    sq__subject_t subject;
    if (thread->self.wait == NULL || !sq__peek(thread->self.wait, &thread->wait, sizeof thread->wait)) {
        return;
    }
    const sq__wait_t *wait = &thread->wait;
    thread->waits = true;
    thread->object = wait->queue;
    if (wait->subject != NULL && sq__peek(wait->subject, &subject, sizeof subject)) {
        sq__peek_text(subject.kind, thread->kind, sizeof thread->kind);
        sq__peek_text(subject.label, thread->label, sizeof thread->label);
        thread->object = subject.object;
        thread->maker = sq__kind_has_maker(thread->kind) ? maker_of(subject.label, thread->label) : NULL;
    } else if (wait->queue != NULL) {
        sq__peek_text(sq__peek_at(wait->queue, offsetof(sq_queue_t, label)), thread->label, sizeof thread->label);
    }
}

/* True: the parts that were read may not belong together, because the thread is no longer in the same frame and wait. */
static bool has_moved(const sq__view_thread_t *thread) {
    sq__self_t now;
    return !sq__peek(thread->at, &now, sizeof now) || now.frame != thread->self.frame || now.wait != thread->self.wait;
}

/* True: the wait is over, but the thread has not run since. */
static bool is_over(const sq__view_thread_t *thread) {
    const sq__wait_t *wait = &thread->wait;
    return thread->waits && wait->token == thread->self.token && !sq__token_seems_open(wait->token, wait->wait_id);
}

/* Fills in what `add` has begun. The thread may continue or end meanwhile, so all is peeked at: if it has moved, it then has no task, once or wait
 * here, and no key in `held`. */
static void read_thread(sq__view_t *view, size_t i) {
    sq__view_thread_t *thread = sq__view_thread(view, i);
    size_t held = view->held.count;
    sq__duty_t duty;
    read_frames(view, i);
    if (sq__peek(thread->self.duty, &duty, sizeof duty)) {
        thread->once = duty.what;
        thread->is_apply = duty.pool != NULL;
        thread->is_item = duty.item != NULL;
        thread->code = duty.code;
        sq__peek_text(thread->is_apply ? duty.pool : thread->is_item ? duty.item : "", thread->apply, sizeof thread->apply);
        thread->item_maker = thread->is_item ? maker_of(duty.item, thread->apply) : NULL;
        sq__view_add_key(view, &view->held, (uintptr_t)duty.what, 0, i);
    }
    read_wait(thread);
    if (has_moved(thread)) {
        view->held.count = held;
        thread->frames = 0;
        thread->once = NULL;
        thread->waits = false;
    } else if (is_over(thread)) {
        thread->waits = false;
    }
}

void sq__view_look_at_threads(sq__view_t *view) {
    view->had_threads = sq__self_visit(&view->patience, add, view);
    for (size_t i = 0; i < view->threads.count; i += 1) {
        read_thread(view, i);
    }
    sq__view_sort(view, &view->held);
}

const sq__view_key_t *sq__view_holders(const sq__view_t *view, const void *what, size_t *count) {
    const sq__view_key_t *held = sq__view_key(&view->held, 0);
    size_t first = sq__view_first(&view->held, (uintptr_t)what);
    *count = 0;
    while (what != NULL && first + *count < view->held.count && held[first + *count].first == (uintptr_t)what) {
        *count += 1;
    }
    return held + first;
}
