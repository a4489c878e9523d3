/* group_count.c: members enter and leave, and what ends with the last one. group.h describes the count. */
#include "many/group.h"

#include "many/lock.h"
#include "many/tie.h"
#include "platform/memory.h"

#include <errno.h>

#define MOST_ENTERED (SQ__GROUP_TIE / 2)

void sq__group_dispose(sq_group_t *group) {
    sq__tie_table_t *smaller, *table = sq__load_relaxed(&group->table);
    for (size_t i = 0; table != NULL && i <= table->mask; i += 1) {
        for (sq__tie_t *next, *tie = sq__load_relaxed(&table->lists[i]); tie != NULL; tie = next) {
            next = tie->next;
            if (tie->pool != NULL) {
                sq__pool_release(tie->pool);
            }
            sq__memory_free(tie);
        }
    }
    for (; table != NULL; table = smaller) {
        smaller = table->smaller;
        sq__memory_free(table);
    }
    sq__memory_free(group);
}

/* A member of the kind that `one` counts. */
static bool has(uint64_t count, uint64_t one) {
    return one == SQ__GROUP_TIE ? count >= SQ__GROUP_TIE : count % SQ__GROUP_TIE >= SQ__GROUP_ENTERED;
}

/* What ends with the last member. */
typedef struct pending {
    sq__many_waiters_t waiters;
    sq__notifications_t notices;
} pending_t;

/* L. Returns the count before, or 0: there was no such member. *pending is what has ended. When the count is zero the group
 * may be freed by a thread that does not take the lock, so its fields are changed before. */
static uint64_t leave_under_lock(sq_group_t *group, uint64_t one, pending_t *pending) {
    const pending_t nothing = { { 0 }, { 0 } }, all = { group->waiters, group->notices };
    uint64_t next, count = sq__load_relaxed(&group->count);
    do {
        bool is_last = has(count, one) && !sq__group_has_members(count - one);
        *pending = is_last ? all : nothing;
        group->waiters = is_last ? nothing.waiters : all.waiters;
        group->notices = is_last ? nothing.notices : all.notices;
        if (!has(count, one)) {
            return 0;
        }
        next = is_last ? 0 : count - one;
        /* [member] release: what the member did; acquire, if it is the last: what all of them did, for those who wait. */
    } while (!sq__cas_acq_rel(&group->count, &count, next));
    return count;
}

/* Somebody waits, or the group is to be freed. Returns 0 or EINVAL. */
static __attribute__((noinline)) int leave_last(sq_group_t *group, uint64_t one) {
    pending_t pending;
    sq__many_lock(group);
    uint64_t before = leave_under_lock(group, one, &pending);
    sq_await_entry_t *awaits = sq__many_waiters_grant(&pending.waiters);
    sq__many_unlock(group);
    if (before & SQ__GROUP_RELEASED && !sq__group_has_members(before - one)) {
        sq__group_dispose(group);
    }
    sq__many_awaits_end(awaits);
    sq__notification_submit_all(pending.notices.first);
    return before != 0 ? 0 : EINVAL;
}

/* The last member to leave while a flag is set leaves under the lock. */
static inline bool leaves_by_swap(uint64_t count, uint64_t one) {
    return sq__group_has_members(count - one) || count == one;
}

void sq__group_leave_tie(sq_group_t *group) {
    uint64_t count = sq__load_relaxed(&group->count);
    while (leaves_by_swap(count, SQ__GROUP_TIE)) {
        /* [member] release: what the members did. */
        if (sq__cas_release(&group->count, &count, count - SQ__GROUP_TIE)) {
            return;
        }
    }
    leave_last(group, SQ__GROUP_TIE);
}

int sq_group_enter(sq_group_t *group) {
    uint64_t count = sq__load_relaxed(&group->count);
    do {
        if (count % SQ__GROUP_TIE >= MOST_ENTERED) {
            return EOVERFLOW;
        }
    } while (!sq__cas_relaxed(&group->count, &count, count + SQ__GROUP_ENTERED));
    return 0;
}

int sq_group_leave(sq_group_t *group) {
    uint64_t count = sq__load_relaxed(&group->count);
    for (;;) {
        if (!has(count, SQ__GROUP_ENTERED)) {
            return EINVAL;
        }
        if (!leaves_by_swap(count, SQ__GROUP_ENTERED)) {
            break;
        }
        /* [member] release: what the member did. */
        if (sq__cas_release(&group->count, &count, count - SQ__GROUP_ENTERED)) {
            return 0;
        }
    }
    if (group->process != sq__process()) {
        return ESTALE;
    }
    return leave_last(group, SQ__GROUP_ENTERED);
}
