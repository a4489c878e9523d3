/* async.c: submitting a task to the runner.
 *
 * DESIGN. The queue must have its runner before the task is accepted, so that a thread that cannot be started is the
 * submitter's error. An async that finds the queue free leaves the task in the hand-off slot and passes the baton to the
 * runner; it does not use the ring. Otherwise it takes a slot. A deferred task for which there is no room yet is submitted by
 * the thread that gives it room. */
#include "queue/async.h"

#include "include/sq_private.h"
#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"
#include "platform/unwind.h"
#include "queue/capacity.h"
#include "queue/queue_runner.h"
#include "queue/turn.h"
#include "state/state_inline.h"
#include "thread/spin.h"
#include "wait/wait.h"

#include <errno.h>

/* The holder reads a deferred task as a pair. */
_Static_assert(offsetof(sq_deferred_t, first) == offsetof(sq__pair_t, first), "a deferred task begins with a pair");
_Static_assert(offsetof(sq_deferred_t, second) == offsetof(sq__pair_t, second), "a deferred task begins with a pair");

/* The caller holds the baton, and has put the task where it is the next one. */
static __attribute__((noinline)) void note(sq_queue_t *queue, uint16_t kind, const void *site) {
    if (sq__is_sited(queue)) {
        sq__trace_hook_submit(queue, kind, SQ__IN_HANDOFF, site);
    }
    sq__timings_handoff(queue);
    sq__watch_gets_busy(queue);
}

static inline void note_first(sq_queue_t *queue, const sq__submission_t *submission) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__NOTED, 0)) { /* [watch] acquire: the record */
        note(queue, submission->kind, submission->site);
    }
}

/* Puts work that has its room, or needs none, into the queue; *put: what is left to do. Returns 0, ENOMEM or ESHUTDOWN: then nothing was put. */
static inline __attribute__((always_inline)) int put_in(sq_queue_t *queue, const sq__submission_t *submission, sq__put_t *put) {
    const sq__work_t *work = &submission->work;
    sq__reserved_t place;
    int error = sq__ring_reserve(queue, false, &place);
    if (error) {
        return error;
    }
    if (submission->kind & SQ__CANCELLABLE) { /* before another thread can withdraw it or run it */
        sq__store_relaxed(work->cancellable.place, sq__ring_where(&place));
        sq__probe_submit(queue, work->cancellable.pair);
    } else {
        sq__probe_submit(queue, &work->pair); /* whatever its kind: function and context come first */
    }
    *put = sq__ring_put(queue, &place, submission);
    return 0;
}

/* Submits work that has its room, or needs none; the queue has its runner. Passes the baton if the caller gets it. Returns 0, ENOMEM or ESHUTDOWN. */
static inline __attribute__((always_inline)) int submit(sq_queue_t *queue, const sq__submission_t *submission) {
    sq__put_t put;
    int error = put_in(queue, submission, &put);
    if (error) {
        return error;
    }
    switch (put) {
    case SQ__PUT_FIRST:
        note_first(queue, submission);
        sq__runner_post(sq__load_relaxed(&queue->runner), &queue->ready); /* relaxed: sq__runner_find has acquired it, see [worker] */
        break;
    case SQ__PUT_BATON:
        sq__baton_pass(queue);
        break;
    case SQ__PUT_QUEUED:
        break;
    }
    return 0;
}

int sq__async_put(sq_queue_t *queue, const sq__submission_t *submission, bool *passes) {
    sq__put_t put = SQ__PUT_QUEUED;
    int error = put_in(queue, submission, &put);
    if (put == SQ__PUT_FIRST) {
        note_first(queue, submission);
    }
    *passes = put != SQ__PUT_QUEUED;
    return error;
}

int sq__async_due(sq_queue_t *queue, const sq__submission_t *submission) {
    int error = sq__submission_is_valid(submission) ? sq__runner_find(queue) : EINVAL;
    return error ? error : submit(queue, submission);
}

/* The deferred task has its room, or needs none. Returns 0, or why it was refused, which is counted: then the room is the caller's to give back. */
static int submit_deferred(sq_queue_t *queue, sq_deferred_t *task) {
    SQ__ATOMIC(uintptr_t) *place = sq__capacity_place(task);
    sq__submission_t submission = { .kind = task->is_barrier ? sq__barrier_on(queue) : 0, .site = sq__capacity_caller(task) };
    if (sq__load_relaxed(place) == SQ__OVER) { /* it cannot be withdrawn: the queue copies the task, and uses the struct no longer */
        submission.work.pair = (sq__pair_t){ .call = task->call, .first = task->first, .second = task->second };
        submission.kind |= SQ__PAIR;
    } else {
        submission.work.cancellable = (sq__cancellable_t){ .place = place, .pair = task };
        submission.kind |= SQ__CANCELLABLE;
    }
    int error = sq__async_due(queue, &submission);
    return error ? sq__queue_reject(queue, error) : 0;
}

