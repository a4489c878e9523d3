/* sq_explore_private.h: what the Swift layer needs of the testing library, next to sq_explore.h. As sq_private.h: not installed, and nothing in it
 * is promised to users. */
#ifndef SQ_EXPLORE_PRIVATE_H
#define SQ_EXPLORE_PRIVATE_H

#include "sq_explore.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif

/* True: the run under way has had too many steps. Its step returns false, though tasks are ready. */
bool sq__explore_is_endless(const sq_exploration_t *exploration);

/* In a run that is recorded: the number of the running task's start in the record; SIZE_MAX: the run is not recorded, or no task runs. */
size_t sq__explore_event(void);

/* The same: the symbol of a function; "": not recorded. Valid until the next call. */
const char *sq__explore_function(uintptr_t address);

/* `name` finds the closure behind one of the Swift layer's functions, which has this symbol and was submitted with this context. It leaves the
 * name empty if it is unknown. */
typedef void (*sq__closure_namer_t)(const char *symbol, const void *SQ_NULLABLE context, char *name, size_t size);
void sq__explore_name_closures_by(sq__closure_namer_t name);

#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
