/* watch_notes.h: what a watched queue runs, and since when.
 *
 * DESIGN. While SQ__WATCHED is set in the queue's control, the baton's holder notes what runs, on which thread and since when, and the watching
 * thread reads that (inspect/watch_thread.c). Many tasks of a concurrent queue run at a time: each has a note of its own (reader.h). */
#pragma once

#include "observe/reader.h"
#include "state/extras.h"

/* In `began`: the queue is idle, and the watching thread must be woken when it gets busy. No clock reaches this value. */
#define SQ__WATCH_RESTS UINT64_MAX

/* The first part of a watched queue's record. N written by the baton's holder. */
typedef struct sq__watch_note {
    SQ__ATOMIC(uint64_t) began;         /* N  when the running task began; 0: none runs; SQ__WATCH_RESTS: none, and the watching thread set it */
    SQ__ATOMIC(sq_function_t) function; /* N */
    SQ__ATOMIC(uint64_t) thread_id;     /* N */
    SQ__ATOMIC(const void *) site;        /* N  where it was submitted; NULL: not known */
    void (*wake)(struct sq__watch_note *);   /* I  sq__watch_wake (inspect/watch_thread.h): called by the holder that finds SQ__WATCH_RESTS */
    void (*forget)(struct sq__watch_note *); /* I  forget (inspect/watch.c): called before the record is freed */
} sq__watch_note_t;

/* O. Notes that the calling thread begins, or ends, a task. The queue is watched. `site`: see trace/sites.h; in a concurrent queue the frame has
 * it. */
void sq__watch_task_begins(sq_queue_t *queue, sq_function_t function, const void *site);
void sq__watch_task_ends(sq_queue_t *queue);

/* O. Called when a task may wait in the queue from now on, though none has begun: the queue may have been idle until now. */
void sq__watch_wake_thread(sq_queue_t *queue);
static inline void sq__watch_gets_busy(sq_queue_t *queue) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__WATCHED, 0)) { /* [watch] acquire: the record */
        sq__watch_wake_thread(queue);
    }
}

/* O. The task that has begun calls this function of the user's. No effect if the queue is not watched. */
void sq__watch_noted_task_calls(sq_queue_t *queue, sq_function_t function);
static inline void sq__watch_task_calls(sq_queue_t *queue, sq_function_t function) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__WATCHED, 0)) { /* [watch] acquire: the record */
        sq__watch_noted_task_calls(queue, function);
    }
}

/* The queue is about to be freed. */
void sq__watch_forget(sq_queue_t *queue);
