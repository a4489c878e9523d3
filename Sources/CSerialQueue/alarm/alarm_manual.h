/* alarm_manual.h: sets of alarms with a clock of their own, which moves only when it is advanced. */
#pragma once

#include "alarm/alarm_types.h"
#include "include/sq_private.h" /* sq__alarms_next: SQ__NEVER if no alarm is set */

/* Creates a set with its own clock, which starts at 0; returns NULL without memory. The set must be empty when it is destroyed. */
sq__alarms_t *sq__alarms_create(void);
void sq__alarms_destroy(sq__alarms_t *alarms);

/* If an alarm is due by `time`, advances the clock to its due time, calls it and returns true.
 * Otherwise advances the clock to `time` and returns false. The clock never moves back. */
bool sq__alarms_advance(sq__alarms_t *alarms, uint64_t time);

/* Calls `visit` for each alarm that is due at the time that sq__alarms_next returns, under the set's lock; the one that was set first comes first,
 * the others in no particular order. */
void sq__alarms_next_ties(sq__alarms_t *alarms, void (*visit)(void *context, sq__alarm_t *alarm), void *context);

/* Calls one of those alarms, and advances the clock to its due time. */
void sq__alarms_call(sq__alarms_t *alarms, sq__alarm_t *alarm);
