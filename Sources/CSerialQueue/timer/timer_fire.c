/* timer_fire.c: what a timer does by itself: fall due, fire, end.
 *
 * DESIGN. All is decided under the queue's lock. Five parties may meet: the owner (o) who starts, cancels or releases the timer, the
 * alarm's call (c), a firing on the queue's runner (f), the end of a queue that is shut down (e), and a thread that waits (w).
 *
 *     (c1) a call that counts: submit the next firing, number n, and note that n waits   (c2) set the alarm again, if periodic
 *     (f1) n waits: note that it runs, and that it waits no more   (f2) call the task   (f3) note that it runs no more; wake (w)
 *     (c3) a firing waits or runs already: this one is left out. The timer rests: its alarm is not set again, however long the
 *          firing takes   (f4) after f3, if the timer rests and none waits: set the alarm for when it is due next, which may be past
 *
 * Intervals. `due` is the first time that no firing stands for yet. A firing stands for the times up to the moment of its
 * submission (c2), and, if the timer rests by then, up to its beginning (f1): so what fell due while it waited is part of it, and
 * what fell due while it ran is not. For that f4 sets an alarm that is called at once, and one more firing follows.
 *
 *     (o1) cancel: cancel the alarm, or note that the call on its way does not count; note that no firing waits
 *     (e1) the timer is off the list   (e2) as o1   (e3) discard
 *
 * Cancel against the call:
 *     o1 c1     the alarm was cancelled in its set, so there is no call; or the call is on its way: it finds itself stale, and leaves
 *     c1 o1     the firing is in the queue. It waits no more, so f1 finds that it has no right to run, and does nothing
 * Cancel against the firing:
 *     f1 o1     it runs; cancel may return, but cancel-and-wait puts (w) on the list in the same step, and f3 comes later
 *     o1 f1     as above. A start after o1 may submit another one, n + 1, while n is still in the queue: n does not bear the
 *               number that waits, and n + 1 has its own place, behind what was submitted before it fell due
 * Release (o1, and the owner is gone):
 *     in f2     the firing ends the timer after f3, in its own turn
 *     else      a last work for the discard function goes into the queue, and the timer off the list; if there is no memory
 *               for it, it stays on the list and the alarm calls again, to try once more; a firing without right to run
 *               that passes before that ends the timer as well
 *     c1 after  a stale call; or, after a try without memory, the one that tries again
 * The end of the queue (no work is in it and no task runs, so no firing waits or runs, either):
 *     e1 c1     the queue takes nothing: the call leaves. So does a last work, which is of no need: e3 is for it
 *     e1 o      start is refused; release finds the timer off the list, and only gives it up
 *     o e1      a last work was submitted before the queue was closed, and runs or is discarded before the end; or was refused:
 *               then the timer is on the list, and e3 is for it
 * Each of them holds a reference while it can come; who leaves last frees the timer. The reference to the queue goes when the timer
 * has no owner and is off the list: work in the queue keeps it alive by itself, or, if it is suspended and nobody can resume
 * it, is discarded like all other work. If the queue is closed it goes with the owner, for what then waits for the end of the
 * queue must not keep it from it (pending_timers.h). */
#include "timer/timer.h"

#include "kernel/concurrent.h"
#include "kernel/depth.h"
#include "kernel/cold.h"
#include "kernel/lock.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "queue/runner.h"

#include <errno.h>

void sq__timer_arm(sq_timer_t *timer, uint64_t due, uint64_t leeway) {
    timer->is_armed = true;
    timer->references += 1;
    sq__alarm_set(timer->alarms, &timer->alarm, due, leeway);
}

void sq__timer_disarm(sq_timer_t *timer) {
    timer->is_resting = false;
    if (timer->is_waiting) {
        timer->is_waiting = false;
        sq__add_relaxed(&timer->queue->withdrawn, 1);
    }
    if (timer->is_armed && !sq__queue_is_stale(timer->queue)) { /* else a thread of the parent's may have the clock's lock */
        timer->is_armed = false;
        bool was_set = sq__alarm_cancel(timer->alarms, &timer->alarm);
        timer->references -= was_set;
        timer->stale_calls += !was_set;
    }
}

void sq__timer_leave(sq_timer_t *timer) {
    sq_queue_t *queue = timer->queue;
    bool gives_up_queue = timer->is_released && timer->has_queue
                          && (!sq__pending_timers_is_listed(&timer->pending) || sq__load_relaxed(&queue->state) & SQ__CLOSED);
    if (gives_up_queue) {
        timer->has_queue = false;
    }
    timer->references -= 1;
    bool is_last = timer->references == 0;
    sq__unlock(queue);
    if (is_last) {
        sq__alarms_let_go(timer->alarms);
        sq__memory_free(timer);
    }
    if (gives_up_queue) {
        sq_queue_release(queue);
    }
}

/* L. Moves `due` of a periodic timer to the next time that is still to come, and adds the times that it passes to what the
 * firing that waits stands for. */
static void move_due(sq_timer_t *timer) {
    uint64_t now = sq__alarms_now(timer->alarms);
    uint64_t missed = now > timer->due ? (now - timer->due) / timer->interval : 0;
    uint64_t periods = missed + 1;
    bool is_far = timer->interval > (SQ_FOREVER - timer->due) / periods;
    timer->due = is_far ? SQ_FOREVER : timer->due + periods * timer->interval;
    timer->waiting_intervals += periods;
}

