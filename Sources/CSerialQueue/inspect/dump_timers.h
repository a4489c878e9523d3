/* dump_timers.h: the next timers of a dump. */
#pragma once

#include "inspect/dump_fold.h"

/* Adds the next timers of these alarms (NULL: the process's) to `timers`, if it gets their lock; else counts that in without_timers. `pool`: the
 * label of the pool that they belong to, or "". */
void sq__view_look_at_timers(sq__view_t *view, sq__alarms_t *alarms, const char *pool);

/* Writes what was found. */
void sq__dump_timers(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section);
