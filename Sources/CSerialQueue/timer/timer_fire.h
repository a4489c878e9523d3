/* timer_fire.h: what happens to a timer by itself. timer_fire.c has the design. */
#pragma once

#include "timer/timer_record.h"

/* L. Prevents every firing that is due or waiting now from starting. */
void sq__timer_disarm(sq_timer_t *timer);

/* L. Ends a released timer: submits the call of its discard function, if it has one, and removes the timer from the list. Returns
 * the error of sq__async_put. */
int sq__timer_submit_end(sq_timer_t *timer, bool *passes);

/* Releases one reference and unlocks the queue, whose lock the caller holds. Frees the timer with the last reference. */
void sq__timer_leave(sq_timer_t *timer);

/* The alarm's function; and the function that is called at the end of the queue. */
void sq__timer_fall_due(sq__alarm_t *alarm);
void sq__timer_end_with_queue(void *pending);
