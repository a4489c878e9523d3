/* control.h: which thread of a run has control, and what it does with it. run.h has the design. */
#ifndef SQ__EXPLORE_CONTROL_H
#define SQ__EXPLORE_CONTROL_H

#include "explore/run.h"

/* A thread that gives control away first prepares its sleep, then passes control, then sleeps until it has it again. */
void sq__control_prepare(sq__thread_t *thread);
void sq__control_sleep(sq__thread_t *thread);

/* Makes sure that there is a helper. Returns false without memory, or if no thread could be started. */
bool sq__control_has_helper(sq__run_t *run);

/* Has another thread go this way; NULL: the pump that is asleep chooses one. A caller that has not prepared its sleep does not
 * touch the run again. */
void sq__control_pass(sq__run_t *run, const sq__way_t *way);

/* Goes a way that does not lead to another thread: runs a task, or fires a timer. The calling thread is in no task, or in one that
 * runs the pool. */
void sq__control_act(sq__thread_t *thread, const sq__way_t *way);

/* Returns when the schedule lets this thread continue, which is on the list of those that wait. */
void sq__control_wait(sq__thread_t *thread);

/* All threads of the run wait, and nothing can end any of the waits: fails the run, and refuses them. */
void sq__control_get_unstuck(sq__run_t *run);

/* Refuses all waits. False: there was none that could be refused. */
bool sq__control_refuse_all(sq__run_t *run);

#endif
