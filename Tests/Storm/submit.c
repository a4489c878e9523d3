/* submit.c: tasks that their submitter does not wait for: at once, in a while, when there is room, or not at all. */
#include "storm.h"

static sq_time_t any_deadline(self_t *me, const target_t *target) {
    if (may_deadlock(me) || !is_serial(target) || target->place == MANUAL || below(&me->chance, 3) > 0) {
        return soon(&me->chance);
    }
    return below(&me->chance, 2) ? SQ_FOREVER : SQ_NOW;
}

/* While it waits for room, this thread runs tasks of the queue, and these submit before it does. */
static bool runs_others_while_waiting(const target_t *target) {
    return target->capacity > 0 && (target->place == MANUAL || target->place == LOOP);
}

static void act_barrier(self_t *me, target_t *target) {
    record_t *record = book_new(target, "a barrier");
    sq_queue_t *queue = target->queue;
    record->is_barrier = true;
    int error;
    switch (below(&me->chance, 4)) {
    case 0:
        record->has_no_discard = true;
        error = sq_async_barrier(queue, task_run, record);
        break;
    case 1: error = sq_async_barrier_task(queue, &(sq_task_t){ task_run, record, task_discard }); break;
    case 2: error = sq_async_barrier_pair(queue, task_pair, record, target); break;
    default: error = sq_async_barrier_job(queue, task_pair, record, target);
    }
    book_answer(record, error, false);
}

void act_async(self_t *me, target_t *target) {
    uint64_t which = below(&me->chance, 9);
    if (which >= 7) {
        act_barrier(me, target);
        return;
    }
    record_t *record = book_new(target, "an async");
    sq_queue_t *queue = target->queue;
    const sq_task_t task = { task_run, record, task_discard };
    sq_time_t deadline = any_deadline(me, target);
    int error;
    switch (which) {
    case 0:
    case 1:
        record->has_no_discard = true;
        error = sq_async(queue, task_run, record);
        break;
    case 2: error = sq_async_task(queue, &task); break;
    case 3: error = sq_async_job(queue, task_pair, record, target); break;
    case 4: error = sq_async_pair(queue, SQ_NOW, task_pair, record, target); break;
    default:
        record->is_unordered = runs_others_while_waiting(target);
        error = which == 5 ? sq_async_until(queue, deadline, &task) : sq_async_pair(queue, deadline, task_pair, record, target);
    }
    book_answer(record, error, may_deadlock(me));
}

void act_delayed(self_t *me, target_t *target) {
    record_t *record = book_new(target, "a delayed task");
    record->is_unordered = true;
    /* One that overflows the clock waits for the shutdown. */
    uint64_t delay = below(&me->chance, 10) ? below(&me->chance, 3000) * MICROSECOND : UINT64_MAX - below(&me->chance, 3);
    book_answer(record, sq_async_task_after(target->queue, delay, &(sq_task_t){ task_run, record, task_discard }), false);
}

/* May run in the middle of the submitting call. */
static void decided(sq_deferred_t *task, int error) {
    record_t *record = task->first;
    MUST(atomic_fetch_add(&record->decided, 1) == 0, "a deferred task was decided twice");
    MUST(error == 0 || error == ESHUTDOWN, "a deferred task was decided with %d", error);
    book_answer(record, error, false);
    open_notes -= 1;
}

void act_deferred(self_t *me, target_t *target) {
    record_t *record = book_new(target, "a deferred task");
    record->is_barrier = below(&me->chance, 4) == 0;
    record->is_unordered = target->capacity > 0;
    record->deferred = (sq_deferred_t){ .call = task_pair, .first = record, .second = target, .decided = decided,
                                       .is_barrier = record->is_barrier };
    bool is_cancellable = below(&me->chance, 2);
    open_notes += 1;
    int error = (is_cancellable ? sq_async_cancellable : sq_async_deferred)(target->queue, &record->deferred);
    if (error == EINPROGRESS) {
        if (below(&me->chance, 3) == 0 && sq_async_withdraw(target->queue, &record->deferred)) {
            MUST(!record->decided, "a deferred task was decided, and then withdrawn");
            book_withdrawn(record);
            open_notes -= 1;
        }
        return;
    }
    open_notes -= 1;
    MUST(error != EAGAIN, "a deferred task was refused for lack of room");
    book_answer(record, error, false);
    if (error == 0 && is_cancellable && below(&me->chance, 2) && sq_async_cancel(target->queue, &record->deferred)) {
        book_withdrawn(record);
    }
}