/* Calls `decided`, in which the submitter may release the queue. False: it has forked, and this is the child: the rest is the parent's. */
static bool decide(sq_deferred_t *task, int error) {
    SQ__NOBODY_UNWINDS_THROUGH;
    uint32_t process = sq__process();
    task->decided(task, error);
    return process == sq__process();
}

void sq__async_give_room(sq_queue_t *queue, sq__room_t *room) {
    int error = EAGAIN;
    while (error) { /* the room was not used */
        sq_deferred_t *task = sq__capacity_give_room(sq__capacity(room));
        if (task == NULL) {
            return;
        }
        error = submit_deferred(queue, task);
        sq__capacity_submitted(sq__capacity(room), task);
        if (!decide(task, error)) {
            return;
        }
    }
}

void sq__async_close_capacity(sq_queue_t *queue) {
    sq_deferred_t *task;
    while ((task = sq__capacity_close(sq__capacity(queue->room))) != NULL && decide(task, sq__queue_reject(queue, ESHUTDOWN))) {
    }
}

/* The first half of the submission that is made most, inline, so that the words of the task stay in registers. It is to a serial queue without a
 * capacity that has its runner, is not observed and not free, and has a slot in its segment: takes that slot. NULL: one of these is not so, or another
 * submitter was faster, and this one has paused; nothing has changed, and sq__async_submit has all cases. A queue that is observed from now on does
 * not see this task. */
static inline __attribute__((always_inline)) sq__slot_t *take_slot(sq_queue_t *queue) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    sq__segment_t *tail = sq__state_tail(state);
    unsigned taken = sq__state_taken(state);
    bool is_plain = queue->process == sq__load_relaxed(&sq__process_if_quiet)
        && sq__load_acquire(&queue->runner) != 0 /* [worker] acquire: the client's fields */
        && !(sq__load_relaxed(&queue->control) & (SQ__BOUNDED | SQ__CONCURRENT | SQ__SITED | SQ__MEASURED))
        && (state & (SQ__OWNED | SQ__CLOSED)) == SQ__OWNED && tail != NULL && taken < SQ__SEGMENT_SLOTS;
    if (__builtin_expect(!is_plain, 0)) {
        return NULL;
    }
    /* [place] acquire: the cleared words. [depth] release: the head, as this thread saw it. */
    if (__builtin_expect(sq__cas_acq_rel(&queue->state, &state, state + SQ__TAKEN_ONE), 1)) {
        return &tail->slots[taken];
    }
    (void)sq__spin_back_off(0);
    return NULL;
}

/* The second half: the slot is filled, and the caller does not touch the queue afterwards. Returns 0. */
static inline __attribute__((always_inline)) int publish_slot(sq_queue_t *queue, sq__slot_t *slot, uintptr_t kind) {
    if (sq__exchange_acq_rel(&slot->word, kind) == SQ__BATON) { /* [publish] release: the slot; acquire: the holder's writes */
        sq__baton_pass(queue);
    }
    return 0;
}

int sq__async_submit(sq_queue_t *queue, const sq__submission_t *submission) {
    int error = sq__submission_is_valid(submission) ? sq__runner_find(queue) : EINVAL;
    if (error == 0 && __builtin_expect(queue->room != NULL, 0)) {
        error = sq__capacity_take_room(queue, submission);
    }
    if (__builtin_expect(error == 0, 1)) {
        error = submit(queue, submission);
        if (error && queue->room != NULL) {
            sq__async_give_room(queue, queue->room);
        }
    }
    return __builtin_expect(error == 0, 1) ? 0 : sq__queue_reject(queue, error);
}

int sq_async_until(sq_queue_t *queue, sq_time_t deadline, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    return sq__async_submit(queue, &(sq__submission_t){
        .work.task = *task, .kind = SQ__TASK, .deadline = deadline, .site = __builtin_return_address(0)
    });
}

int sq__async_pair(sq_queue_t *queue, const sq__pair_call_t *pair) {
    SQ__CHECK_HANDLE(queue);
    sq__slot_t *slot = pair->call != NULL && !pair->is_barrier ? take_slot(queue) : NULL;
    if (__builtin_expect(slot != NULL, 1)) {
        SQ__PROBE4(submit, queue, SQ__LABEL_AT, pair->call, pair->first);
        slot->work.pair = (sq__pair_t){ .call = pair->call, .first = pair->first, .second = pair->second };
        return publish_slot(queue, slot, SQ__PAIR);
    }
    return sq__async_submit(queue, &(sq__submission_t){
        .work.pair = { pair->call, pair->first, pair->second }, .kind = SQ__PAIR | (pair->is_barrier ? sq__barrier_on(queue) : 0),
        .deadline = pair->deadline, .site = pair->site
    });
}

int sq_async_pair(sq_queue_t *queue, sq_time_t deadline, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    return sq__async_submit(queue, &(sq__submission_t){
        .work.pair = { call, first, second }, .kind = SQ__PAIR, .deadline = deadline, .site = __builtin_return_address(0)
    });
}

