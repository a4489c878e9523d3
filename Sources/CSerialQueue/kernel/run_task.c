/* run_task.c: the runner's loop, and the call of a task. kernel.h has the design. */
#include "kernel/kernel_inline.h"

#include "gate/gate_inline.h"
#include "kernel/depth.h"
#include "kernel/ring.h"
#include "kernel/withdraw.h"
#include "observe/observe_inline.h"

/* The holder samples the depth before it takes a task. Looking at the state word before every task would take its cache line
 * from the submitters: from the sixteenth task of a batch on it samples before every sixteenth only. */
static bool is_time_to_sample(size_t tasks) { return tasks < 16 || tasks % 16 == 0; }

static bool uses_room(uintptr_t kind) {
    kind &= ~(uintptr_t)SQ__BARRIER;
    return kind == SQ__TASK || kind == SQ__PAIR || kind == SQ__MEMBER;
}

/* O. Takes the work that was found, of this kind, out of the queue, gives its room back, and returns its kind; SQ__EMPTY: it is not to be run, for
 * one of the reasons below. Not when nothing was found: it would advance past a slot that is not filled. */
static inline __attribute__((always_inline)) uintptr_t take_out(sq_queue_t *queue, uintptr_t kind, uint32_t control, sq__work_t *work) {
    if (__builtin_expect(!(kind & SQ__CANCELLABLE), 1)) {
        *work = sq__next_take(queue);
    } else {
        kind = sq__withdraw_take(queue, work); /* EMPTY: cancelled since the holder's last look */
    }
    if (__builtin_expect(control & SQ__BOUNDED, 0) && uses_room(kind)) {
        queue->room->give(queue, queue->room);
        if (sq__queue_is_stale(queue)) {
            kind = SQ__EMPTY; /* a function that was called for the room has forked, and this is the child: the parent runs it */
        }
    }
    return kind;
}

/* O. The work that was taken is an AWAITED or RUN_ANYWHERE. True: its wait is claimed, and counted as run. False: its thread no longer waits, or was
 * refused: counted as skipped. */
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

/* O. What sq__run_take (kernel.h) does, inlined into the batch of a serial queue. */
static inline __attribute__((always_inline)) uintptr_t take(sq_queue_t *queue, uintptr_t kind, uint32_t control, sq__work_t *work) {
    kind = take_out(queue, kind, control, work);
    if (kind == SQ__AWAITED || kind == SQ__RUN_ANYWHERE) {
        return take_call(queue, control, work->waiter) ? kind : SQ__EMPTY;
    }
    if (__builtin_expect(kind == SQ__EMPTY, 0)) {
        return kind;
    }
    if (__builtin_expect(!(control & SQ__DISCARD), 1) || kind == SQ__CLEANUP) {
        sq__count(&queue->ran, 1);
    } else {
        sq__tally(queue, SQ__TALLY_DISCARDED, 1);
    }
    return kind;
}

/* In the task's frame: calls its function; if `control` has SQ__DISCARD, its discard function, if it has one. */
static inline void run_task(const sq_queue_t *queue, uint32_t control, sq_task_t task) {
    if (__builtin_expect(!(control & SQ__DISCARD), 1)) {
        SQ__PROBE_START(queue, task.run, task.context);
        task.run(task.context);
        SQ__PROBE_END(queue);
    } else if (task.discard != NULL) {
        task.discard(task.context);
    }
}

/* As run_task: a pair has one function, and its last argument says whether the task runs or is discarded. */
static inline void run_pair(const sq_queue_t *queue, uint32_t control, sq__pair_t pair) {
    if (__builtin_expect(!(control & SQ__DISCARD), 1)) {
        SQ__PROBE_START(queue, pair.call, pair.first);
        pair.call(pair.first, pair.second, true);
        SQ__PROBE_END(queue);
    } else {
        pair.call(pair.first, pair.second, false);
    }
}

/* The function has returned: a watcher, a trace and the histograms see its end before its outcome can be seen. */
static inline void ended(sq_queue_t *queue, const sq__observed_t *observed) {
    if (__builtin_expect(observed != NULL, 0)) {
        sq__observe_end(queue, observed);
    }
}

/* Ends the member after its function has returned, so that waits for the group see its writes. */
static void run_member(sq_queue_t *queue, uint32_t control, const sq__observed_t *observed, sq__member_task_t member) {
    run_task(queue, control, (sq_task_t){ .run = member.run, .discard = member.end->discard, .context = member.context });
    ended(queue, observed);
    member.end->call(member.end, !sq__queue_is_stale(queue));
}

/* Runs the function of a waiting thread (AWAITED, RUN_ANYWHERE) whose wait is claimed, and grants the wait. After that its call is gone. */
static void run_for_waiter(sq_queue_t *queue, const sq__observed_t *observed, sq__waiter_t waiter) {
    run_task(queue, 0, waiter.call->task);
    ended(queue, observed);
    if (!sq__queue_is_stale(queue)) { /* else it has forked, and this is the child: the waiter is a thread of the parent's */
        waiter.call->is_done = true;
        /* This grant ends the wait only: the baton stays here. */
        sq__token_grant(waiter.token, waiter.wait_id);
    }
}

