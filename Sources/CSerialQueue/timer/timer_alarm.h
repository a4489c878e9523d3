/* timer_alarm.h: setting and cancelling the alarm of a timer. timer_step.h has the steps. */
#pragma once

#include "timer/timer_record.h"

/* L. Makes the step, and sets or cancels the alarm as the step says. Counts the reference of the alarm; a call that has begun before a cancel keeps
 * it, and is stale. */
void sq__timer_change_alarm(sq_timer_t *timer, sq__timer_event_t event);