int sq_async_job(sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    int error = sq__async_due(queue, &(sq__submission_t){
        .work.pair = { call, first, second }, .kind = SQ__JOB, .site = __builtin_return_address(0)
    });
    return __builtin_expect(error == 0, 1) ? 0 : sq__queue_reject(queue, error);
}

/* As sq_async_deferred. `first_place`: SQ__OVER; SQ__NOT_SUBMITTED if the task can be cancelled. `caller`: the call site. */
static int submit_or_wait(sq_queue_t *queue, sq_deferred_t *task, uintptr_t first_place, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    sq__capacity_prepare(task, first_place, caller); /* sq_async_withdraw is legal whatever this function returns */
    int error = task->call != NULL ? 0 : EINVAL;
    if (error == 0 && queue->room != NULL) {
        error = sq__runner_find(queue);
        error = error ? error : sq__capacity_take_room_for(sq__capacity(queue->room), task);
    }
    if (error) {
        return error == EINPROGRESS ? error : sq__queue_reject(queue, error);
    }
    error = submit_deferred(queue, task);
    if (error && queue->room != NULL) {
        sq__async_give_room(queue, queue->room);
    }
    return error;
}

int sq_async_deferred(sq_queue_t *queue, sq_deferred_t *task) {
    return submit_or_wait(queue, task, SQ__OVER, __builtin_return_address(0));
}

int sq__async_cancellable(sq_queue_t *queue, sq_deferred_t *task, const void *site) {
    return submit_or_wait(queue, task, SQ__NOT_SUBMITTED, site);
}

int sq_async_cancellable(sq_queue_t *queue, sq_deferred_t *task) {
    return sq__async_cancellable(queue, task, __builtin_return_address(0));
}

bool sq__async_withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place) {
    sq__room_t *room;
    bool takes_baton;
    bool is_withdrawn = sq__withdraw(queue, place, &room, &takes_baton);
    if (takes_baton) {
        sq__baton_pass(queue);
    }
    if (room != NULL) {
        sq__async_give_room(queue, room);
        sq__capacity_release(room);
    }
    return is_withdrawn;
}

bool sq_async_withdraw(sq_queue_t *queue, sq_deferred_t *task) {
    SQ__CHECK_HANDLE(queue);
    return queue->room != NULL && sq__capacity_withdraw(queue, task);
}

bool sq_async_cancel(sq_queue_t *queue, sq_deferred_t *task) {
    SQ__CHECK_HANDLE(queue);
    if (sq__queue_is_stale(queue)) {
        return false; /* the task is the parent's */
    }
    if (queue->room != NULL && !sq__capacity_is_decided(queue, task)) {
        return false;
    }
    return sq__async_withdraw(queue, sq__capacity_place(task));
}

int sq__async_prepare(sq_queue_t *queue) {
    int error = sq__runner_find(queue);
    return error == 0 && sq__load_relaxed(&queue->state) & SQ__CLOSED ? ESHUTDOWN : error;
}

int sq_async_task(sq_queue_t *queue, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    sq__slot_t *slot = task->run != NULL ? take_slot(queue) : NULL;
    if (__builtin_expect(slot != NULL, 1)) {
        SQ__PROBE4(submit, queue, SQ__LABEL_AT, task->run, task->context);
        slot->work.task = *task;
        return publish_slot(queue, slot, SQ__TASK);
    }
    return sq__async_submit(queue, &(sq__submission_t){ .work.task = *task, .kind = SQ__TASK, .site = __builtin_return_address(0) });
}

int sq_async(sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    sq__slot_t *slot = function != NULL ? take_slot(queue) : NULL;
    if (__builtin_expect(slot != NULL, 1)) {
        SQ__PROBE4(submit, queue, SQ__LABEL_AT, function, context);
        slot->work.task = (sq_task_t){ .run = function, .context = context };
        return publish_slot(queue, slot, SQ__TASK);
    }
    return sq__async_submit(queue, &(sq__submission_t){
        .work.task = { .run = function, .context = context }, .kind = SQ__TASK, .site = __builtin_return_address(0)
    });
}

int sq__run_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    sq__call_t call = {
        .task = { .run = function, .context = context }, .kind = SQ__AWAITED, .deadline = deadline, .site = caller, .submitted = sq__timings_now(queue)
    };
    int error = sq__runner_find(queue);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    if (sq__is_current(queue)) {
        sq__deadlock_onto_itself(queue, SQ__AIM_TURN, "run_and_wait onto", caller);
        return sq__queue_reject(queue, EDEADLK);
    }
    error = sq__turn_wait(queue, &call);
    return error == ETIMEDOUT && deadline == SQ_NOW ? EAGAIN : error;
}

int sq_run_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    return sq__run_and_wait(queue, deadline, function, context, __builtin_return_address(0));
}