/* What is discarded without a function is known by the one that it would have run. Nothing but the work is read if
 * nothing is discarded and no thread waits for it: a dump has a copy of it. */
sq_function_t sq__run_function_of(uintptr_t kind, uint32_t control, const sq__work_t *work) {
    const bool is_discarded = control & SQ__DISCARD;
    switch (kind & ~(uintptr_t)SQ__BARRIER) {
    case SQ__MEMBER:
        return is_discarded && work->member.end->discard != NULL ? work->member.end->discard : work->member.run;
    case SQ__AWAITED:
    case SQ__RUN_ANYWHERE:
        return work->waiter.call->task.run;
    case SQ__PAIR:
    case SQ__JOB:
        return (sq_function_t)(void (*)(void))work->pair.call;
    default:
        return is_discarded && work->task.discard != NULL ? work->task.discard : work->task.run;
    }
}

/* In the frame of what was taken: calls it, by its kind, and reports its end. `kind`: without SQ__BARRIER; SQ__EMPTY calls nothing. `observed`: NULL
 * if nothing observes the task. */
static inline __attribute__((always_inline)) void call(sq_queue_t *queue, uintptr_t kind, uint32_t control, const sq__observed_t *observed,
                                                       const sq__work_t *work) {
    switch (kind) {
    case SQ__TASK:
    case SQ__DUE:
    case SQ__NOTIFICATION:
    case SQ__CLEANUP:
        run_task(queue, control, work->task);
        ended(queue, observed);
        break;
    case SQ__PAIR:
    case SQ__JOB:
        run_pair(queue, control, work->pair);
        ended(queue, observed);
        break;
    case SQ__MEMBER:
        run_member(queue, control, observed, work->member);
        break;
    case SQ__AWAITED:
    case SQ__RUN_ANYWHERE:
        run_for_waiter(queue, observed, work->waiter);
        break;
    }
}

uintptr_t sq__run_take(sq_queue_t *queue, uint32_t control, sq__work_t *work) { return take(queue, sq__next_kind(queue), control, work); }

/* What there is to see of a task that was taken. Its site is that of the calling thread's innermost frame. */
static sq__task_seen_t task_seen(const sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control, const sq__work_t *work) {
    sq__task_seen_t task = {
        .function = sq__run_function_of(kind, control, work), .kind = (unsigned)kind, .is_discarded = control & SQ__DISCARD,
        .where = origin.where, .submitted = control & SQ__DISCARD ? 0 : origin.submitted, .depth = control & SQ__MEASURED ? sq__depth(queue) : 0,
        .site = sq__frame_site(sq__self()->frame)
    };
    kind &= ~(uintptr_t)SQ__BARRIER;
    if (kind == SQ__AWAITED || kind == SQ__RUN_ANYWHERE) {
        task.context = work->waiter.call->task.context;
        task.submitted = work->waiter.call->submitted;
    } else {
        task.context = work->task.context; /* whatever the kind: behind its function */
        task.is_pair = kind == SQ__PAIR || kind == SQ__JOB;
    }
    return task;
}

sq__origin_t sq__run_origin_noted(sq_queue_t *queue, uint32_t control) {
    sq__origin_t origin = { .where = 0 };
    if (control & SQ__MEASURED) {
        const sq__slot_t *slot = sq__load_relaxed(&queue->handoff_kind) == SQ__EMPTY ? sq__ring_head(queue) : NULL;
        origin.submitted = slot != NULL ? sq__ring_time(sq__load_relaxed(&slot->word)) : sq__timings_submitted_handoff(queue);
    }
    if (control & SQ__SITED) {
        origin.where = sq__next_where(queue);
        sq__frame_set_site(sq__self()->frame, sq__sited_take(queue, origin.where));
    }
    if (control & SQ__TRACED && sq__is_concurrent(queue)) { /* the place may be filled anew before the task starts */
        sq__trace_hook_event(queue, SQ__EVENT_GRANT, 0, origin.where, 0);
    }
    return origin;
}

/* As sq__run_taken, on a queue that is observed: reports the begin, too. */
static __attribute__((noinline)) void call_observed(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control,
                                                    const sq__work_t *work) {
    sq__task_seen_t task = task_seen(queue, kind, origin, control, work);
    sq__observed_t observed = sq__observe_begin(queue, control, &task);
    call(queue, kind & ~(uintptr_t)SQ__BARRIER, control, &observed, work);
    sq__self()->frame->has_site = false; /* the next task is perhaps not noted */
}

