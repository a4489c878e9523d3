/* reader.h: the record of a running task of a concurrent queue.
 *
 * DESIGN. The frame (thread/self.h) of an async task of a concurrent queue, and of each task of a watched one, is part of one of
 * these, on the stack of the thread that calls it. It has more than a serial queue's frame, because many tasks run at
 * the same time: the object that the task runs for, so that a wait for that object is known to need this task (wait/deadlock.h); and, if
 * the queue is watched, when the task began. Then it is in the queue's list, whose oldest entry the watching thread looks at. A sync
 * needs neither, and has a plain frame. */
#pragma once

#include "gate/gate_inline.h"
#include "thread/self.h"
#include "trace/trace.h"

/* T, and fixed while the thread sleeps; R as in concurrent.h. */
typedef struct sq__reader {
    sq__frame_t frame;        /* T  first */
    const sq__token_t *caller; /* T  of the thread that waits for it in run_and_wait, or NULL */
    const void *subject;      /* T  the group that it is a member of; of a pair the first word, which may be an item; else NULL */
    sq_pair_function_t call;  /* T  of a pair the function, which tells whether that is an item; else NULL */
    bool has_baton;           /* T  a barrier, or a discard function or a `decided`: nothing else of the queue begins before it ends */
    sq_function_t function;   /* R */
    uint64_t began;           /* R  0: not in the list */
    uint64_t thread_id;       /* R */
    struct sq__reader *next;  /* R */
    struct sq__reader **link; /* R */
} sq__reader_t;

/* The record that this frame is part of; NULL: it is of no concurrent queue's task. */
static inline sq__reader_t *sq__reader_of(const sq__frame_t *frame) {
    return frame->is_reader ? (sq__reader_t *)(uintptr_t)frame : NULL;
}

/* The same for the innermost task of the calling thread. */
static inline sq__reader_t *sq__reader_now(void) { return sq__reader_of(sq__self()->frame); }

/* Called when the calling thread's task, which has such a record, begins or ends a function. Only if the queue is watched. */
void sq__reader_begin(sq_queue_t *queue, sq_function_t function);
void sq__reader_end(sq_queue_t *queue);

/* What a watched queue runs. */
typedef struct sq__running {
    uint64_t began; /* 0: nothing is known to run */
    sq_function_t function;
    uint64_t thread_id;
    const void *site; /* where it was submitted; NULL: not known */
} sq__running_t;

/* The oldest running task. */
sq__running_t sq__reader_oldest(const sq_queue_t *queue);
