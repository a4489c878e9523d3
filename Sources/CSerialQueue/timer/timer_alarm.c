#include "timer/timer_alarm.h"

#include "alarm/alarm.h"
#include "timer/timer.h"

void sq__timer_change_alarm(sq_timer_t *timer, sq__timer_event_t event) {
    sq__timer_step_t step = sq__timer_alarm_step(timer->alarm_state, event);
    bool was_set;
    timer->references += step.alarm == SQ__TIMER_SET && timer->alarm_state != SQ__TIMER_SET;
    timer->alarm_state = step.alarm;
    switch (step.action) {
    case SQ__TIMER_DO_SET:
        sq__alarm_set(timer->alarms, &timer->alarm, timer->due, timer->leeway);
        break;
    case SQ__TIMER_SET_AGAIN:
        sq__alarm_set_again(timer->alarms, &timer->alarm, timer->due, timer->leeway);
        break;
    case SQ__TIMER_TRY_AGAIN:
        sq__timed_try_again(timer->alarms, &timer->alarm);
        break;
    case SQ__TIMER_DO_CANCEL:
        if (timer->is_released && !sq__pending_timers_is_listed(&timer->pending)) { /* it has ended: nothing sets the alarm again */
            was_set = sq__alarm_cancel_and_release(timer->alarms, &timer->alarm);
            timer->has_lease = !was_set;
        } else {
            was_set = sq__alarm_cancel(timer->alarms, &timer->alarm);
        }
        timer->references -= was_set;
        timer->stale_calls += !was_set;
        break;
    case SQ__TIMER_NOTHING:
        break;
    }
}
