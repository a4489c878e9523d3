/* timed_submit.h: what delayed tasks and timers share: a clock, and the submission when they are due. */
#pragma once

#include "alarm/alarm.h"
#include "state/queue.h"

/* Makes sure that the queue can run tasks, and records if a trace is under way; takes a lease on the set of alarms with the queue's clock; sq__alarms_release returns
 * it. Returns 0, ENOMEM, ESHUTDOWN or ESTALE. */
int sq__timed_prepare(sq_queue_t *queue, sq__alarms_t **alarms);

/* The time that many nanoseconds from now; SQ__NEVER on overflow. */
uint64_t sq__timed_in(sq__alarms_t *alarms, uint64_t nanoseconds);

/* L; without the lock for work that cannot be withdrawn (SQ__NOTIFICATION). Submits work that is exempt from the capacity, from this site (NULL:
 * not known). *passes is set to true if the caller now holds the baton: it must release the lock, if it has it, and then pass the baton
 * (sq__baton_pass). The queue exists until then. Returns 0, ENOMEM or ESHUTDOWN. */
int sq__timed_submit(sq_queue_t *queue, uint16_t kind, const sq__work_t *work, const void *site, bool *passes);

/* L. Called when there was no memory: sets the alarm to try again a little later. */
void sq__timed_try_again(sq__alarms_t *alarms, sq__alarm_t *alarm);
