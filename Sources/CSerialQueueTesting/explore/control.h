/* control.h: how control passes from one thread of a run to another, and how the thread in control runs a task. The design is in
 * run_state.h. */
#pragma once

#include "explore/run_state.h"

/* To pass control on, a thread calls sq__control_prepare, then sq__control_pass, then sq__control_sleep, which returns when the
 * thread has control again. */
void sq__control_prepare(sq__thread_t *thread);
void sq__control_sleep(sq__thread_t *thread);

/* Starts a helper if there is none. Returns false if there is no memory, or if no thread could be started. */
bool sq__control_has_helper(sq__run_t *run);

/* Passes control to the thread that this way needs; NULL: to the pump that is asleep, which chooses a way itself. A caller that has
 * not prepared its sleep must not touch the run afterwards. */
void sq__control_pass(sq__run_t *run, const sq__way_t *way);

/* Passes control to this pump, which is asleep, and chooses a way itself. */
void sq__control_pass_to(sq__run_t *run, const sq__pump_t *pump);

/* Does what the way says on the calling thread, which has control: runs a task, or fires a timer. That thread is in no task, or in a task that runs
 * the pool. Not for a way of a thread, or back. */
void sq__control_act(sq__thread_t *thread, const sq__way_t *way);

/* Called by the thread in control, which is on the list of waiting threads. Returns when the schedule lets it continue, with control: whether others
 * came first. */
bool sq__control_wait(sq__thread_t *thread);

/* All threads of the run wait, and nothing can end these waits: fails the run, and refuses the waits. */
void sq__control_get_unstuck(sq__run_t *run);

/* Refuses all waits. Returns false if it could refuse none. */
bool sq__control_refuse_all(sq__run_t *run);
