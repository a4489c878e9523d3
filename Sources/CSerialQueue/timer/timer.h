/* timer.h: the timer of an alarm, for a dump. */
#pragma once

#include "alarm/alarm.h"
#include "state/queue.h"

/* For a dump: the queue of the timer that this alarm belongs to; NULL: it belongs to no timer. The alarm is set. */
const sq_queue_t *sq__timer_queue(const sq__alarm_t *alarm, uint64_t *interval);
