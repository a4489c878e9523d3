/* inside.h: what an explored test calls, for the Swift layer. */
#ifndef SQ__EXPLORE_INSIDE_H
#define SQ__EXPLORE_INSIDE_H

#include "explore/run_state.h"

/* For the Swift layer, which labels tasks by what they do: the number of the running task's start in the record; SIZE_MAX: the
 * run is not recorded, or no task runs. */
size_t sq__explore_event(void);

/* For the same: the symbol of a function, in a run that is recorded; else "". Valid until the next call. */
const char *sq__explore_function(uintptr_t address);

#endif
