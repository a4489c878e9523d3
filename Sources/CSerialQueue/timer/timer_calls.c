/* timer_calls.c: the calls of a timer's owner. timer_fire.c explains how they race with the firings. */
#include "timer/timer.h"

#include "alarm/alarm.h"
#include "include/sq_private.h"
#include "queue/queue.h"
#include "state/state_inline.h"
#include "timer/timer_alarm.h"
#include "timer/timer_fire.h"
#include "platform/container.h"
#include "platform/list.h"
#include "platform/memory.h"
#include "platform/peek.h"
#include "wait/wait.h"

#include <errno.h>

static sq_timer_t *failed(int error) {
    errno = error;
    return NULL;
}

sq_timer_t *sq__timer_create(sq_queue_t *queue, const sq_task_t *task, const void *site) {
    SQ__CHECK_HANDLE(queue);
    sq__alarms_t *alarms;
    if (task->run == NULL) {
        return failed(EINVAL);
    }
    int error = sq__timed_prepare(queue, &alarms);
    if (error) {
        return failed(error);
    }
    sq_timer_t *timer = sq__memory(sizeof *timer);
    if (timer == NULL) {
        error = ENOMEM;
        goto no_memory;
    }
    *timer = (sq_timer_t){
        .alarm.call = sq__timer_fall_due, .pending.end = sq__timer_end_with_queue, .queue = queue, .alarms = alarms,
        .task = *task, .site = site, .references = 2, .has_queue = true, .has_lease = true
    };
    sq__lock(queue);
    error = sq__pending_timers_add(queue, &timer->pending);
    sq__unlock(queue);
    if (error) {
        goto not_listed;
    }
    sq_queue_retain(queue);
    return timer;
not_listed:
    sq__memory_free(timer);
no_memory:
    sq__alarms_release(alarms);
    return failed(error);
}

sq_timer_t *sq_timer_create(sq_queue_t *queue, const sq_task_t *task) {
    return sq__timer_create(queue, task, __builtin_return_address(0));
}

int sq_timer_start_at(sq_timer_t *timer, sq_time_t due, uint64_t interval, uint64_t leeway) {
    int error = 0;
    if (sq__queue_is_stale(timer->queue)) {
        return ESTALE;
    }
    sq__lock(timer->queue);
    if (sq__load_relaxed(&timer->queue->state) & SQ__CLOSED) { /* changes under the same lock */
        error = ESHUTDOWN;
    } else {
        sq__timer_disarm(timer);
        timer->due = due;
        timer->interval = interval;
        timer->leeway = leeway;
        timer->is_first = true;
        sq__timer_change_alarm(timer, timer->suspensions == 0 ? SQ__TIMER_START : SQ__TIMER_HOLD);
    }
    sq__unlock(timer->queue);
    return error;
}

int sq_timer_start(sq_timer_t *timer, uint64_t delay, uint64_t interval, uint64_t leeway) {
    return sq_timer_start_at(timer, sq__queue_is_stale(timer->queue) ? 0 : sq__timed_in(timer->alarms, delay), interval, leeway);
}

uint64_t sq_timer_intervals(const sq_timer_t *timer) {
    sq__lock(timer->queue);
    uint64_t intervals = timer->intervals;
    sq__unlock(timer->queue);
    return intervals;
}

int sq_timer_cancel(sq_timer_t *timer) {
    sq__lock(timer->queue);
    sq__timer_disarm(timer);
    sq__unlock(timer->queue);
    return 0;
}

/* T, with no lock, after a wait that failed: removes the waiter from the list. True: the firing ended just before the wait failed. In the child of a
 * fork, by a task that the wait ran, the list has waiters on stacks of the parent's threads, which threads of the child get. */
static bool is_over(const sq_timer_t *timer, sq__timer_waiter_t *waiter) {
    if (sq__queue_is_stale(timer->queue)) {
        return false;
    }
    sq__lock(timer->queue);
    bool over = waiter->link == NULL;
    if (!over) {
        SQ__LIST_REMOVE(waiter);
    }
    sq__unlock(timer->queue);
    return over;
}

/* Reads the interval without the lock under which it changes. */
const sq_queue_t *sq__timer_queue(const sq__alarm_t *alarm, uint64_t *interval) {
    if (alarm->call != sq__timer_fall_due) {
        return NULL;
    }
    const sq_timer_t *timer = SQ__CONTAINER(alarm, sq_timer_t, alarm);
    *interval = 0;
    (void)sq__peek(&timer->interval, interval, sizeof *interval);
    return timer->queue;
}

/* True: the calling thread is inside this task. */
static bool is_inside(const sq__frame_t *task) {
    const sq__frame_t *frame = sq__self_listed()->frame;
    while (frame != NULL && frame != task) {
        frame = frame->parent;
    }
    return frame != NULL;
}

int sq_timer_cancel_and_wait(sq_timer_t *timer, sq_time_t deadline) {
    sq_queue_t *queue = timer->queue;
    sq__timer_waiter_t waiter = { .wait = { .queue = queue, .aim = SQ__AIM_TASK } };
    int error = sq__wait_begin(&waiter.wait, false);
    if (error) {
        return error;
    }
    sq__lock(queue);
    sq__timer_disarm(timer);
    bool waits = timer->is_running && !sq__queue_is_stale(queue);
    bool waits_for_itself = waits && is_inside(timer->frame);
    if (waits && !waits_for_itself) {
        waiter.wait.task = timer->frame;
        SQ__LIST_PUT(timer->waiters, &waiter);
    }
    sq__unlock(queue);
    if (!waits || waits_for_itself) {
        sq__wait_cancel(&waiter.wait);
    }
    if (!waits) {
        return 0;
    }
    if (waits_for_itself) {
        sq__deadlock_onto_itself(queue, SQ__AIM_TASK, "sq_timer_cancel_and_wait on a timer of", NULL);
        return EDEADLK;
    }
    error = sq__wait_end(&waiter.wait, deadline);
    return error == 0 || is_over(timer, &waiter) ? 0 : error;
}

void sq_timer_release(sq_timer_t *timer) {
    if (timer == NULL || sq__queue_is_stale(timer->queue)) {
        return; /* in the child of a fork it is unusable, and calls of the parent's alarms still hold references to it */
    }
    sq_queue_t *queue = timer->queue;
    bool passes = false;
    sq__lock(queue);
    timer->is_released = true;
    bool ends = sq__pending_timers_is_listed(&timer->pending) && !timer->is_running;
    int error = ends ? sq__timer_submit_end(timer, &passes) : 0;
    sq__timer_disarm(timer); /* after that, so that it is known whether the alarm is still needed */
    if (error == ENOMEM) {
        sq__timer_change_alarm(timer, SQ__TIMER_RETRY);
    }
    sq__timer_leave(timer);
    if (passes) {
        sq__baton_pass(queue);
    }
}
