/* async.c: submitting a task to the runner.
 *
 * DESIGN. The queue must have its runner before the task is accepted, so that a thread that cannot be started is the
 * submitter's error. An async that finds the queue free leaves the task in the hand-off slot and passes the baton to the
 * runner; it does not use the ring. Otherwise it takes a slot. A deferred task for which there is no room yet is submitted by
 * the thread that gives it room. */
#include "queue/async.h"

#include "observe/watch_notes.h"
#include "kernel/current.h"
#include "state/handle.h"
#include "observe/timings.h"
#include "observe/probes.h"
#include "kernel/ring.h"
#include "observe/call_sites.h"
#include "kernel/withdraw.h"
#include "platform/clock.h"
#include "platform/unwind.h"
#include "queue/capacity.h"
#include "queue/runner.h"
#include "wait/deadlock_report.h"
#include "queue/turn.h"

#include <errno.h>
#include <string.h>

/* The holder reads a deferred task as a pair. */
_Static_assert(offsetof(sq_deferred_t, first) == offsetof(sq__pair_t, first)
    && offsetof(sq_deferred_t, second) == offsetof(sq__pair_t, second), "a deferred task begins with a pair");

/* The caller holds the baton, and has put the task where it is the next one. */
static __attribute__((noinline)) void note_first(sq_queue_t *queue, uint16_t kind) {
    if (sq__is_sited(queue)) {
        sq__traced_submit(queue, SQ__EVENT_SUBMIT, kind, SQ__IN_HANDOFF);
    }
    sq__measured_handoff(queue);
    sq__watch_gets_busy(queue);
}

/* The task has its room already. */
static inline int submit(sq_queue_t *queue, sq__runner_t runner, uint16_t kind, const sq__work_t *work) {
    sq__place_t place;
    int error = sq__ring_take_place(queue, false, &place);
    if (error) {
        return error;
    }
    if (kind & SQ__CLAIM) { /* before another thread can withdraw it or run it */
        sq__store_relaxed(work->claim.place, sq__ring_where(place));
        sq__probe_submit(queue, work->claim.pair);
    } else {
        sq__probe_submit(queue, &work->pair); /* whatever its kind: function and context come first */
    }
    switch (sq__ring_put(queue, place, kind, work)) {
    case SQ__PUT_FIRST:
        if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__NOTED, 0)) { /* [watch] acquire: the record */
            note_first(queue, kind);
        }
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

static __attribute__((noinline)) int submit_bounded(sq_queue_t *queue, sq_time_t deadline, sq__runner_t runner,
                                                    uint16_t kind, const sq__work_t *work) {
    int error = sq__capacity_take_room(queue, deadline);
    if (error == 0) {
        error = submit(queue, runner, kind, work);
        if (error) {
            sq__async_give_room(queue, queue->room);
        }
    }
    return error;
}

int sq__async_due(sq_queue_t *queue, uint16_t kind, const sq__work_t *work) {
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    return error ? error : submit(queue, runner, kind, work);
}

