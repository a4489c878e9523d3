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
#include "wait/wait.h"

#include <errno.h>

/* The holder reads a deferred task as a pair. */
_Static_assert(offsetof(sq_deferred_t, first) == offsetof(sq__pair_t, first), "a deferred task begins with a pair");
_Static_assert(offsetof(sq_deferred_t, second) == offsetof(sq__pair_t, second), "a deferred task begins with a pair");
_Static_assert(offsetof(sq__pair_call_t, first) == offsetof(sq__pair_t, first), "a call of a pair begins with the pair");
_Static_assert(offsetof(sq__pair_call_t, deadline) == sizeof(sq__work_t), "what is copied of a call of a pair is the pair");

/* The caller holds the baton, and has put the task where it is the next one. */
static __attribute__((noinline)) void note(sq_queue_t *queue, uint16_t kind, const void *caller) {
    if (sq__is_sited(queue)) {
        sq__trace_hook_submit(queue, kind, SQ__IN_HANDOFF, caller);
    }
    sq__timings_handoff(queue);
    sq__watch_gets_busy(queue);
}

static inline void note_first(sq_queue_t *queue, uint16_t kind, const void *caller) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__NOTED, 0)) { /* [watch] acquire: the record */
        note(queue, kind, caller);
    }
}

/* Puts work that has its room, or needs none, into the queue; *put: what is left to do. */
static inline __attribute__((always_inline)) int put_in(sq_queue_t *queue, uint16_t kind, const sq__work_t *work, const void *caller, sq__put_t *put) {
    sq__reserved_t place;
    int error = sq__ring_reserve(queue, false, &place);
    if (error) {
        return error;
    }
    if (kind & SQ__CANCELLABLE) { /* before another thread can withdraw it or run it */
        sq__store_relaxed(work->cancellable.place, sq__ring_where(place));
        sq__probe_submit(queue, work->cancellable.pair);
    } else {
        sq__probe_submit(queue, &work->pair); /* whatever its kind: function and context come first */
    }
    *put = sq__ring_put(queue, place, kind, work, caller);
    return 0;
}

static inline __attribute__((always_inline)) int submit(sq_queue_t *queue, sq__runner_t runner, uint16_t kind, const sq__work_t *work, const void *caller) {
    sq__put_t put;
    int error = put_in(queue, kind, work, caller, &put);
    if (error) {
        return error;
    }
    switch (put) {
    case SQ__PUT_FIRST:
        note_first(queue, kind, caller);
        sq__runner_post(runner, &queue->ready);
        break;
    case SQ__PUT_BATON:
        sq__baton_pass(queue);
        break;
    case SQ__PUT_QUEUED:
        break;
    }
    return 0;
}

int sq__async_put(sq_queue_t *queue, uint16_t kind, const sq__work_t *work, const void *caller, bool *passes) {
    sq__put_t put = SQ__PUT_QUEUED;
    int error = put_in(queue, kind, work, caller, &put);
    if (put == SQ__PUT_FIRST) {
        note_first(queue, kind, caller);
    }
    *passes = put != SQ__PUT_QUEUED;
    return error;
}

static __attribute__((noinline)) int submit_bounded(sq_queue_t *queue, sq_time_t deadline, sq__runner_t runner,
                                                    uint16_t kind, const sq__work_t *work, const void *caller) {
    int error = sq__capacity_take_permit(queue, deadline, caller);
    if (error == 0) {
        error = submit(queue, runner, kind, work, caller);
        if (error) {
            sq__async_give_permit(queue, queue->permits);
        }
    }
    return error;
}

int sq__async_due(sq_queue_t *queue, uint16_t kind, const sq__work_t *work, const void *caller) {
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    return error ? error : submit(queue, runner, kind, work, caller);
}

/* The deferred task has got room. */
static int submit_deferred(sq_queue_t *queue, sq_deferred_t *task) {
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    if (error == 0) {
        const void *caller = sq__capacity_caller(task);
        SQ__ATOMIC(uintptr_t) *place = sq__capacity_place(task);
        uint16_t bit = task->is_barrier ? sq__barrier_on(queue) : 0;
        error = sq__load_relaxed(place) == SQ__OVER /* it cannot be withdrawn: the queue copies the task, and uses the struct no longer */
            ? submit(queue, runner, SQ__PAIR | bit,
                     &(sq__work_t){ .pair = { .call = task->call, .first = task->first, .second = task->second } }, caller)
            : submit(queue, runner, SQ__CANCELLABLE | bit, &(sq__work_t){ .cancellable = { .place = place, .pair = task } }, caller);
    }
    return error ? sq__queue_reject(queue, error) : 0;
}

/* Calls `decided`, in which the submitter may release the queue. False: it has forked, and this is the child: the rest is the parent's. */
static bool decide(sq_deferred_t *task, int error) {
    SQ__NOBODY_UNWINDS_THROUGH;
    uint32_t process = sq__process();
    task->decided(task, error);
    return process == sq__process();
}

void sq__async_give_permit(sq_queue_t *queue, sq__permits_t *permits) {
    int error = EAGAIN;
    while (error) { /* the room was not used */
        sq_deferred_t *task = sq__capacity_give_permit(sq__capacity(permits));
        if (task == NULL) {
            return;
        }
        error = submit_deferred(queue, task);
        sq__capacity_submitted(sq__capacity(permits), task);
        if (!decide(task, error)) {
            return;
        }
    }
}

