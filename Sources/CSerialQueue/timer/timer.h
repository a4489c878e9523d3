/* timer.h: delayed work, and what timers and notifications share with it. timer_fire.c has the design of timers. */
#pragma once

#include "alarm/alarm_inline.h"
#include "state/state_inline.h"

/* Submits a DUE, or a CANCELLABLE that takes no room, in `delay` nanoseconds; if that is 0, at once. With no lock. Returns 0, ENOMEM, ESHUTDOWN or
 * ESTALE; then nothing is left, and the task is the caller's. */
int sq__delayed_submit(sq_queue_t *queue, uint64_t delay, const sq__submission_t *submission);

/* Withdraws the CANCELLABLE with this place, if its delay is not over. It was never in the queue, so it is not counted. False: the task is in the
 * queue, over, or not submitted. With no lock. As in sq__withdraw, the queue may be freed already. */
bool sq__delayed_withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place);

/* For a dump: the queue of the delayed task that this alarm belongs to; NULL: it belongs to no delayed task. The alarm is set. */
const sq_queue_t *sq__delayed_queue(const sq__alarm_t *alarm);

/* For a dump: the queue of the timer that this alarm belongs to; NULL: it belongs to no timer. The alarm is set. *interval: the timer's; 0: once. */
const sq_queue_t *sq__timer_queue(const sq__alarm_t *alarm, uint64_t *interval);

/* L. Called when there was no memory: sets the alarm to try again a little later. */
void sq__timed_try_again(sq__alarms_t *alarms, sq__alarm_t *alarm);