/* The deferred task has got room. */
static int submit_deferred(sq_queue_t *queue, sq_deferred_t *task) {
    sq__runner_t runner;
    if (queue->room != NULL) {
        sq__sited_restore(queue, task);
    }
    int error = sq__runner_find(queue, &runner);
    if (error == 0) {
        SQ__ATOMIC(uintptr_t) *place = sq__capacity_place(task);
        uint16_t bit = task->is_barrier ? sq__barrier_on(queue) : 0;
        error = sq__load_relaxed(place) == SQ__OVER /* it cannot be withdrawn: the queue copies the task, and uses the struct no longer */
            ? submit(queue, runner, SQ__PAIR | bit,
                     &(sq__work_t){ .pair = { .call = task->call, .first = task->first, .second = task->second } })
            : submit(queue, runner, SQ__CLAIM | bit, &(sq__work_t){ .claim = { .place = place, .pair = task } });
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

void sq__async_close_room(sq_queue_t *queue) {
    sq_deferred_t *task;
    while ((task = sq__capacity_close(sq__capacity(queue->room))) != NULL && decide(task, sq__queue_reject(queue, ESHUTDOWN))) {
    }
}

static inline __attribute__((always_inline)) int submit_in_time(sq_queue_t *queue, sq_time_t deadline, uint16_t kind, const sq__work_t *work) {
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    if (error == 0) {
        error = queue->room != NULL ? submit_bounded(queue, deadline, runner, kind, work)
                                     : submit(queue, runner, kind, work);
    }
    return __builtin_expect(error == 0, 1) ? 0 : sq__queue_reject(queue, error);
}

static inline __attribute__((always_inline)) int submit_task(sq_queue_t *queue, sq_time_t deadline, const sq_task_t *task) {
    if (task->run == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    return submit_in_time(queue, deadline, SQ__TASK, &(sq__work_t){ .task = *task });
}

SQ__NOTES_CALLER int sq_async_until(sq_queue_t *queue, sq_time_t deadline, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    return submit_task(queue, deadline, task);
}

SQ__NOTES_CALLER int sq_async_pair(sq_queue_t *queue, sq_time_t deadline, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    if (call == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    return submit_in_time(queue, deadline, SQ__PAIR,
                          &(sq__work_t){ .pair = { .call = call, .first = first, .second = second } });
}

SQ__NOTES_CALLER int sq_async_job(sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    sq__runner_t runner;
    int error = call != NULL ? sq__runner_find(queue, &runner) : EINVAL;
    if (error == 0) {
        error = submit(queue, runner, SQ__JOB, &(sq__work_t){ .pair = { .call = call, .first = first, .second = second } });
    }
    return __builtin_expect(error == 0, 1) ? 0 : sq__queue_reject(queue, error);
}

/* Inline, for sq__runner_find notes the return address of the public call. */
static inline __attribute__((always_inline)) int submit_or_wait(sq_queue_t *queue, sq_deferred_t *task, uintptr_t first_place) {
    SQ__CHECK_HANDLE(queue);
    sq__runner_t runner;
    memset(task->reserved, 0, sizeof task->reserved); /* sq_async_withdraw is legal whatever this function returns */
    SQ__ATOMIC(uintptr_t) *place = sq__capacity_place(task);
    sq__store_relaxed(place, first_place);
    int error = task->call != NULL ? sq__runner_find(queue, &runner) : EINVAL;
    if (error == 0 && queue->room != NULL) {
        sq__sited_keep(queue, task); /* before it can get room */
        error = sq__capacity_take_room_for(sq__capacity(queue->room), task);
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

SQ__NOTES_CALLER int sq_async_deferred(sq_queue_t *queue, sq_deferred_t *task) { return submit_or_wait(queue, task, SQ__OVER); }

SQ__NOTES_CALLER int sq_async_cancellable(sq_queue_t *queue, sq_deferred_t *task) { return submit_or_wait(queue, task, SQ__NOT_SUBMITTED); }

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
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    return error == 0 && sq__load_relaxed(&queue->state) & SQ__CLOSED ? ESHUTDOWN : error;
}

int sq__async_submit(sq_queue_t *queue, uint16_t kind, const sq__work_t *work) {
    return submit_in_time(queue, SQ_NOW, kind, work);
}

SQ__NOTES_CALLER int sq_async_task(sq_queue_t *queue, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    return submit_task(queue, SQ_NOW, task);
}

SQ__NOTES_CALLER int sq_async(sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    return submit_task(queue, SQ_NOW, &(sq_task_t){ .run = function, .context = context });
}

SQ__NOTES_CALLER int sq_run_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    sq__call_t call = { .task = { .run = function, .context = context }, .submitted = sq__measured_now(queue) };
    sq__runner_t runner;
    int error = sq__runner_find(queue, &runner);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    if (sq__is_current(queue)) {
        sq__deadlock_onto_itself(queue, "run_and_wait onto");
        return sq__queue_reject(queue, EDEADLK);
    }
    sq__site_t site = sq__is_sited(queue) ? sq__sites_noted(queue) : 0;
    error = sq__turn_wait(queue, &(sq__turn_wanted_t){ .kind = SQ__AWAITED, .call = &call, .deadline = deadline, .site = site });
    return error == ETIMEDOUT && deadline == SQ_NOW ? EAGAIN : error;
}