/* L. Sets the alarm, from its call or while it is not set, for when the timer is due. */
static void arm_again(sq_timer_t *timer) {
    sq__alarm_set_again(timer->alarms, &timer->alarm, timer->due, timer->leeway);
}

static void grant_waiters(sq_timer_t *timer) {
    for (sq__timer_waiter_t *next, *waiter = timer->waiters; waiter != NULL; waiter = next) {
        next = waiter->next;
        waiter->is_over = true;
        sq__token_grant(waiter->wait.token, waiter->wait.wait_id);
    }
    timer->waiters = NULL;
}

/* O. In a turn of the queue's, without the lock. Nobody but the caller has the right to come here. False: it has forked, and
 * this is the child: the timer is the parent's. */
static bool discard(sq_timer_t *timer) {
    if (timer->task.discard != NULL) {
        sq__cold_task_calls(timer->queue, timer->task.discard);
        timer->task.discard(timer->task.context);
    }
    return !sq__queue_is_stale(timer->queue);
}

/* Firings. O, and the queue is the current one. */

/* After a work was over. */
static void pass(sq_timer_t *timer) {
    sq__lock(timer->queue);
    if (timer->is_running) {
        timer->is_running = false;
        grant_waiters(timer);
    }
    if (timer->is_resting && !timer->is_waiting) {
        timer->is_resting = false;
        timer->is_armed = true;
        timer->references += 1;
        arm_again(timer);
    }
    if (timer->is_released && sq__pending_timers_is_listed(&timer->pending)) {
        sq__timer_disarm(timer);
        sq__pending_timers_remove(timer->queue, &timer->pending);
        timer->references -= 1; /* the list's; the work still has its own */
        sq__unlock(timer->queue);
        if (!discard(timer)) {
            return;
        }
        sq__lock(timer->queue);
    }
    sq__timer_leave(timer);
}

static void fire(void *context, void *number, bool runs) {
    sq_timer_t *timer = context;
    sq_queue_t *queue = timer->queue;
    if (runs) {
        sq__cold_task_calls(queue, timer->task.run); /* before the decision: from there on it has begun, for who cancels */
    }
    sq__lock(queue);
    bool may_run = timer->is_waiting && (uintptr_t)timer->firing == (uintptr_t)number;
    if (may_run) {
        if (timer->is_resting) {
            move_due(timer);
        }
        timer->intervals = timer->waiting_intervals;
        timer->is_waiting = false;
        timer->is_running = runs;
        timer->runs_on = sq__self();
    }
    sq__unlock(queue);
    if (!may_run && runs) {
        sq__depth_not_run(queue); /* it was counted in advance */
    } else if (!may_run) {
        sq__count(&queue->discarded, (uint64_t)-1);
        sq__count(&queue->skipped, 1);
    } else if (runs) {
        timer->task.run(timer->task.context);
        if (sq__queue_is_stale(queue)) {
            return; /* it has forked, and this is the child: the timer is the parent's */
        }
    }
    pass(timer);
}

/* The last work: the timer is off the list already. */
static void finish(void *context, void *unused, bool runs) {
    sq_timer_t *timer = context;
    (void)unused;
    if (!runs) { /* the shutdown discards it, but nothing is lost */
        sq__count(&timer->queue->discarded, (uint64_t)-1);
        sq__count(&timer->queue->ran, 1);
    }
    if (discard(timer)) {
        sq__lock(timer->queue);
        sq__timer_leave(timer);
    }
}

/* Submissions. L */

static int submit(sq_timer_t *timer, sq_pair_function_t call, uint64_t number, bool *passes) {
    const sq__work_t work = { .pair = { .call = call, .first = timer, .second = (void *)(uintptr_t)number } };
    return sq__timed_submit(timer->queue, SQ__JOB, &work, passes);
}

static bool is_left_out(const sq_timer_t *timer) {
    return timer->is_waiting || (timer->is_running && (!timer->is_first || sq__is_concurrent(timer->queue)));
}

static int submit_firing(sq_timer_t *timer, bool *passes) {
    int error = submit(timer, fire, timer->firing + 1, passes);
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
    int error = timer->task.discard != NULL ? submit(timer, finish, 0, passes) : 0;
    if (error == 0) {
        sq__pending_timers_remove(timer->queue, &timer->pending);
        timer->references -= timer->task.discard == NULL; /* else it is the work's now */
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
        timer->is_armed = false;
        timer->is_resting = true;
        sq__timer_leave(timer);
        return;
    }
    int error = timer->is_released ? sq__timer_submit_end(timer, &passes) : submit_firing(timer, &passes);
    if (error == ENOMEM) {
        sq__timed_try_again(timer->alarms, alarm);
        sq__unlock(queue);
    } else if (error == 0 && timer->interval > 0 && !timer->is_released) {
        move_due(timer);
        arm_again(timer);
        sq__unlock(queue);
    } else {
        timer->is_armed = false;
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
    bool was_to_fire = timer->is_armed && !timer->is_released;
    sq__timer_disarm(timer);
    sq__unlock(timer->queue);
    sq__count(&timer->queue->discarded, was_to_fire);
    if (discard(timer)) {
        sq__lock(timer->queue);
        sq__timer_leave(timer);
    }
}
