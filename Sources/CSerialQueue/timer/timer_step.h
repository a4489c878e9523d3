/* timer_step.h: whether a timer's alarm is set, and what each event makes of that. timer_fire.c says when the events come.
 *
 * DESIGN. sq__timer_alarm_step is the only place where one state follows from another. It changes nothing: sq__timer_change_alarm
 * (timer_alarm.h) makes the step, under the queue's lock. Columns are events:
 *
 *              start        hold     again             retry             over    cancel
 *     OFF      SET, set     RESTS    fatal             SET, try again    fatal   OFF
 *     SET      fatal        RESTS    SET, set again    SET, try again    OFF     OFF, cancel
 *     RESTS    SET, set     fatal    SET, set again    fatal             fatal   OFF */
#pragma once

#include "platform/fatal.h"

#include <stdbool.h>

typedef enum sq__timer_alarm {
    SQ__TIMER_OFF,  /* nothing is to come: not started, cancelled, or the last firing was submitted */
    SQ__TIMER_SET,  /* the alarm is set, or a call of it that is not stale runs */
    SQ__TIMER_RESTS /* it is to fire, but the alarm is not set: until the waiting or running firing is over, or the timer resumed */
} sq__timer_alarm_t;

typedef enum sq__timer_event {
    SQ__TIMER_START, /* a start or a resume */
    SQ__TIMER_HOLD,  /* it may not fire now, but later */
    SQ__TIMER_AGAIN, /* it has fired, and is to fire again */
    SQ__TIMER_RETRY, /* there was no memory */
    SQ__TIMER_OVER,  /* the call of the alarm was the last one */
    SQ__TIMER_CANCEL
} sq__timer_event_t;

/* What sq__timer_change_alarm does with the alarm. */
typedef enum sq__timer_action { SQ__TIMER_NOTHING, SQ__TIMER_DO_SET, SQ__TIMER_SET_AGAIN, SQ__TIMER_TRY_AGAIN, SQ__TIMER_DO_CANCEL } sq__timer_action_t;

typedef struct sq__timer_step {
    sq__timer_alarm_t alarm;
    sq__timer_action_t action;
} sq__timer_step_t;

/* What this event makes of this state, and what is to be done with the alarm. Ends the program if the event cannot come. */
static inline sq__timer_step_t sq__timer_alarm_step(sq__timer_alarm_t alarm, sq__timer_event_t event) {
    const bool is_set = alarm == SQ__TIMER_SET, rests = alarm == SQ__TIMER_RESTS;
    switch (event) {
    case SQ__TIMER_START:
        if (!is_set) {
            return (sq__timer_step_t){ SQ__TIMER_SET, SQ__TIMER_DO_SET };
        }
        break;
    case SQ__TIMER_HOLD:
        if (!rests) {
            return (sq__timer_step_t){ SQ__TIMER_RESTS, SQ__TIMER_NOTHING };
        }
        break;
    case SQ__TIMER_AGAIN:
        if (is_set || rests) {
            return (sq__timer_step_t){ SQ__TIMER_SET, SQ__TIMER_SET_AGAIN };
        }
        break;
    case SQ__TIMER_RETRY:
        if (!rests) {
            return (sq__timer_step_t){ SQ__TIMER_SET, SQ__TIMER_TRY_AGAIN };
        }
        break;
    case SQ__TIMER_OVER:
        if (is_set) {
            return (sq__timer_step_t){ SQ__TIMER_OFF, SQ__TIMER_NOTHING };
        }
        break;
    case SQ__TIMER_CANCEL:
        return (sq__timer_step_t){ SQ__TIMER_OFF, is_set ? SQ__TIMER_DO_CANCEL : SQ__TIMER_NOTHING };
    }
    sq__fatal("event %d of a timer cannot come in state %d: this is a bug in the library, please report it.", (int)event, (int)alarm);
}
