/* timer_fire.c: what happens to a timer by itself: it falls due, fires, and ends with its queue.
 *
 * DESIGN. Everything is decided under the queue's lock. Five threads can race: the owner (o), which starts, cancels or releases
 * the timer; the alarm's call (c); a firing on the queue's runner (f); the end of a queue that was shut down (e); and a thread that
 * waits in cancel-and-wait (w).
 *
 *     (c1) a call that is not stale: submit the next firing, number n; n is waiting   (c2) set the alarm again, if periodic
 *     (f1) n is waiting: now it is running instead   (f2) call the task   (f3) it is no longer running; wake (w)
 *     (c3) a firing is waiting or running already: skip this one. The timer rests: its alarm is not set again until that
 *          firing is over   (f4) after f3, if the timer rests and no firing waits: set the alarm for `due`, which may be past
 *
 * Intervals. `due` is the first time that no firing covers yet. A firing covers the times up to its submission (c2), and, if the
 * timer rests by then, up to its start (f1). So it covers what fell due while it waited, but not what fell due while it ran: for
 * that, f4 sets an alarm that is called at once, and one more firing follows.
 *
 *     (o1) cancel: cancel the alarm, or mark a call that has begun as stale; no firing is waiting any more
 *     (e1) the timer is removed from the list   (e2) as o1   (e3) discard
 *
 * Cancel against the call:
 *     o1 c1     the alarm was cancelled in its set, so there is no call; or the call has begun, finds itself stale and returns
 *     c1 o1     the firing is in the queue, but no longer counts as waiting: f1 sees that it must not run, and does nothing
 * Cancel against the firing:
 *     f1 o1     the firing runs; cancel may return, but cancel-and-wait puts (w) on the list in the same step, and f3 comes later
 *     o1 f1     as above. A start after o1 may submit another firing, n + 1, while n is still in the queue: the number of n is
 *               not the one that waits, and n + 1 has its own slot, behind what was submitted before it fell due
 * Suspension: a suspended timer rests, as after c3, and its alarm is not set; only resume sets it, or, if a firing runs by then, f4. A firing
 * that waits is taken back, and `due` is again the first time that it covered. So the firing after the resume covers all of them.
 * A skipped firing against a later one, in a concurrent queue, where both are under way at once:
 *     f1' f1 f3'   the skipped one finds that a firing runs, and changes nothing: f3, f4 and the end of a released timer come after it
 * Release (there is no owner from now on):
 *     in f2     o1; the firing ends the timer after f3, while it still has the baton
 *     else      submit the discard function as a work of its own, which does not need the timer, and remove the timer from the list; then o1.
 *               Without memory for that the timer stays on the list, and after o1 the alarm is set to try again; a firing that must not
 *               run, but is reached before that, also ends the timer
 *     c1 after  a stale call; or, after an attempt without memory, the one that tries again
 * The end of the queue (its last task is over, so no firing waits or runs):
 *     e1 c1     the queue accepts nothing: the call returns. The discard is not accepted either, and not needed: e3 replaces it
 *     e1 o      start is refused; release finds the timer removed from the list, and only drops the owner's reference
 *     o e1      the discard was submitted before the queue was closed, and is called before the end; or it was
 *               refused: then the timer is still on the list, and e3 follows
 * Each of them holds a reference while it can still act; the last one to release it frees the timer. The timer's reference to the queue
 * is released when the timer has no owner and is off the list: work in the queue keeps the queue alive, or, if the queue is
 * suspended and nothing can resume it, is discarded like all other work. If the queue is closed, that reference is released
 * together with the owner's: a timer that waits for the end of the queue must not prevent it (pending_timers.h). */
#include "timer/timer_fire.h"

#include "alarm/alarm.h"
#include "gate/gate_inline.h"
#include "kernel/kernel.h"
#include "observe/observe_inline.h"
#include "queue/queue.h"
#include "platform/container.h"
#include "platform/list.h"
#include "platform/memory.h"
#include "state/state_inline.h"
#include "timer/timer.h"
#include "timer/timer_alarm.h"

#include <errno.h>

void sq__timer_disarm(sq_timer_t *timer) {
    if (timer->is_waiting) {
        timer->is_waiting = false;
        sq__tally(timer->queue, SQ__TALLY_WITHDRAWN, 1);
    }
    if (!sq__queue_is_stale(timer->queue)) { /* else another thread may have held the clock's lock at the fork */
        sq__timer_change_alarm(timer, SQ__TIMER_CANCEL);
    }
}

