#include "kernel/run.h"

#include "kernel/baton.h"
#include "kernel/depth.h"
#include "kernel/reader.h"
#include "kernel/ring.h"
#include "kernel/sited.h"
#include "kernel/traced.h"
#include "kernel/withdraw.h"

/* The holder samples the depth before it takes a task. Looking at the state word before every task would take its cache line
 * from the submitters: with a long backlog every sixteenth has to do. */
static bool is_time_to_sample(size_t tasks) { return tasks < 16 || tasks % 16 == 0; }

/* Takes the next work out of the ring, and returns its kind; SQ__EMPTY: there is nothing to run. */
static inline uintptr_t take_out(sq_queue_t *queue, sq__work_t *work) {
    uintptr_t kind = sq__next_kind(queue);
    if (__builtin_expect(kind == SQ__CLAIM, 0)) {
        kind = sq__withdraw_take(queue, work);
    } else if (__builtin_expect(kind == SQ__GONE, 0)) { /* since the holder's last look */
        sq__withdraw_pass(queue);
        kind = SQ__EMPTY;
    } else {
        *work = sq__next_take(queue);
    }
    if (__builtin_expect(queue->room != NULL, 0)
        && (kind == SQ__TASK || kind == SQ__PAIR || kind == SQ__MEMBER || kind == SQ__BARRIER
            || kind == SQ__BARRIER_PAIR || kind == SQ__BARRIER_MEMBER)) {
        queue->room->give(queue, queue->room);
        if (sq__queue_is_stale(queue)) {
            kind = SQ__EMPTY; /* a function that was called for the room has forked, and this is the child: the parent runs it */
        }
    }
    return kind;
}

/* The work is an AWAITED or EITHER. False: its thread no longer waits, or was refused. */
static bool take_call(sq_queue_t *queue, uint32_t control, sq__waiter_t waiter) {
    if (control & SQ__DISCARD) {
        (void)sq__token_refuse(waiter.token, waiter.wait_id); /* it counts itself as withdrawn */
    } else if (sq__token_claim(waiter.token, waiter.wait_id)) {
        sq__count(&queue->ran, 1);
        return true;
    }
    sq__count(&queue->skipped, 1);
    return false;
}

static inline uintptr_t take(sq_queue_t *queue, uint32_t control, sq__work_t *work) {
    uintptr_t kind = take_out(queue, work);
    if (kind == SQ__AWAITED || kind == SQ__EITHER) {
        return take_call(queue, control, work->waiter) ? kind : SQ__EMPTY;
    }
    if (__builtin_expect(kind == SQ__EMPTY, 0)) {
        return kind;
    }
    if (__builtin_expect(!(control & SQ__DISCARD), 1)) {
        sq__count(&queue->ran, 1);
    } else {
        sq__count(&queue->discarded, 1);
    }
    return kind;
}

static inline void run_task(const sq_queue_t *queue, uint32_t control, sq_task_t task) {
    if (__builtin_expect(!(control & SQ__DISCARD), 1)) {
        SQ__PROBE_START(queue, task.run, task.context);
        task.run(task.context);
        SQ__PROBE_END(queue);
    } else if (task.discard != NULL) {
        task.discard(task.context);
    }
}

static inline void run_pair(const sq_queue_t *queue, uint32_t control, sq__pair_t pair) {
    if (__builtin_expect(!(control & SQ__DISCARD), 1)) {
        SQ__PROBE_START(queue, pair.call, pair.first);
        pair.call(pair.first, pair.second, true);
        SQ__PROBE_END(queue);
    } else {
        pair.call(pair.first, pair.second, false);
    }
}

/* Ends the member after its function has returned, so that waits for the group see its writes. */
static void run_member(sq_queue_t *queue, uint32_t control, uint64_t began, sq__member_task_t member) {
    sq_function_t discard = control & SQ__DISCARD ? member.end->discard : NULL;
    run_task(queue, control, (sq_task_t){ .run = member.run, .discard = discard, .context = member.context });
    sq__measured_end(queue, began);
    member.end->call(member.end, !sq__queue_is_stale(queue));
}

static void run_call(sq_queue_t *queue, uint64_t began, sq__waiter_t waiter) {
    run_task(queue, 0, waiter.call->task);
    sq__measured_end(queue, began);
    if (!sq__queue_is_stale(queue)) { /* else it has forked, and this is the child: the waiter is a thread of the parent's */
        waiter.call->is_done = true;
        sq__token_grant(waiter.token, waiter.wait_id);
    }
}

