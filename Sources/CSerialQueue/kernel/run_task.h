/* run_task.h: running a task: the runner's loop, which takes one after the other, and the call of a single function in a frame that makes the
 * queue the current one. */
#pragma once

#include "kernel/baton.h"
#include "kernel/batch.h"
#include "observe/observe.h"
#include "observe/probes.h"
#include "state/queue.h"
#include "platform/unwind.h"
#include "thread/self.h"
#include "trace/sites.h"

/* The frame of a runner, and what it runs. */
typedef struct sq__batch_frame {
    sq__frame_t frame; /* first, so that a frame with is_batch is known to be one of these */
    uintptr_t kind;    /* SQ__EMPTY: nothing yet, or the last one was withdrawn; else of the last task that it has begun */
    sq__work_t work;
} sq__batch_frame_t;

/* Calls `function(context)` as a task of the queue, which is the current queue during the call. The caller has the baton, or is inside as a
 * reader, and counts the task. `begins`: the call starts a new chain (sq__frame_t, thread/self.h); the frames outside did not call it. With
 * `begins` the queue may be NULL: then there is no current queue. */
static inline void sq__run_in_chain(sq_queue_t *queue, bool begins, sq_function_t function, void *context) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self();
    sq__frame_t frame; /* without `site`, which nobody reads: this is the fast path of a sync */
    frame.owner = queue;
    frame.parent = self->frame;
    frame.function = function;
    frame.begins = begins;
    frame.is_reader = frame.is_batch = frame.has_site = false;
    self->frame = &frame;
    function(context);
    self->frame = frame.parent;
}

/* The same without `begins`: the call belongs to the chain of this thread's own task, if the thread is in one. */
static inline void sq__run(sq_queue_t *queue, sq_function_t function, void *context) {
    sq__run_in_chain(queue, false, function, context);
}

/* Calls frame->function(context) as a task, with the baton or as a reader, and reports its begin and its end. The caller has set the frame's
 * owner and function. `control` is the queue's. */
void sq__run_observed(sq_queue_t *queue, uint32_t control, sq__frame_t *frame, uint64_t submitted, void *context, const void *site);

/* O. The same with a frame of its own, for sq__run_turn. */
void sq__run_turn_observed(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site, uint32_t control);

/* O. Runs the function of a sync, whose turn has come; reports it if the queue is observed. `submitted`: as sq__call_t
 * has it, or SQ__DID_NOT_WAIT. `site`: of the call. */
static inline void sq__run_turn(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site) {
    uint32_t control = sq__load_acquire(&queue->control); /* [watch] acquire: the note */
    SQ__PROBE_START(queue, function, context);
    if (__builtin_expect(!(control & SQ__NOTED), 1)) {
        sq__run(queue, function, context);
    } else {
        sq__run_turn_observed(queue, submitted, function, context, site, control);
    }
    SQ__PROBE_END(queue);
}

/* O. Takes the next work for the runner, counts it and gives its permit back. Returns its kind; SQ__EMPTY: there is nothing to call.
 * `control` is the queue's, read with acquire. */
uintptr_t sq__run_take(sq_queue_t *queue, uint32_t control, sq__work_t *work);

/* The function of this work, for reports; NULL: it has none. */
sq_function_t sq__run_function_of(uintptr_t kind, uint32_t control, const sq__work_t *work);

/* Where and when work was stored. `where`: 0 unless the queue is traced or watched. `submitted`: 0 unless it is measured. */
typedef struct sq__origin {
    uintptr_t where;
    uint64_t submitted;
} sq__origin_t;

/* O. The origin of the next work, which will run in the calling thread's innermost frame: notes its site there. `control` is the queue's. */
sq__origin_t sq__run_origin_noted(sq_queue_t *queue, uint32_t control);
static inline sq__origin_t sq__run_origin(sq_queue_t *queue, uint32_t control) {
    return __builtin_expect(control & SQ__NOTED, 0) ? sq__run_origin_noted(queue, control) : (sq__origin_t){ .where = 0 };
}

/* Calls what was taken, of whatever kind, as a task of the queue, which is the current one. */
void sq__run_taken(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control, const sq__work_t *work);

/* Called by the runner. Runs async tasks and calls (AWAITED, RUN_ANYWHERE) while the caller has the baton, until a batch of `most` is over
 * (batch.h): after SQ__NEXT_TASK the caller still has it. Adds their number to *ran, discarded and withdrawn work included; not after SQ__NEXT_FORKED. Serial queues only;
 * concurrent/run_async.h does this for a concurrent queue. */
sq__next_t sq__run_tasks(sq_queue_t *queue, size_t most, size_t *ran);

/* The same for a queue that has a target: called in a task of the target, which is the current queue again when this returns. */
sq__next_t sq__run_tasks_inside(sq_queue_t *queue, size_t most, size_t *ran);
