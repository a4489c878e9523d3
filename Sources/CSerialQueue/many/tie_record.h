/* tie_record.h: counts the members of a group that are on one queue.
 *
 * DESIGN. A group counts its tasks at two levels: a tie counts the group's tasks on one queue, waiting or running, and the group
 * counts the ties that have any tasks. So most tasks cost one atomic operation at each end, on a word that only the tasks of this
 * queue use; and waits find the queues that they depend on (tie_search.h).
 *
 * A tie's word, from the low end:
 *
 *     bits 0-31   MEMBERS    unfinished tasks, including those that are being submitted
 *     bits 32-46  PENDING    tasks that are being submitted: they may still be refused, so they do not count for deadlocks
 *     bits 47-62  USE        incremented each time the tie is assigned to another queue, and when a search for deadlocks reads it
 *     bit 63      CHANGING   it is being assigned to another queue, under the group's lock; or the group is to be freed
 *
 *     { MEMBERS: 0, PENDING: 0 }   idle: the group does not count it, and it may be assigned to another queue
 *     { MEMBERS: n }               the group counts it as one
 *     { CHANGING, PENDING: n }     the group is to be freed: the last of these n submitters, whose tasks are over, does it
 *
 * The thread that raises MEMBERS from 0 first adds the tie to the group's count; the thread that brings it back to 0 subtracts it
 * afterwards. A tie is found by its queue in a hash table: the first tie of each list without the lock, the others under it. A
 * submitter that finds a tie without the lock reads the word, then the queue, then swaps the word: because of USE the swap fails
 * if the tie was assigned to another queue in between. Ties are freed with their group. There are about as many as there were
 * queues with members at the same time. */
#ifndef SQ__MANY_TIE_RECORD_H
#define SQ__MANY_TIE_RECORD_H

#include "many/group_record.h"

/* Fields: I fixed after creation, L under the group's lock, A atomic. */
struct sq__tie {
    sq__member_end_t end;                  /* I  the first field: end_member gets its address */
    sq__members_t on_queue;                /* I, without its count */
    SQ__ATOMIC(uint64_t) members;          /* A  see above */
    SQ__ATOMIC(uint32_t) accepted;         /* A  how many members concurrent queues have accepted */
    bool is_concurrent;                    /* L, and fixed while it has members: so is the queue */
    SQ__ATOMIC(const sq_queue_t *) queue;  /* L, any thread reads it */
    sq_group_t *group;                     /* I */
    sq__pool_t *pool;                      /* L  the queue's pool, with a reference, if that has no threads; else NULL */
    sq__tie_t *next;                       /* L  in its list */
};

#define SQ__TIE_MEMBER ((uint64_t)1)
#define SQ__TIE_PENDING ((uint64_t)1 << 32)
#define SQ__TIE_USE ((uint64_t)1 << 47)
#define SQ__TIE_CHANGING ((uint64_t)1 << 63)

static inline uint64_t sq__tie_use(uint64_t word) { return word / SQ__TIE_USE % (SQ__TIE_CHANGING / SQ__TIE_USE); }
static inline uint64_t sq__tie_next_use(uint64_t word) { return (word + SQ__TIE_USE) & ~SQ__TIE_CHANGING; }
static inline uint64_t sq__tie_members(uint64_t word) { return word % SQ__TIE_PENDING; }
static inline uint64_t sq__tie_pending(uint64_t word) { return word / SQ__TIE_PENDING % (SQ__TIE_USE / SQ__TIE_PENDING); }

/* The list that a tie of this queue is in. */
static inline SQ__ATOMIC(sq__tie_t *) *sq__tie_list(sq__tie_table_t *table, const sq_queue_t *queue) {
    uintptr_t address = (uintptr_t)queue;
    return &table->lists[(address >> 6 ^ address >> 12) & table->mask];
}

#endif
