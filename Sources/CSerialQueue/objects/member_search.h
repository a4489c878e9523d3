/* member_search.h: which queues and loops a wait for a group depends on: those with accepted members. For the search for deadlocks
 * (deadlock.h), and for waits that run members themselves. */
#pragma once

#include "objects/group.h"

/* `subject`: that of a wait (wait/wait.h), whose object is the group. */

/* True: the group has an accepted member on this queue. */
bool sq__member_count_exists(const sq__subject_t *subject, const void *queue);

/* 0: no accepted member waits for its turn in this concurrent queue. Otherwise a number that changes when a member starts. */
uint64_t sq__member_count_queued(const sq__subject_t *subject, const sq_queue_t *queue);

/* Returns the manual pool, retained, of a queue that has members, if something is ready in it; NULL: there is none. */
sq__pool_t *sq__member_count_manual_pool(sq_group_t *group);

/* A loop of this owner on which the group has an accepted member; NULL: none. It exists as long as the owner sleeps. */
const sq__pool_t *sq__member_count_loop(const sq__subject_t *subject, const sq__owner_t *owner);

/* By an owner of loops: looks for a ready queue of theirs that has an accepted member. `runs`: runs one of the queue's tasks. False:
 * none is ready. */
bool sq__member_runs_before(const sq__subject_t *subject, bool runs);
