/* explored_run.h: the begin and the end of a run, and its steps. run_state.h has the design. */
#pragma once

#include "explore/run_state.h"

/* Begins a run on the calling thread: it has control, and the run a pool. `chooser` has begun. `name` stays valid until the end. Returns 0, or
 * ENOMEM: no run has begun. */
int sq__run_begin(sq__run_t *run, const char *name);

/* On the same thread: runs what is left, takes the thread out of the run, and releases the pool. Waits that nothing can end are refused. */
void sq__run_end(sq__run_t *run);

/* One step, as sq_exploration_step. */
bool sq__run_step(sq__run_t *run, bool moves_clock);

/* Ends the helpers and frees the run's memory; it does not run. */
void sq__run_free(sq__run_t *run);

/* By the thread in control, which has control again on return: another task may go first, the schedule decides. No effect if the run is lost. The
 * texts: as sq__explored_calls_t has them. */
void sq__run_pause(sq__thread_t *thread, const char *doing, const char *label, void (*function)(void *));

/* Names the running task in the record, if there is one. Copies the label. */
void sq__run_label(sq__thread_t *thread, const char *label);
