/* pump.h: what runs an explored pool: sq_pool_run, sq_pool_advance, a step, and the end of a run.
 *
 * DESIGN. Several pumps can be asleep, each in a task that runs the pool, on different threads; and such a task cannot end before its pump
 * returns. So a pump that finds nothing to do first lets the pumps further inside return. */
#pragma once

#include "explore/run_state.h"

/* On the thread of the pump, which has control, also on return. Takes steps until there is nothing to do, or one if is_single. Returns whether it did
 * anything. */
bool sq__pump_run(sq__run_t *run, sq__pump_t pump);
