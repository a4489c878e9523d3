/* delayed.c: delayed tasks.
 *
 * DESIGN. The caller itself submits a task without a delay, in order with what it submits before and after. Any other task has
 * an alarm, and is on its queue's list of pending timers (pending_timers.h). Up to three threads race for it, and the queue's lock
 * decides between them: the alarm's call (c), which submits it, the end of the queue (e), which discards it, and, if it is a CANCELLABLE
 * (withdraw.h), a thread that withdraws it (w). As long as it is on the list, the place of a CANCELLABLE is DELAYED.
 *
 *     (c1) with the lock: submit it, remove it from the list, unlock; free it
 *     (e1) with the lock: remove it, unlock   (e2) discard it   (e3) cancel the alarm; free it, unless (c) will
 *     (w1) with the lock: remove it, cancel the alarm, unlock; free it, unless (c) will
 *
 *     c1 e1     it is in the ring, or the hand-off slot, before the queue ends, and has its outcome there
 *     e1 c1     it is no longer on the list, and the queue may be freed. The later one of (c) and (e3) frees it
 *     w1 c1     as e1 c1. The one of (w) and (e) that removes it from the list decides its outcome
 *     c1 fails  no memory: it stays on the list, and the alarm calls again. Shut down: it stays on the list, for (e1)
 *
 * The list and the alarm each hold a reference to it, under the lock. It holds a reference to its queue until it is in the ring,
 * or the queue is closed (pending_timers.h). From then on it is like other tasks: a suspended queue without references discards it. */
#include "alarm/alarm.h"
#include "queue/queue.h"
#include "state/state_inline.h"
#include "timer/timer.h"

#include "include/sq_private.h"
#include "include/sq_timer.h"
#include "kernel/kernel.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "timer/timed.h"

#include <errno.h>

/* Fields: F fixed once made, L under the queue's lock. */
typedef struct delayed {
    sq__alarm_t alarm;
    sq__pending_timer_t pending;
    sq_queue_t *queue;    /* F */
    sq__alarms_t *alarms; /* F */
    sq__submission_t submission; /* F  a SQ__DUE or SQ__CANCELLABLE */
    unsigned references;  /* L  held by the alarm or its call; and by the list, or the thread that removes it from the list */
} delayed_t;

static void dispose(delayed_t *delayed) {
    sq__alarms_release(delayed->alarms);
    sq__memory_free(delayed);
}

/* (c) The alarm's call, with no lock. Releases the reference of the alarm, unless it is set again; the last reference frees the task. */
static void fall_due(sq__alarm_t *alarm) {
    delayed_t *delayed = SQ__CONTAINER(alarm, delayed_t, alarm);
    sq_queue_t *queue = delayed->queue;
    bool passes = false;
    int error = ESHUTDOWN;
    sq__lock(queue);
    if (sq__pending_timers_is_listed(&delayed->pending)) {
        error = sq__async_put(queue, &delayed->submission, &passes);
    }
    if (error == 0) {
        sq__pending_timers_remove(queue, &delayed->pending);
        delayed->references -= 1;
    }
    if (error == ENOMEM) {
        sq__timed_try_again(delayed->alarms, alarm);
    } else {
        delayed->references -= 1;
    }
    bool is_last = delayed->references == 0;
    sq__unlock(queue);
    if (passes) {
        sq__baton_pass(queue);
    }
    if (is_last) {
        dispose(delayed);
    }
    if (error == 0) {
        sq_queue_release(queue);
    }
}

/* Called with the lock, after the task was removed from the list. True: the caller must free it. */
static bool drop_references(delayed_t *delayed) {
    delayed->references -= sq__alarm_cancel(delayed->alarms, &delayed->alarm) ? 2 : 1;
    return delayed->references == 0;
}

/* (e2) O, with no lock. Calls the discard function, or the pair of a CANCELLABLE, whose place is OVER then. */
static void discard_work(const delayed_t *delayed) {
    const sq__work_t *work = &delayed->submission.work;
    if (delayed->submission.kind & SQ__CANCELLABLE) {
        const sq__pair_t pair = *(const sq__pair_t *)work->cancellable.pair;
        sq__lock(delayed->queue);
        sq__store_relaxed(work->cancellable.place, SQ__OVER);
        sq__unlock(delayed->queue);
        pair.call(pair.first, pair.second, false);
    } else if (work->task.discard != NULL) {
        work->task.discard(work->task.context);
    }
}

