/* wait_runs.h: a thread that runs tasks while it waits, because no other thread may run what it waits for.
 *
 * DESIGN. Three kinds of waits do: those for a queue on a manual pool, or on a loop that the thread owns; those in a `sync` on a pool of a
 * lower class of service, which the thread helps (pool/caller_runs.h); and those for a group or an item that has tasks on loops of its own.
 * Such a wait has a token of its own, as the tasks may need the thread's for their waits. All others only ask sq__wait_is_running. */
#pragma once

#include "wait/wait_record.h"

/* The pool that runs the queue's tasks, if that is a manual one or a loop; else NULL. *entry: the one that it runs for them, which is that of
 * the last target. */
sq__pool_t *sq__wait_threadless_pool(const sq_queue_t *queue, sq__ready_t **entry);

static inline bool sq__wait_is_running(const sq__wait_t *wait) { return wait->pool != NULL || wait->runs_members; }

/* Finds out whether the wait is of one of these kinds, and returns that. */
bool sq__wait_runs_tasks(sq__wait_t *wait, bool may_help);

/* Has it a reference to a pool? Then once the wait has its token: takes the reference. And after the wait: releases it. */
static inline bool sq__wait_has_pool(const sq__wait_t *wait) { return wait->pool != NULL || wait->loop != NULL; }
void sq__wait_runs_begin(sq__wait_t *wait);
void sq__wait_runs_end(sq__wait_t *wait);

/* Runs what the wait needs, until it is over or nothing is ready. False: a task has forked and this is the child, where neither the wait
 * nor the token belongs to this thread. */
bool sq__wait_runs_ahead(sq__wait_t *wait, sq_time_t deadline);

/* Sleeps until the wait is over, or returns SQ__OPEN: there may be something to run. */
sq__outcome_t sq__wait_runs_sleep(sq__wait_t *wait, sq_time_t deadline);
