/* ways.h: the ways in which a run can continue.
 *
 * DESIGN. In this order. The first one is the usual one: tasks follow each other as if there were only one thread, and a
 * task that waits for another queue continues before a third task begins. So the usual schedule rarely shows a bug, and the unusual
 * decisions of a failure explain it.
 *
 *     the thread that chooses, if it was only interrupted
 *     threads that can stop waiting, in the order in which they began to wait
 *     ready queues: the one whose task has just ended; those that became ready since the last choice; the others, those that became
 *     ready last before the rest
 *     timers that are due at the same time, in the order in which they were set; of each queue's only the first
 *     if there is none of these: the clock moves to the next timer; or the pump returns
 *     waits with a deadline, which may expire at any time
 *
 * An exploration runs one task of a queue at a time, so a batch may end after each.
 *
 * In this order a task that polls, and yields in between, would stay first forever: the usual schedule of such a test has no end. So after a
 * tenth of its steps a run is fair: threads, ready queues, timers and deadlines take turns to be first, the one of a kind that is ready the
 * longest is its first, and the clock moves although there is something else to do. PCT, whose priorities are not fair either, chooses at
 * random from there on. */
#pragma once

#include "explore/run_state.h"

/* By the thread in control: chooses *way, for a pump, a thread that waits or was interrupted, or a helper (both NULL). False: there is no way that
 * this thread may choose; but a sleeping pump may have one, because only a pump moves the clock or returns. */
bool sq__ways_choose(sq__run_t *run, const sq__pump_t *pump, const sq__thread_t *me, sq__way_t *way);

/* The innermost pump that is asleep; NULL: none. */
sq__pump_t *sq__ways_sleeping_pump(const sq__run_t *run);

/* Takes a ready entry out of the pool's list; puts an entry back at the front of the list, in a fair run at its end. Both take the pool's lock. */
void sq__ways_take(sq__run_t *run, const sq__ready_t *entry);
void sq__ways_put_back(sq__run_t *run, sq__ready_t *entry);