void sq__async_close_capacity(sq_queue_t *queue) {
    sq_deferred_t *task;
    while ((task = sq__capacity_close(sq__capacity(queue->permits))) != NULL && decide(task, sq__queue_reject(queue, ESHUTDOWN))) {
    }
}

/* Inline in the usual calls, which then copy the work once. */
static inline __attribute__((always_inline)) int submit_in_time(sq_queue_t *queue, sq_time_t deadline, uint16_t kind,
                                                                const sq__work_t *work, const void *caller) {
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    if (error == 0) {
        error = queue->permits != NULL ? submit_bounded(queue, deadline, runner, kind, work, caller)
                                     : submit(queue, runner, kind, work, caller);
    }
    return __builtin_expect(error == 0, 1) ? 0 : sq__queue_reject(queue, error);
}

int sq__async_submit(sq_queue_t *queue, sq_time_t deadline, uint16_t kind, const sq__work_t *work, const void *caller) {
    return submit_in_time(queue, deadline, kind, work, caller);
}

static inline __attribute__((always_inline)) int submit_task(sq_queue_t *queue, sq_time_t deadline, const sq_task_t *task,
                                                             const void *caller) {
    if (task->run == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    return submit_in_time(queue, deadline, SQ__TASK, &(sq__work_t){ .task = *task }, caller);
}

int sq_async_until(sq_queue_t *queue, sq_time_t deadline, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    return submit_task(queue, deadline, task, __builtin_return_address(0));
}

static inline __attribute__((always_inline)) int submit_pair(sq_queue_t *queue, sq_time_t deadline, bool is_barrier,
                                                             const sq__work_t *work, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    if (work->pair.call == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    return is_barrier ? sq__async_submit(queue, deadline, SQ__PAIR | sq__barrier_on(queue), work, caller)
                      : submit_in_time(queue, deadline, SQ__PAIR, work, caller);
}

/* The call is read in place: it begins as the work does. */
int sq__async_pair(sq_queue_t *queue, const sq__pair_call_t *pair) {
    return submit_pair(queue, pair->deadline, pair->is_barrier, (const void *)pair, pair->site);
}

int sq_async_pair(sq_queue_t *queue, sq_time_t deadline, sq_pair_function_t call, void *first, void *second) {
    return submit_pair(queue, deadline, false, &(sq__work_t){ .pair = { .call = call, .first = first, .second = second } },
                       __builtin_return_address(0));
}

int sq_async_job(sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    const sq__work_t work = { .pair = { .call = call, .first = first, .second = second } };
    int error = call != NULL ? sq__async_due(queue, SQ__JOB, &work, __builtin_return_address(0)) : EINVAL;
    return __builtin_expect(error == 0, 1) ? 0 : sq__queue_reject(queue, error);
}

static int submit_or_wait(sq_queue_t *queue, sq_deferred_t *task, uintptr_t first_place, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    sq__runner_t runner;
    sq__capacity_prepare(task, first_place, caller); /* sq_async_withdraw is legal whatever this function returns */
    int error = task->call != NULL ? sq__runner_find(queue, &runner) : EINVAL;
    if (error == 0 && queue->permits != NULL) {
        error = sq__capacity_take_permit_for(sq__capacity(queue->permits), task);
    }
    if (error) {
        return error == EINPROGRESS ? error : sq__queue_reject(queue, error);
    }
    error = submit_deferred(queue, task);
    if (error && queue->permits != NULL) {
        sq__async_give_permit(queue, queue->permits);
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
    sq__permits_t *permits;
    bool takes_baton;
    bool is_withdrawn = sq__withdraw(queue, place, &permits, &takes_baton);
    if (takes_baton) {
        sq__baton_pass(queue);
    }
    if (permits != NULL) {
        sq__async_give_permit(queue, permits);
        sq__capacity_release(permits);
    }
    return is_withdrawn;
}

bool sq_async_withdraw(sq_queue_t *queue, sq_deferred_t *task) {
    SQ__CHECK_HANDLE(queue);
    return queue->permits != NULL && sq__capacity_withdraw(queue, task);
}

bool sq_async_cancel(sq_queue_t *queue, sq_deferred_t *task) {
    SQ__CHECK_HANDLE(queue);
    if (sq__queue_is_stale(queue)) {
        return false; /* the task is the parent's */
    }
    if (queue->permits != NULL && !sq__capacity_is_decided(queue, task)) {
        return false;
    }
    return sq__async_withdraw(queue, sq__capacity_place(task));
}

int sq__async_prepare(sq_queue_t *queue) {
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    return error == 0 && sq__load_relaxed(&queue->state) & SQ__CLOSED ? ESHUTDOWN : error;
}

int sq_async_task(sq_queue_t *queue, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    return submit_task(queue, SQ_NOW, task, __builtin_return_address(0));
}

int sq_async(sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    return submit_task(queue, SQ_NOW, &(sq_task_t){ .run = function, .context = context }, __builtin_return_address(0));
}

int sq__run_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    sq__call_t call = {
        .task = { .run = function, .context = context }, .kind = SQ__AWAITED, .deadline = deadline, .site = caller, .submitted = sq__timings_now(queue)
    };
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
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
