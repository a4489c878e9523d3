#include "observe/watch_notes.h"

#include "observe/reader.h"
#include "gate/gate_inline.h"
#include "platform/clock.h"
#include "thread/self.h"

SQ__ATOMIC(sq__watch_made_t) sq__watch_made;

/* NULL: the queue was never watched. */
static sq__watch_note_t *note_of(const sq_queue_t *queue) { return sq__extra(queue, SQ__EXTRA_WATCH); }

void sq__watch_wake_thread(sq_queue_t *queue) {
    sq__watch_note_t *note = note_of(queue);
    if (sq__load_relaxed(&note->began) == SQ__WATCH_RESTS) { /* [rest] of the swap that took the queue */
        note->wake(note);
    }
}

void sq__watch_task_begins(sq_queue_t *queue, sq_function_t function, const void *site) {
    if (sq__is_concurrent(queue)) {
        sq__reader_begin(queue, function);
        return;
    }
    sq__watch_wake_thread(queue);
    sq__watch_note_t *note = note_of(queue);
    sq__store_relaxed(&note->began, 0);
    sq__store_release(&note->function, function); /* [note] release: none of the old `began` with the new function */
    sq__store_release(&note->thread_id, sq__self_thread_id()); /* [note] release: the same */
    sq__store_release(&note->site, site);                 /* [note] release: the same */
    sq__store_release(&note->began, sq__clock_now()); /* [note] release: the three above */
}

void sq__watch_task_ends(sq_queue_t *queue) {
    if (sq__is_concurrent(queue)) {
        sq__reader_end(queue);
        return;
    }
    sq__watch_note_t *note = note_of(queue);
    sq__store_relaxed(&note->began, 0);
}

void sq__watch_noted_task_calls(sq_queue_t *queue, sq_function_t function) {
    if (sq__is_concurrent(queue)) {
        const sq__reader_t *reader = sq__reader_now();
        if (reader != NULL && reader->began != 0) {
            sq__reader_begin(queue, function);
        }
        return;
    }
    const sq__watch_note_t *note = note_of(queue);
    uint64_t began = sq__load_relaxed(&note->began);
    if (began != 0 && began != SQ__WATCH_RESTS) { /* ours; else the task is not noted, and its end will not be */
        sq__watch_task_begins(queue, function, sq__load_relaxed(&note->site));
    }
}

void sq__watch_forget(sq_queue_t *queue) {
    sq__watch_note_t *note = note_of(queue);
    if (note != NULL) {
        note->forget(note);
    }
}
