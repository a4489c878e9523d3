/* timer_control.c: suspending a timer, and a task for the time after its last firing. timer_fire.c has the design. */
#include "gate/gate_inline.h"
#include "include/sq_private.h"
#include "queue/queue.h"
#include "state/state_inline.h"
#include "timer/timer_alarm.h"
#include "timer/timer_fire.h"

#include <errno.h>

/* L. A firing that waits is to be taken back: `due` becomes the first time that it covers. */
static void move_due_back(sq_timer_t *timer) {
    bool is_far = timer->due == SQ_FOREVER; /* not known any more: the intervals are too long to be missed twice */
    timer->due = is_far ? sq__alarms_now(timer->alarms) : timer->due - timer->waiting_intervals * timer->interval;
}

int sq_timer_suspend(sq_timer_t *timer) {
    if (sq__queue_is_stale(timer->queue)) {
        return ESTALE;
    }
    sq__lock(timer->queue);
    if (timer->suspensions == UINT32_MAX) {
        sq__unlock(timer->queue);
        return EOVERFLOW;
    }
    timer->suspensions += 1;
    bool is_to_fire = timer->alarm_state != SQ__TIMER_OFF || timer->is_waiting;
    if (timer->is_waiting) {
        move_due_back(timer);
    }
    sq__timer_disarm(timer);
    if (is_to_fire) {
        sq__timer_change_alarm(timer, SQ__TIMER_HOLD);
    }
    sq__unlock(timer->queue);
    return 0;
}

int sq_timer_resume(sq_timer_t *timer) {
    if (sq__queue_is_stale(timer->queue)) {
        return ESTALE;
    }
    sq__lock(timer->queue);
    int error = timer->suspensions > 0 ? 0 : EINVAL;
    timer->suspensions -= error == 0;
    bool is_closed = sq__load_relaxed(&timer->queue->state) & SQ__CLOSED; /* changes under the same lock */
    if (error == 0 && timer->suspensions == 0 && timer->alarm_state == SQ__TIMER_RESTS && !timer->is_running && !is_closed) {
        sq__timer_change_alarm(timer, SQ__TIMER_START);
    }
    sq__unlock(timer->queue);
    return error;
}

int sq__timer_cancel_then(sq_timer_t *timer, const sq_task_t *task, const void *site) {
    sq_queue_t *queue = timer->queue;
    if (task->run == NULL || sq__queue_is_stale(queue)) {
        return task->run == NULL ? EINVAL : ESTALE;
    }
    (void)sq_timer_cancel(timer);
    /* Behind the firing that runs; on a concurrent queue a barrier waits for it. */
    int error = sq__async_due(queue, &(sq__submission_t){ .work.task = *task, .kind = SQ__DUE | sq__barrier_on(queue), .site = site });
    return error ? sq__queue_reject(queue, error) : 0;
}

int sq_timer_cancel_then(sq_timer_t *timer, const sq_task_t *task) {
    return sq__timer_cancel_then(timer, task, __builtin_return_address(0));
}
