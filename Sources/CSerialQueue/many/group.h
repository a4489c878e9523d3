/* group.h: the group's fields, and its count.
 *
 * DESIGN. One word decides. From the low end:
 *
 *     bit 0       WAITED     threads or notifications wait for the count to reach zero; only beside a count
 *     bit 1       WATCHED    a thread that waits can be part of a deadlock: a submission looks for one; only beside WAITED
 *     bit 2       RELEASED   no reference is left: the member that is the last to leave frees the group
 *     bits 3-32   ENTERED    members that sq_group_enter added
 *     bits 33-63  TIES       queues that have members (tie.h)
 *
 *     { }                         no members
 *     { count }                   members, nobody waits: the last one leaves by a swap, like the others
 *     { count, WAITED or RELEASED }   the last one leaves under the group's lock (lock.h)
 *
 * The flags are set under the lock while there is a count. The last member clears WAITED and WATCHED in the swap that takes the
 * count to zero, and takes all waiters and notifications with it, in the same hold of the lock. A wait looks at the word
 * under the lock, too. So each wait belongs to one period of the count, with no number for the period: those who come before
 * the swap are ended by it, those who come after find zero, or another period's count.
 *
 * A waiting thread holds a reference. So does the caller of each call, except that members may leave without one: then
 * RELEASED tells the last of them to free the group. */
#ifndef SQ__MANY_GROUP_H
#define SQ__MANY_GROUP_H

#include "include/sq_group.h"
#include "many/notification.h"
#include "many/waiters.h"

typedef struct sq__tie sq__tie_t;

/* Lists of ties, by their queues. A greater one takes the place of a smaller one, which is kept: readers may look at it. */
typedef struct sq__tie_table {
    struct sq__tie_table *smaller; /* L */
    size_t mask;                   /* I */
    SQ__ATOMIC(sq__tie_t *) lists[]; /* L, read by anyone */
} sq__tie_table_t;

/* Fields: I fixed after create, L under the group's lock, A atomic. */
struct sq_group {
    SQ__ATOMIC(uint64_t) count;            /* A */
    SQ__ATOMIC(sq__tie_table_t *) table;   /* L, read by anyone; NULL: no ties yet */
    size_t crowded;                        /* L  how many ties were made in lists without an idle one, since the table is that big */
    sq__many_waiters_t waiters;            /* L */
    sq__notifications_t notices;                 /* L */
    SQ__ATOMIC(uint32_t) references;       /* A */
    uint32_t process;                      /* I  see process.h */
    char label[];                          /* I */
};

#define SQ__GROUP_WAITED ((uint64_t)1 << 0)
#define SQ__GROUP_WATCHED ((uint64_t)1 << 1)
#define SQ__GROUP_RELEASED ((uint64_t)1 << 2)
#define SQ__GROUP_ENTERED ((uint64_t)1 << 3)
#define SQ__GROUP_TIE ((uint64_t)1 << 33)

static inline bool sq__group_has_members(uint64_t count) { return count >= SQ__GROUP_ENTERED; }

/* L. True: the group has members, and the last of them will find the flags. */
bool sq__group_flag(sq_group_t *group, uint64_t flags);

/* Frees it and its ties. */
void sq__group_dispose(sq_group_t *group);

/* Takes away one tie. The group may be gone on return. */
void sq__group_leave_tie(sq_group_t *group);

#endif
