/* tie.h: how many members of a group are on one queue.
 *
 * DESIGN. A group counts its tasks in two steps: a tie for each queue counts the group's tasks on that queue, waiting or
 * running, and the group counts the ties that have any. So most tasks cost one swap at each end, on a word that only this
 * queue's tasks touch; and a wait that looks for a deadlock finds the queues that it needs (deadlock.h).
 *
 * A tie's word, from the low end:
 *
 *     bits 0-31   MEMBERS    tasks that are not over, and those that are being submitted
 *     bits 32-46  PENDING    how many are being submitted: they may still be refused, so nobody is told of a deadlock on
 *                            their account
 *     bits 47-62  USE        counted up each time the tie is given to another queue
 *     bit 63      CHANGING   it is being given to another queue, under the group's lock
 *
 *     { MEMBERS: 0, PENDING: 0 }   idle: counts for nothing, and may be given to another queue
 *     { MEMBERS: n }               the group counts it, as one
 *
 * Whoever takes MEMBERS from 0 adds the tie to the group's count first; whoever brings it back to 0 takes it away after. A tie is found by its queue, in a
 * table of lists; the first of each list without the lock, the others under it. A submitter that finds a tie without the lock
 * reads the word, then the queue, then swaps the word: USE makes the swap fail if the tie was given away meanwhile. Ties are
 * freed with their group only. There are about as many as queues that had members at the same time. */
#ifndef SQ__MANY_TIE_H
#define SQ__MANY_TIE_H

#include "many/group.h"

/* Fields: I fixed once made, L under the group's lock, A atomic. */
struct sq__tie {
    sq__member_end_t end;                  /* I  first: end_member has its address */
    SQ__ATOMIC(uint64_t) members;          /* A  see above */
    SQ__ATOMIC(const sq_queue_t *) queue;  /* L, read by anyone */
    sq_group_t *group;                     /* I */
    sq__pool_t *pool;                      /* L  the queue's pool, with a reference, if that is a manual one; else NULL */
    sq__tie_t *next;                       /* L  in its list */
};

/* Around a submission to the queue: counts one member more, which is pending. Returns 0 and *tie, or ENOMEM. */
int sq__tie_begin(sq_group_t *group, const sq_queue_t *queue, sq__tie_t **tie);

/* The submission was accepted. The caller has a reference to the group. */
void sq__tie_confirm(sq__tie_t *tie);

/* It was refused. */
void sq__tie_cancel(sq__tie_t *tie);

/* Whose member it is. */
const void *sq__tie_group(const sq__tie_t *tie);

/* A member is over. The group may be gone on return. */
void sq__tie_end(sq__tie_t *tie);

/* The same, for a task of kind SQ__MEMBER. */
sq__member_end_t *sq__tie_member_end(sq__tie_t *tie);

/* True: an accepted member of the group is on this queue. */
bool sq__tie_exists(sq_group_t *group, const void *queue);

/* A manual pool, with a reference, that a queue with members is on; NULL: there is none. */
sq__pool_t *sq__tie_manual_pool(sq_group_t *group);

#endif
