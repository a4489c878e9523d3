/* member_search.h: which queues and runners a wait for a group depends on: those with accepted members. For the search for deadlocks
 * (deadlock.h), and for waits that run members themselves. */
#pragma once

#include "objects/group.h"

/* `subject`: that of a wait (wait/wait.h), whose object is the group, which exists. All take the group's lock. */

/* True: the group has an accepted member on this queue. */
bool sq__member_count_exists(const sq__subject_t *subject, const void *queue);

/* 0: no accepted member waits for its turn in this concurrent queue. Otherwise a number that changes when a member starts. */
uint64_t sq__member_count_queued(const sq__subject_t *subject, const sq_queue_t *queue);

/* A runner that only this owner's thread runs, and on which the group has an accepted member; 0: none. It exists as long as the owner sleeps. */
sq__runner_t sq__member_count_owned(const sq__subject_t *subject, const sq__owner_t *owner);

/* Looks for something ready that the calling thread may run, on a runner without threads that has a member. `runs`: runs a task of it. False: there
 * is nothing. With no lock held if `runs`. */
bool sq__member_runs_before(const sq__subject_t *subject, bool runs);