void sq__timer_leave(sq_timer_t *timer) {
    sq_queue_t *queue = timer->queue;
    bool releases_queue = timer->is_released && timer->has_queue
                          && (!sq__pending_timers_is_listed(&timer->pending) || sq__load_relaxed(&queue->state) & SQ__CLOSED);
    if (releases_queue) {
        timer->has_queue = false;
    }
    timer->references -= 1;
    bool is_last = timer->references == 0;
    sq__unlock(queue);
    if (is_last) {
        if (timer->has_lease) {
            sq__alarms_release(timer->alarms);
        }
        sq__memory_free(timer);
    }
    if (releases_queue) {
        sq_queue_release(queue);
    }
}

/* L. Moves `due` of a periodic timer to the next future time, and adds the intervals in between to the waiting firing. The interval is not 0. */
static void move_due(sq_timer_t *timer) {
    uint64_t now = sq__alarms_now(timer->alarms);
    uint64_t missed = now > timer->due ? (now - timer->due) / timer->interval : 0;
    uint64_t periods = missed + 1;
    bool is_far = timer->interval > (SQ_FOREVER - timer->due) / periods;
    timer->due = is_far ? SQ_FOREVER : timer->due + periods * timer->interval;
    timer->waiting_intervals += periods;
}

static void grant_waiters(sq_timer_t *timer) {
    for (sq__timer_waiter_t *waiter; (waiter = timer->waiters) != NULL;) {
        SQ__LIST_REMOVE(waiter);
        sq__token_grant(waiter->wait.token, waiter->wait.wait_id);
    }
}

/* O. Without the lock. Called once per timer. Returns false if the discard function has forked and this is the child: the timer
 * belongs to the parent. */
static bool discard(sq_timer_t *timer) {
    if (timer->task.discard != NULL) {
        sq__watch_task_calls(timer->queue, timer->task.discard);
        timer->task.discard(timer->task.context);
    }
    return !sq__queue_is_stale(timer->queue);
}

/* Firings. O, and the queue is the current one. */

/* After a firing is over (`ran`), or was skipped; with no lock. A skipped firing of a concurrent queue may pass while a later one runs: then the end
 * of that one does the rest. Releases the firing's reference. */
static void pass(sq_timer_t *timer, bool ran) {
    sq__lock(timer->queue);
    if (ran) {
        timer->is_running = false;
        grant_waiters(timer);
    }
    if (timer->is_running) {
        sq__timer_leave(timer);
        return;
    }
    if (timer->alarm_state == SQ__TIMER_RESTS && !timer->is_waiting && timer->suspensions == 0) {
        sq__timer_change_alarm(timer, SQ__TIMER_AGAIN);
    }
    if (timer->is_released && sq__pending_timers_is_listed(&timer->pending)) {
        sq__timer_disarm(timer);
        sq__pending_timers_remove(timer->queue, &timer->pending);
        timer->references -= 1; /* the list's; the firing still has its own */
        sq__unlock(timer->queue);
        if (!discard(timer)) {
            return;
        }
        sq__lock(timer->queue);
    }
    sq__timer_leave(timer);
}

/* What the queue calls for firing `number`. Not `runs`: a shutdown discards the firing. Either way it releases the firing's reference, except in the
 * child of a fork. */
static void fire(void *context, void *number, bool runs) {
    sq_timer_t *timer = context;
    sq_queue_t *queue = timer->queue;
    if (runs) {
        sq__watch_task_calls(queue, timer->task.run); /* before the decision: after that the firing counts as begun for cancel */
    }
    sq__lock(queue);
    bool may_run = timer->is_waiting && (uintptr_t)timer->firing == (uintptr_t)number;
    if (may_run) {
        if (timer->alarm_state == SQ__TIMER_RESTS) {
            move_due(timer);
        }
        timer->intervals = timer->waiting_intervals;
        timer->is_waiting = false;
        timer->is_running = runs;
        timer->frame = sq__self()->frame;
    }
    sq__unlock(queue);
    if (!may_run && runs) {
        sq__depth_not_run(queue); /* corrects the count: the caller has counted the firing as run already */
        sq__self()->frame->did_not_run = true;
    } else if (!may_run) {
        sq__tally(queue, SQ__TALLY_DISCARDED, (uint64_t)-1);
        sq__count(&queue->skipped, 1);
    } else if (runs) {
        timer->task.run(timer->task.context);
        if (sq__queue_is_stale(queue)) {
            return; /* the task has forked, and this is the child: the timer belongs to the parent */
        }
    }
    pass(timer, may_run && runs);
}

