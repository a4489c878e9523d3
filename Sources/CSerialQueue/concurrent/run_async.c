/* run_async.c: async tasks of a concurrent queue, on threads of its pool. admit.h has the design. */
#include "concurrent/concurrent.h"

#include "concurrent/admit.h"
#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"

/* O. Runs what was taken with the baton in hand, and keeps the baton: the discard function of a task, or else a barrier. */
static void run_alone(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control, const sq__work_t *work) {
    sq__gate_t *gate = sq__gate_of(queue);
    bool is_barrier = !(control & SQ__DISCARD);
    if (is_barrier) {
        (void)sq__add_relaxed(gate, SQ__GATE_BARRIER);
    }
    sq__run_taken(queue, kind, origin, control, work);
    if (is_barrier) {
        (void)sq__add_relaxed(gate, -SQ__GATE_BARRIER); /* relaxed: the next holder sees it with the baton */
    }
}

/* O. Passes the baton, and then runs what was taken, as a reader. True: the caller holds the baton again. False: it must not touch the queue again
 * (or a task has forked, and this is the child). */
static bool run_reader(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control, const sq__work_t *work,
                       sq__reader_t *reader) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    bool is_limited = concurrent->width != UINT32_MAX;
    (void)sq__add_relaxed(&concurrent->gate, SQ__GATE_INSIDE_ONE);
    if (is_limited) {
        (void)sq__add_relaxed(&concurrent->asyncs, 1);
    }
    reader->has_baton = false;
    (void)sq__admit_pass(queue);
    sq__run_taken(queue, kind, origin, control, work);
    if (sq__queue_is_stale(queue)) {
        return false;
    }
    if (is_limited) {
        /* [width] relaxed: released by the swap in sq__gate_leave. */
        (void)sq__add_relaxed(&concurrent->asyncs, (uint32_t)-1);
    }
    return sq__gate_leave(&concurrent->gate, sq__load_relaxed(&concurrent->gate), true);
}

/* O. Takes the async work at the head, which was admitted, and runs it. `admitted`: the control when it was admitted. Work that was to be discarded
 * then was admitted out of turn, so it is discarded, even if the queue has a reference again. Returns as run_reader. */
static bool run_work(sq_queue_t *queue, uint32_t admitted, sq__reader_t *reader) {
    sq__work_t work;
    uint32_t control = sq__load_acquire(&queue->control) | (admitted & SQ__DISCARD); /* [watch] acquire: the note */
    sq__origin_t origin = sq__run_origin(queue, control);
    reader->has_baton = true;
    reader->caller = NULL; /* of the last one: what is taken may call a `decided` */
    reader->subject = NULL;
    uintptr_t kind = sq__run_take(queue, control, &work);
    if (kind == SQ__EMPTY) {
        return !sq__queue_is_stale(queue);
    }
    reader->frame.function = sq__run_function_of(kind, control, &work);
    reader->caller = kind == SQ__AWAITED ? work.waiter.token : NULL;
    bool is_pair = kind == SQ__PAIR || kind == SQ__JOB;
    reader->subject = is_pair ? work.pair.first : NULL;
    if ((kind & ~(uintptr_t)SQ__BARRIER) == SQ__MEMBER) {
        sq__members_t *members = work.member.end->members;
        reader->subject = members->group;
        /* [started] relaxed: before the baton is passed, so a search that finds a later barrier in the gate sees it. */
        sq__count(&members->started, 1);
    }
    reader->call = is_pair ? work.pair.call : NULL;
    if (kind & SQ__BARRIER || control & SQ__DISCARD) {
        run_alone(queue, kind, origin, control, &work);
        return !sq__queue_is_stale(queue);
    }
    return run_reader(queue, kind, origin, control, &work, reader);
}

sq__next_t sq__concurrent_run(sq_queue_t *queue, size_t most, size_t *ran) {
    SQ__NOBODY_UNWINDS_THROUGH;
    if (sq__admit_has_threads(queue) && !sq__gate_come(sq__gate_of(queue))) {
        return SQ__NEXT_GONE;
    }
    sq__self_t *self = sq__self_listed();
    sq__reader_t reader = { .frame = { .owner = queue, .parent = self->frame, .begins = true, .is_reader = true } };
    sq__batch_t batch = sq__batch(most);
    sq__next_t next = SQ__NEXT_GONE;
    size_t tasks = 0;
    bool has_baton = true;
    uint32_t control = 0;
    self->frame = &reader.frame;
    while (has_baton && (next = sq__admit_next(queue, &control)) == SQ__NEXT_TASK && !sq__batch_is_over(queue, &batch, tasks)) {
        has_baton = run_work(queue, control, &reader);
        tasks += 1;
    }
    self->frame = reader.frame.parent;
    *ran += tasks;
    if (!has_baton) {
        return SQ__NEXT_GONE; /* or a task has forked, and this is the child: nothing is ever to run again */
    }
    return next != SQ__NEXT_TASK || sq__admit_by_pool(queue) ? next : SQ__NEXT_GONE;
}