/* (e) O, with no lock, off the list. Counts the task as discarded, and releases the list's reference; nothing is released in the child of a fork. */
static void end(void *pending) {
    delayed_t *delayed = SQ__CONTAINER(pending, delayed_t, pending);
    sq_queue_t *queue = delayed->queue;
    sq__tally(queue, SQ__TALLY_DISCARDED, 1);
    discard_work(delayed);
    if (sq__queue_is_stale(queue)) {
        return; /* the discard function has forked, and this is the child: the alarm is the parent's */
    }
    sq__lock(queue);
    bool is_last = drop_references(delayed);
    sq__unlock(queue);
    if (is_last) {
        dispose(delayed);
    }
}

/* (w) */
bool sq__delayed_withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place) {
    bool is_listed = false, is_last = false, is_open = false;
    delayed_t *delayed = NULL;
    sq__lock(queue); /* uses only the address: if the task is not in the queue, the queue may be freed */
    uintptr_t where = sq__load_relaxed(place);
    if (where & SQ__DELAYED) {
        delayed = (delayed_t *)(where - SQ__DELAYED);
        is_listed = sq__pending_timers_is_listed(&delayed->pending);
    }
    if (is_listed) {
        is_open = !(sq__load_relaxed(&queue->state) & SQ__CLOSED); /* else its reference to the queue is gone already */
        sq__pending_timers_remove(queue, &delayed->pending);
        sq__store_relaxed(place, SQ__OVER);
        is_last = drop_references(delayed);
    }
    sq__unlock(queue);
    if (is_last) {
        dispose(delayed);
    }
    if (is_open) {
        sq_queue_release(queue);
    }
    return is_listed;
}

int sq__delayed_submit(sq_queue_t *queue, uint64_t delay, const sq__submission_t *submission) {
    if (delay == 0) {
        return sq__async_due(queue, submission);
    }
    sq__alarms_t *alarms;
    int error = sq__timed_prepare(queue, &alarms);
    if (error) {
        return error;
    }
    delayed_t *delayed = sq__memory(sizeof *delayed);
    if (delayed == NULL) {
        sq__alarms_release(alarms);
        return ENOMEM;
    }
    *delayed = (delayed_t){
        .alarm.call = fall_due, .pending = { .end = end, .keeps_queue = true }, .queue = sq_queue_retain(queue),
        .alarms = alarms, .submission = *submission, .references = 2
    };
    uint64_t due = sq__timed_in(alarms, delay);
    sq__lock(queue);
    error = sq__pending_timers_add(queue, &delayed->pending);
    if (error == 0) {
        sq__alarm_set(alarms, &delayed->alarm, due, 0);
        if (submission->kind & SQ__CANCELLABLE) {
            sq__store_relaxed(submission->work.cancellable.place, (uintptr_t)delayed | SQ__DELAYED);
        }
    }
    sq__unlock(queue);
    if (error) {
        dispose(delayed);
        sq_queue_release(queue);
    }
    return error;
}

const sq_queue_t *sq__delayed_queue(const sq__alarm_t *alarm) {
    return alarm->call == fall_due ? SQ__CONTAINER(alarm, delayed_t, alarm)->queue : NULL;
}

int sq__async_task_after(sq_queue_t *queue, uint64_t delay, const sq_task_t *task, const void *site) {
    SQ__CHECK_HANDLE(queue);
    const sq__submission_t submission = { .work.task = *task, .kind = SQ__DUE, .site = site };
    int error = task->run == NULL ? EINVAL : sq__delayed_submit(queue, delay, &submission);
    return error ? sq__queue_reject(queue, error) : 0;
}

int sq_async_task_after(sq_queue_t *queue, uint64_t delay, const sq_task_t *task) {
    return sq__async_task_after(queue, delay, task, __builtin_return_address(0));
}

int sq_async_after(sq_queue_t *queue, uint64_t delay, sq_function_t function, void *context) {
    return sq__async_task_after(queue, delay, &(sq_task_t){ .run = function, .context = context }, __builtin_return_address(0));
}