static __attribute__((constructor)) void show_timers(void) {
    static sq__wrapper_t firing;
    firing = (sq__wrapper_t){
        .function = (sq_function_t)(void (*)(void))fire, .name = "a timer's task", .run = offsetof(sq_timer_t, task.run),
        .discard = offsetof(sq_timer_t, task.discard), .context = offsetof(sq_timer_t, task.context), .code = SQ__NOT_THERE,
        .label = SQ__NOT_THERE, .kind = SQ__TASK_OF_TIMER
    };
    sq__wrapper_add(&firing);
}

/* Submissions. L */

static bool is_left_out(const sq_timer_t *timer) {
    return timer->is_waiting || (timer->is_running && (!timer->is_first || sq__is_concurrent(timer->queue)));
}

/* Returns the error of sq__async_put, and *passes as sq__async_put. 0: the firing waits, with a number and a reference. */
static int submit_firing(sq_timer_t *timer, bool *passes) {
    SQ__PROBE3(timer, timer->queue, SQ__LABEL_AT, timer);
    if (sq__is_traced(timer->queue)) {
        sq__trace_hook_event(timer->queue, SQ__EVENT_TIMER, 0, 0, 0);
    }
    const sq__submission_t submission = {
        .work.pair = { .call = fire, .first = timer, .second = (void *)(uintptr_t)(timer->firing + 1) }, .kind = SQ__JOB, .site = timer->site
    };
    int error = sq__async_put(timer->queue, &submission, passes);
    if (error == 0) {
        timer->firing += 1;
        timer->waiting_intervals = timer->interval == 0;
        timer->is_waiting = true;
        timer->is_first = false;
        timer->references += 1;
    }
    return error;
}

int sq__timer_submit_end(sq_timer_t *timer, bool *passes) {
    const sq__submission_t submission = {
        .work.task = { .run = timer->task.discard, .context = timer->task.context, .discard = timer->task.discard }, .kind = SQ__CLEANUP, .site = timer->site
    };
    int error = timer->task.discard != NULL ? sq__async_put(timer->queue, &submission, passes) : 0;
    if (error == 0) {
        sq__pending_timers_remove(timer->queue, &timer->pending);
        timer->references -= 1;
    }
    return error;
}

void sq__timer_fall_due(sq__alarm_t *alarm) {
    sq_timer_t *timer = SQ__CONTAINER(alarm, sq_timer_t, alarm);
    sq_queue_t *queue = timer->queue;
    bool passes = false;
    sq__lock(queue);
    if (timer->stale_calls > 0) {
        timer->stale_calls -= 1;
        sq__timer_leave(timer);
        return;
    }
    if (!timer->is_released && is_left_out(timer)) {
        sq__timer_change_alarm(timer, SQ__TIMER_HOLD);
        sq__timer_leave(timer);
        return;
    }
    int error = timer->is_released ? sq__timer_submit_end(timer, &passes) : submit_firing(timer, &passes);
    if (error == ENOMEM) {
        sq__timer_change_alarm(timer, SQ__TIMER_RETRY);
        sq__unlock(queue);
    } else if (error == 0 && timer->interval > 0 && !timer->is_released) {
        move_due(timer);
        sq__timer_change_alarm(timer, SQ__TIMER_AGAIN);
        sq__unlock(queue);
    } else {
        bool is_left = error == ESHUTDOWN && !timer->is_released; /* the end of the queue discards this firing */
        sq__timer_change_alarm(timer, is_left ? SQ__TIMER_HOLD : SQ__TIMER_OVER);
        sq__timer_leave(timer);
    }
    if (passes) {
        sq__baton_pass(queue);
    }
}

/* The end of the queue */

void sq__timer_end_with_queue(void *pending) {
    sq_timer_t *timer = SQ__CONTAINER(pending, sq_timer_t, pending);
    sq__lock(timer->queue);
    bool was_to_fire = timer->alarm_state != SQ__TIMER_OFF && !timer->is_released;
    sq__timer_disarm(timer);
    sq__unlock(timer->queue);
    sq__tally(timer->queue, SQ__TALLY_DISCARDED, was_to_fire);
    if (discard(timer)) {
        sq__lock(timer->queue);
        sq__timer_leave(timer);
    }
}
