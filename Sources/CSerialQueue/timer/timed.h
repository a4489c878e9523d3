/* timed.h: what delayed tasks, timers and notifications share: a clock, and another try when there was no memory. */
#pragma once

#include "alarm/alarm_inline.h"
#include "state/state_inline.h"

/* Makes sure that the queue can run tasks, and records if a trace is under way; takes a lease on the set of alarms with the queue's clock;
 * sq__alarms_release returns it. With no lock. Returns 0, ENOMEM, ESHUTDOWN or ESTALE; without a lease, except for 0. */
int sq__timed_prepare(sq_queue_t *queue, sq__alarms_t **alarms);

/* The time that many nanoseconds from now; SQ__NEVER on overflow. */
uint64_t sq__timed_in(sq__alarms_t *alarms, uint64_t nanoseconds);
