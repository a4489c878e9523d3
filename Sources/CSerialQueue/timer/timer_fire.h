/* timer_fire.h: what happens to a timer by itself. timer_fire.c has the design. */
#pragma once

#include "timer/timer_record.h"

/* L. Prevents every firing that is due or waiting now from starting. Cancels the alarm; no effect on the alarm in the child of a fork. */
void sq__timer_disarm(sq_timer_t *timer);

/* L. Ends a released, listed timer: submits the call of its discard function, if it has one, and removes the timer from the list. Returns the error
 * of sq__async_put, and then the timer stays on the list; or 0. *passes as there. */
int sq__timer_submit_end(sq_timer_t *timer, bool *passes);

/* Releases one reference and unlocks the queue, whose lock the caller holds. Frees the timer with the last reference. The queue may be freed on
 * return. */
void sq__timer_leave(sq_timer_t *timer);

/* The alarm's function, by a call that has a reference; and the function that is called at the end of the queue, O. Both with no lock. */
void sq__timer_fall_due(sq__alarm_t *alarm);
void sq__timer_end_with_queue(void *pending);