void sq__run_taken(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control, const sq__work_t *work) {
    if (__builtin_expect(control & SQ__NOTED, 0)) {
        call_observed(queue, kind, origin, control, work);
    } else {
        call(queue, kind & ~(uintptr_t)SQ__BARRIER, control, NULL, work);
    }
}

void sq__run_observed(sq_queue_t *queue, uint32_t control, sq__frame_t *frame, uint64_t submitted, void *context, const void *site) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self();
    frame->parent = self->frame;
    sq__frame_set_site(frame, control & SQ__SITED ? site : NULL);
    self->frame = frame;
    sq__observed_t observed = sq__observe_begin(queue, control, &(sq__task_seen_t){
        .function = frame->function, .context = context, .kind = SQ__WAITER, .is_call = true, .submitted = submitted,
        .depth = control & SQ__MEASURED ? sq__depth(queue) : 0, .site = sq__frame_site(frame)
    });
    frame->function(context);
    sq__observe_end(queue, &observed);
    self->frame = frame->parent;
}

void sq__run_turn_observed(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site, uint32_t control) {
    sq__frame_t frame = { .owner = queue, .function = function };
    sq__run_observed(queue, control, &frame, submitted, context, site);
}

/* O. As run_work, on a queue that is watched, traced or measured, or that discards what waits. */
static __attribute__((noinline)) void run_observed_work(sq_queue_t *queue, uint32_t control, sq__batch_frame_t *frame) {
    sq__origin_t origin = sq__run_origin(queue, control);
    frame->kind = sq__run_take(queue, control, &frame->work);
    if (frame->kind != SQ__EMPTY) {
        sq__run_taken(queue, frame->kind, origin, control, &frame->work);
    }
}

/* O. Takes the work that was found, of this kind, and runs or discards it. frame->kind: what it was; SQ__EMPTY: it was not to be run. */
static inline __attribute__((always_inline)) void run_work(sq_queue_t *queue, uintptr_t kind, sq__batch_frame_t *frame) {
    uint32_t control = sq__load_acquire(&queue->control); /* [watch] acquire: the note */
    if (__builtin_expect(control & (SQ__DISCARD | SQ__NOTED), 0)) {
        run_observed_work(queue, control, frame);
        return;
    }
    frame->kind = take(queue, kind, control & SQ__BOUNDED, &frame->work);
    call(queue, frame->kind, 0, NULL, &frame->work); /* EMPTY: calls nothing */
}

/* O. sq__baton_next, by the runner, inline for what is met most: a task, in a queue that is not suspended. *kind: what is next; not after anything but
 * SQ__NEXT_TASK. */
static inline __attribute__((always_inline)) sq__next_t next_task(sq_queue_t *queue, bool begins, uintptr_t *kind) {
    *kind = sq__next_kind(queue);
    /* After the kind, as in sq__baton_find. */
    bool is_held_back = sq__load_relaxed(&queue->control) & SQ__HELD_BACK; /* [control] relaxed: after the next task's kind */
    if (__builtin_expect(*kind - SQ__TASK <= SQ__MEMBER - SQ__TASK && !is_held_back, 1)) {
        return SQ__NEXT_TASK;
    }
    sq__next_t next = sq__baton_next(queue, begins);
    *kind = next == SQ__NEXT_TASK ? sq__next_kind(queue) : SQ__EMPTY;
    return next;
}

/* O. What sq__run_tasks (kernel.h) does; if not `begins`, what sq__run_tasks_inside does. */
static inline __attribute__((always_inline)) sq__next_t run_tasks(sq_queue_t *queue, bool begins, size_t most, size_t *ran) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self_listed();
    sq__batch_frame_t frame;
    frame.frame = (sq__frame_t){ .owner = queue, .parent = self->frame, .begins = begins, .is_batch = true };
    frame.kind = SQ__EMPTY;
    size_t tasks = 0;
    sq__batch_t batch = sq__batch(most);
    sq__next_t next;
    uintptr_t kind;
    self->frame = &frame.frame; /* once for all tasks: they all are this queue's */
    /* In a task of its target it does not linger, as the target may have more to do; there `begins` is false (such a queue gets no RUN_ANYWHERE). */
    while ((next = next_task(queue, begins, &kind)) == SQ__NEXT_TASK && !sq__batch_is_over(queue, &batch, tasks)) {
        if (is_time_to_sample(tasks)) {
            sq__depth_sample(queue);
        }
        run_work(queue, kind, &frame);
        tasks += 1;
        if (__builtin_expect(sq__queue_is_stale(queue), 0)) {
            self->frame = frame.frame.parent;
            return SQ__NEXT_FORKED;
        }
    }
    self->frame = frame.frame.parent;
    *ran += tasks;
    return next;
}

sq__next_t sq__run_tasks(sq_queue_t *queue, size_t most, size_t *ran) { return run_tasks(queue, true, most, ran); }

sq__next_t sq__run_tasks_inside(sq_queue_t *queue, size_t most, size_t *ran) { return run_tasks(queue, false, most, ran); }
