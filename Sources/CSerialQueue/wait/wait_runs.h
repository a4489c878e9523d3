/* wait_runs.h: a thread that runs tasks while it waits, because no other thread may run what it waits for, or none is as fast.
 *
 * DESIGN. The runner of the queue's last target decides whether the thread may run tasks (`serves` in runner/runner.h); in a wait for a group or an
 * item, the group or item decides (sq__subject_t). A wait that runs tasks has a token of its own, because the tasks may need the thread's token for
 * their own waits. Other files only read `runs`. */
#pragma once

#include "wait/wait.h"

/* T. Finds out what the wait runs: sets `runs` and `runner`, without a reference. Needless if it has no subject, and its root is served by a thread
 * of the cache, or has no runner. */
void sq__wait_runs_find(sq__wait_t *wait, bool is_turn);

/* After that, and once the wait has its token, if wait->runner is not 0: takes the reference. And after the wait: releases it. */
void sq__wait_runs_begin(sq__wait_t *wait);
void sq__wait_runs_end(sq__wait_t *wait);

/* Runs what the wait needs, until it is over or nothing is ready. False: a task has forked and this is the child, where neither the wait
 * nor the token belongs to this thread. */
bool sq__wait_runs_ahead(sq__wait_t *wait, sq_time_t deadline);

/* Sleeps until the wait is over, or returns SQ__OPEN: there may be something to run. */
sq__outcome_t sq__wait_runs_sleep(sq__wait_t *wait, sq_time_t deadline);
