/* group_record.h: the group's fields, and its count.
 *
 * DESIGN. One word decides. From the low end:
 *
 *     bit 0       WAITED     threads or notifications wait for the count to reach zero; only together with a count
 *     bit 1       WATCHED    a thread that waits can be part of a deadlock: a submission looks for one; only together with WAITED
 *     bit 2       RELEASED   no reference is left: the member that is the last to leave frees the group
 *     bit 3       NOTIFIES   a thread, or an alarm, submits notifications that are due
 *     bits 4-33   ENTERED    members that sq_group_enter added
 *     bits 34-63  TIES       queues that have members (member_count.h)
 *
 *     { }                         no members
 *     { NOTIFIES }                the same, but a notification that is registered now waits for those before it
 *     { count }                   members, and no thread waits: the last member leaves by a swap, like the others
 *     { count, and a flag }       the last one leaves under the group's lock (object_lock.h)
 *
 * WAITED, WATCHED and RELEASED are set while there is a count, the first two under the lock. The last member clears WAITED and
 * WATCHED in the swap that takes the count to zero, and takes all waiters and notifications with it, in the same hold of the
 * lock. A wait looks at the word under the lock, too. So each wait belongs to one period of the count, with no number for the
 * period: a wait that comes before the swap is ended by it, one that comes after finds zero, or another period's count.
 *
 * The notifications of a period that has ended are `due`. So are those that are registered while there are no members. If
 * there are some, the last member sets NOTIFIES in its swap, and submits them without the lock; a thread that registers one at zero does
 * the same. Notifications that become due meanwhile join the list. NOTIFIES is cleared under the lock, when the list is empty. So the
 * order of registration is kept.
 *
 * A waiting thread holds a reference. So does the caller of each call, except that members may leave without one, and that one
 * of them then submits notifications: if RELEASED is set, the last of them frees the group. */
#pragma once

#include "include/sq_group.h"
#include "objects/notification.h"
#include "objects/waiters.h"

typedef struct sq__member_count sq__member_count_t;

/* Lists of member counts, by their queues. A larger table replaces a smaller one, which is kept: other threads may be reading it. */
typedef struct sq__member_count_table {
    struct sq__member_count_table *smaller; /* L */
    size_t mask;                   /* I */
    SQ__ATOMIC(sq__member_count_t *) lists[]; /* L, read by anyone */
} sq__member_count_table_t;

/* Fields: I fixed after create, L under the group's lock, A atomic. */
struct sq_group {
    SQ__ATOMIC(uint64_t) count;            /* A */
    SQ__ATOMIC(sq__member_count_table_t *) table;   /* L, read by anyone; NULL: no member counts yet */
    size_t crowded;                        /* L  how many member counts were made in lists without an idle one, since the table has this size */
    sq__object_waiters_t waiters;            /* L */
    sq__notifications_t notices;           /* L  for the end of the present period */
    sq__notifications_t due;               /* L  of periods that have ended */
    SQ__ATOMIC(uint32_t) references;       /* A */
    uint32_t process;                      /* I  see process.h */
    char label[];                          /* I */
};

#define SQ__GROUP_WAITED ((uint64_t)1 << 0)
#define SQ__GROUP_WATCHED ((uint64_t)1 << 1)
#define SQ__GROUP_RELEASED ((uint64_t)1 << 2)
#define SQ__GROUP_NOTIFIES ((uint64_t)1 << 3)
#define SQ__GROUP_ENTERED ((uint64_t)1 << 4)
#define SQ__GROUP_TIE ((uint64_t)1 << 34)

static inline bool sq__group_has_members(uint64_t count) { return count >= SQ__GROUP_ENTERED; }
