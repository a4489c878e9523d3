/* member_count_record.h: counts the members of a group that are on one queue.
 *
 * DESIGN. A group counts its tasks at two levels: a member count counts the group's tasks on one queue, waiting or running, and the group
 * counts the member counts that have any tasks. So most tasks cost one atomic operation at each end, on a word that only the tasks of this
 * queue use; and waits find the queues that they depend on (member_search.h).
 *
 * A member count's word, from the low end:
 *
 *     bits 0-31   MEMBERS    unfinished tasks, including those that are being submitted
 *     bits 32-46  PENDING    tasks that are being submitted: they may still be refused, so they do not count for deadlocks
 *     bits 47-62  USE        incremented each time the member count is assigned to another queue, and when a search for deadlocks reads it
 *     bit 63      CHANGING   it is being assigned to another queue, under the group's lock; or the group is to be freed
 *
 *     { MEMBERS: 0, PENDING: 0 }   idle: the group does not count it, and it may be assigned to another queue
 *     { MEMBERS: n }               the group counts it as one
 *     { CHANGING, PENDING: n }     the group is to be freed: the last of these n submitters, whose tasks are over, does it
 *
 * The thread that raises MEMBERS from 0 first adds the member count to the group's count; the thread that brings it back to 0 subtracts it
 * afterwards. A member count is found by its queue in a hash table: the first member count of each list without the lock, the others under it. A
 * submitter that finds a member count without the lock reads the word, then the queue, then swaps the word: because of USE the swap fails
 * if the member count was assigned to another queue in between. A queue that had no members may have been freed, and another may lie at its
 * address: so the first member also looks whether the queue is run in the same way. Member counts are freed with their group. There are about as many
 * as there were queues with members at the same time. */
#pragma once

#include "objects/group_record.h"

/* Fields: I fixed after creation, L under the group's lock, A atomic. */
struct sq__member_count {
    sq__member_end_t end;                  /* I  the first field: end_member gets its address */
    sq__members_t on_queue;                /* I, without its count */
    SQ__ATOMIC(uint64_t) members;          /* A  see above */
    SQ__ATOMIC(uint32_t) accepted;         /* A  how many members concurrent queues have accepted */
    SQ__ATOMIC(const sq_queue_t *) queue;  /* L to write, any thread reads it. Does not change while members > 0; nor do the next three */
    SQ__ATOMIC(sq__runner_t) runner;       /* L  of the queue, with a reference, if that has no threads; else 0 */
    SQ__ATOMIC(sq__ready_t *) entry;       /* L  the entry that the runner runs for the queue; may be freed */
    SQ__ATOMIC(bool) is_concurrent;        /* L */
    sq_group_t *group;                     /* I */
    sq__member_count_t *next;                       /* L  in its list */
};

#define SQ__MEMBER_COUNT_MEMBER ((uint64_t)1)
#define SQ__MEMBER_COUNT_PENDING ((uint64_t)1 << 32)
#define SQ__MEMBER_COUNT_USE ((uint64_t)1 << 47)
#define SQ__MEMBER_COUNT_CHANGING ((uint64_t)1 << 63)

static inline uint64_t sq__member_count_use(uint64_t word) { return word / SQ__MEMBER_COUNT_USE % (SQ__MEMBER_COUNT_CHANGING / SQ__MEMBER_COUNT_USE); }
static inline uint64_t sq__member_count_next_use(uint64_t word) { return (word + SQ__MEMBER_COUNT_USE) & ~SQ__MEMBER_COUNT_CHANGING; }
static inline uint64_t sq__member_count_members(uint64_t word) { return word % SQ__MEMBER_COUNT_PENDING; }
static inline uint64_t sq__member_count_pending(uint64_t word) { return word / SQ__MEMBER_COUNT_PENDING % (SQ__MEMBER_COUNT_USE / SQ__MEMBER_COUNT_PENDING); }

/* The list that a member count of this queue is in. */
static inline SQ__ATOMIC(sq__member_count_t *) *sq__member_count_list(sq__member_count_table_t *table, const sq_queue_t *queue) {
    uintptr_t address = (uintptr_t)queue;
    return &table->lists[(address >> 6 ^ address >> 12) & table->mask];
}