sq_function_t sq__run_function_of(uintptr_t kind, uint32_t control, const sq__work_t *work) {
    switch (kind) {
    case SQ__MEMBER:
    case SQ__BARRIER_MEMBER:
        return control & SQ__DISCARD ? work->member.end->discard : work->member.run;
    case SQ__AWAITED:
    case SQ__EITHER:
        return work->waiter.call->task.run;
    case SQ__PAIR:
    case SQ__JOB:
    case SQ__BARRIER_PAIR:
    case SQ__BARRIER_JOB:
        return (sq_function_t)(void (*)(void))work->pair.call;
    default:
        return control & SQ__DISCARD ? work->task.discard : work->task.run;
    }
}

/* `began`: see measured.h. A task is counted before its outcome can be seen. */
static inline __attribute__((always_inline)) void call_measured(sq_queue_t *queue, uintptr_t kind, uint32_t control, uint64_t began,
                                                                const sq__work_t *work) {
    switch (kind) {
    case SQ__TASK:
    case SQ__DUE:
    case SQ__BARRIER:
        run_task(queue, control, work->task);
        sq__measured_end(queue, began);
        break;
    case SQ__PAIR:
    case SQ__JOB:
    case SQ__BARRIER_PAIR:
    case SQ__BARRIER_JOB:
        run_pair(queue, control, work->pair);
        sq__measured_end(queue, began);
        break;
    case SQ__MEMBER:
    case SQ__BARRIER_MEMBER:
        run_member(queue, control, began, work->member);
        break;
    case SQ__AWAITED:
    case SQ__EITHER:
        run_call(queue, began, work->waiter);
        break;
    }
}

static inline __attribute__((always_inline)) void call(sq_queue_t *queue, uintptr_t kind, uint64_t submitted, uint32_t control,
                                                       const sq__work_t *work) {
    uint64_t began = 0;
    if (__builtin_expect(control & SQ__WATCHED, 0) && kind != SQ__EMPTY) {
        sq__cold_task_begins(queue, sq__run_function_of(kind, control, work), sq__reader_site_of(sq__self()->frame));
    }
    if (__builtin_expect((control & (SQ__MEASURED | SQ__DISCARD)) == SQ__MEASURED, 0) && kind != SQ__EMPTY) {
        began = sq__measured_begin(queue, kind == SQ__AWAITED || kind == SQ__EITHER ? work->waiter.call->submitted : submitted);
    }
    call_measured(queue, kind, control, began, work);
    if (__builtin_expect(control & SQ__WATCHED, 0)) {
        sq__cold_task_ends(queue);
    }
}

uintptr_t sq__run_take(sq_queue_t *queue, uint32_t control, sq__work_t *work) { return take(queue, control, work); }

/* The task was taken from a queue that is traced. */
static sq__session_t trace_start(sq_queue_t *queue, uintptr_t kind, uintptr_t where, uint32_t control, const sq__work_t *work) {
    unsigned detail = (unsigned)kind | (control & SQ__DISCARD ? SQ__EVENT_DISCARDS : 0);
    bool is_call = kind == SQ__AWAITED || kind == SQ__EITHER;
    bool is_pair = kind == SQ__PAIR || kind == SQ__JOB || kind == SQ__BARRIER_PAIR || kind == SQ__BARRIER_JOB;
    const void *context = is_call ? work->waiter.call->task.context : work->task.context; /* whatever the kind: behind its function */
    return sq__traced_start(queue, detail, where, sq__run_function_of(kind, control, work), context, is_pair);
}

/* O. The next task, which is in this place, will run in the calling thread's innermost frame. */
static void note_site(const sq_queue_t *queue, uintptr_t where) {
    sq__frame_t *frame = sq__self()->frame;
    sq__site_t site = sq__sited_take(queue, where);
    if (frame->is_reader) {
        ((sq__reader_t *)(void *)frame)->site = site;
    } else {
        ((sq__batch_frame_t *)(void *)frame)->site = site;
    }
    frame->has_site = site != 0;
}

static __attribute__((noinline)) void call_sited(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control,
                                                 const sq__work_t *work) {
    sq__session_t session = control & SQ__TRACED ? trace_start(queue, kind, origin.where, control, work) : 0;
    call(queue, kind, origin.submitted, control, work);
    if (session != 0) {
        sq__trace_close(session, SQ__EVENT_END, 0, 0);
    }
    sq__self()->frame->has_site = false; /* the next task is perhaps not noted */
}

