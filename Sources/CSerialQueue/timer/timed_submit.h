/* timed_submit.h: what delayed tasks and timers share: a clock, and the submission when they are due. */
#ifndef SQ__TIMER_TIMED_SUBMIT_H
#define SQ__TIMER_TIMED_SUBMIT_H

#include "alarm/alarm.h"
#include "kernel/queue.h"

/* Makes sure that the queue can run tasks, and takes a lease on the alarms that it goes by, for sq__alarms_release. Returns 0,
 * ENOMEM, ESHUTDOWN or ESTALE. */
int sq__timed_prepare(sq_queue_t *queue, sq__alarms_t **alarms);

/* The time that many nanoseconds from now; SQ__NEVER on overflow. */
uint64_t sq__timed_in(sq__alarms_t *alarms, uint64_t nanoseconds);

/* L. Submits work that no capacity refuses. True in *passes: the baton is the caller's, to be passed on (sq__baton_pass) when
 * it has released the lock; the queue lives until then. Returns 0, ENOMEM or ESHUTDOWN. */
int sq__timed_submit(sq_queue_t *queue, uint16_t kind, const sq__work_t *work, bool *passes);

/* L. There was no memory: sets the alarm to try again a little later. */
void sq__timed_try_again(sq__alarms_t *alarms, sq__alarm_t *alarm);

#endif