sq__origin_t sq__run_origin_noted(sq_queue_t *queue, uint32_t control) {
    sq__origin_t origin = { .where = 0, .submitted = control & SQ__MEASURED ? sq__measured_submitted(queue) : 0 };
    if (control & SQ__SITED) {
        origin.where = sq__next_where(queue);
        note_site(queue, origin.where);
    }
    if (control & SQ__TRACED && sq__is_concurrent(queue)) { /* the place may be filled anew before the task starts */
        sq__traced_event(queue, SQ__EVENT_GRANT, 0, origin.where, 0);
    }
    return origin;
}

void sq__run_call(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control, const sq__work_t *work) {
    if (__builtin_expect(control & SQ__SITED, 0)) {
        call_sited(queue, kind, origin, control, work);
        return;
    }
    call(queue, kind, origin.submitted, control, work);
}

/* sq__run in a frame that has the site. */
static void run_sited(sq_queue_t *queue, sq_function_t function, void *context, sq__site_t site) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self();
    sq__turn_frame_t turn = { .frame = { .owner = queue, .parent = self->frame, .function = function, .has_site = site != 0 }, .site = site };
    self->frame = &turn.frame;
    function(context);
    self->frame = turn.frame.parent;
}

void sq__run_noted_turn(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, sq__site_t site, uint32_t control) {
    site = control & SQ__SITED ? sq__sited_call(queue, site) : 0;
    sq__session_t session = 0;
    if (control & SQ__TRACED) {
        session = sq__traced_start(queue, SQ__WAITER | SQ__EVENT_CALLS, site, function, context, false);
    }
    if (control & SQ__WATCHED) {
        sq__cold_task_begins(queue, function, site);
    }
    uint64_t began = control & SQ__MEASURED ? sq__measured_begin(queue, submitted) : 0;
    run_sited(queue, function, context, site);
    sq__measured_end(queue, began);
    if (control & SQ__WATCHED) {
        sq__cold_task_ends(queue);
    }
    sq__trace_close(session, SQ__EVENT_END, 0, 0);
}

/* On a queue that is watched, traced or measured. */
static __attribute__((noinline)) void run_noted_work(sq_queue_t *queue, uint32_t control, sq__batch_frame_t *batch) {
    sq__origin_t origin = sq__run_origin(queue, control);
    batch->kind = take(queue, control, &batch->work);
    if (batch->kind != SQ__EMPTY) {
        sq__run_call(queue, batch->kind, origin, control, &batch->work);
    }
}

static inline void run_work(sq_queue_t *queue, sq__batch_frame_t *batch) {
    uint32_t control = sq__load_acquire(&queue->control); /* [watch] acquire: the note */
    if (__builtin_expect(control & (SQ__DISCARD | SQ__NOTED), 0)) {
        run_noted_work(queue, control, batch);
        return;
    }
    batch->kind = take(queue, 0, &batch->work);
    call_measured(queue, batch->kind, 0, 0, &batch->work);
}

sq__run_end_t sq__run_tasks(sq_queue_t *queue, size_t most, size_t *ran) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self_listed();
    sq__batch_frame_t frame;
    frame.frame = (sq__frame_t){ .owner = queue, .parent = self->frame, .begins = true, .is_batch = true };
    frame.kind = SQ__EMPTY;
    size_t tasks = 0;
    sq__batch_t batch = sq__batch(most);
    sq__next_t next;
    self->frame = &frame.frame; /* once for all tasks: they all are this queue's */
    while ((next = sq__baton_next(queue, true)) == SQ__NEXT_TASK && !sq__batch_is_over(queue, &batch, tasks)) {
        if (is_time_to_sample(tasks)) {
            sq__depth_sample(queue);
        }
        run_work(queue, &frame);
        tasks += 1;
        if (__builtin_expect(sq__queue_is_stale(queue), 0)) {
            self->frame = frame.frame.parent;
            return SQ__RUN_FORKED;
        }
    }
    self->frame = frame.frame.parent;
    *ran += tasks;
    switch (next) {
    case SQ__NEXT_TASK:
        return SQ__RUN_MORE;
    case SQ__NEXT_END:
        return SQ__RUN_END;
    default:
        return SQ__RUN_GONE;
    }
}
