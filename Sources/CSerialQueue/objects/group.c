/* group.c: a group, its count, and what ends with the last member. group_record.h describes the count. */
#include "objects/group.h"

#include "include/sq_private.h"
#include "objects/member_count_record.h"
#include "objects/object_lock.h"
#include "observe/observe_inline.h"
#include "platform/memory.h"

#include <errno.h>

#define MOST_ENTERED (SQ__GROUP_TIE / 2)

sq_group_t *sq_group_create(const char *label) {
    sq_group_t *group = sq__object_memory(sizeof *group, offsetof(sq_group_t, label), label, __builtin_return_address(0));
    if (group != NULL) {
        sq__store_relaxed(&group->references, 1);
        group->process = sq__process();
    }
    return group;
}

sq_group_t *sq_group_retain(sq_group_t *group) {
    sq__add_relaxed(&group->references, 1);
    return group;
}

const char *sq_group_label(const sq_group_t *group) { return group->label; }

/* Called by the thread that is to free the group. True: a submitter whose task is over still uses the group; it will find CHANGING, and frees the
 * group instead. */
static bool is_left_to_submitter(const sq__member_count_table_t *table) {
    for (size_t i = 0; table != NULL && i <= table->mask; i += 1) {
        for (sq__member_count_t *member_count = sq__load_relaxed(&table->lists[i]); member_count != NULL; member_count = member_count->next) {
            /* [counted] acquire: the submitters' use of the group; release: everybody else's. */
            if (sq__member_count_pending(sq__load_acquire(&member_count->members)) > 0
                && sq__member_count_pending(sq__or_acq_rel(&member_count->members, SQ__MEMBER_COUNT_CHANGING)) > 0) {
                return true;
            }
        }
    }
    return false;
}

void sq__group_dispose(sq_group_t *group) {
    sq__member_count_table_t *smaller, *table = sq__load_relaxed(&group->table);
    if (is_left_to_submitter(table)) {
        return;
    }
    for (size_t i = 0; table != NULL && i <= table->mask; i += 1) {
        for (sq__member_count_t *next, *member_count = sq__load_relaxed(&table->lists[i]); member_count != NULL; member_count = next) {
            next = member_count->next;
            sq__runner_release(sq__load_relaxed(&member_count->runner));
            sq__memory_free(member_count);
        }
    }
    for (; table != NULL; table = smaller) {
        smaller = table->smaller;
        sq__memory_free(table);
    }
    sq__memory_free(group);
}

void sq_group_release(sq_group_t *group) {
    /* [reference] release: our use of the group; acquire, if it was the last: everybody's. */
    if (group == NULL || sq__sub_acq_rel(&group->references, 1) != 1) {
        return;
    }
    for (;;) {
        uint64_t count = sq__load_acquire(&group->count); /* [member] acquire: the use of the group by the members that have left */
        if (!sq__group_has_members(count) && !(count & SQ__GROUP_NOTIFIES)) {
            break;
        }
        /* [member] release: everybody's use of the group, to the thread that frees it. */
        if (sq__cas_release(&group->count, &count, count | SQ__GROUP_RELEASED)) {
            return;
        }
    }
    sq__group_dispose(group);
}

/* The count */

/* True: the group has a member of the kind that `one` counts. */
static bool has(uint64_t count, uint64_t one) {
    return one == SQ__GROUP_TIE ? count >= SQ__GROUP_TIE : count % SQ__GROUP_TIE >= SQ__GROUP_ENTERED;
}

/* L. Subtracts `one` (see `has`). Returns the count before, or 0: there was no such member. *ended are the waits that have ended, for the caller to
 * grant. When the count is zero the group may be freed by a thread that does not take the lock, so its list is changed before. */
static uint64_t leave_under_lock(sq_group_t *group, uint64_t one, sq__object_waiters_t *ended) {
    const sq__object_waiters_t none = { 0 }, all = group->waiters;
    uint64_t next, count = sq__load_relaxed(&group->count);
    do {
        bool is_last = has(count, one) && !sq__group_has_members(count - one);
        *ended = is_last ? all : none;
        group->waiters = is_last ? none : all;
        if (!has(count, one)) {
            return 0;
        }
        bool notifies = group->notices.first != NULL || count & SQ__GROUP_NOTIFIES;
        next = !is_last ? count - one : notifies ? SQ__GROUP_NOTIFIES | (count & SQ__GROUP_RELEASED) : 0;
        /* [member] release: what the member did; acquire, if it is the last: what all of them did, for the waiting threads. */
    } while (!sq__cas_acq_rel(&group->count, &count, next));
    return count;
}

/* By the thread that has set NOTIFIES, with no lock held. Returns the due notifications, which the caller submits. NULL: there are none, and NOTIFIES
 * was cleared, so the group may be freed. */
static sq__notification_t *take_due(sq_group_t *group) {
    uint64_t before = 0;
    sq__object_lock(group);
    sq__notification_t *first = group->due.first;
    group->due = (sq__notifications_t){ 0 };
    if (first == NULL) {
        /* [member] release: our use of the group; acquire, if it was released: everybody's. */
        before = sq__sub_acq_rel(&group->count, SQ__GROUP_NOTIFIES);
    }
    sq__object_unlock(group); /* by address alone */
    if (before & SQ__GROUP_RELEASED && !sq__group_has_members(before)) {
        sq__group_dispose(group);
    }
    return first;
}

/* Submits the notifications that are due, until there are none, or an alarm continues. The caller has set NOTIFIES, and holds no lock. The group may
 * be freed on return. */
static void submit_due(void *object) {
    sq_group_t *group = object;
    sq__notification_t *first;
    bool continues = true;
    while (continues && (first = take_due(group)) != NULL) {
        continues = sq__notification_submit_all(first, &(sq__notifier_t){ submit_due, group });
    }
}

/* Called with no lock held if leaves_by_swap says no: subtracts `one`. If that was the last member, ends the waits and submits the notifications; the
 * group may be freed on return. Returns 0, or EINVAL: there was no such member. */
static __attribute__((noinline)) int leave_last(sq_group_t *group, uint64_t one) {
    sq__object_waiters_t ended;
    sq__object_lock(group);
    bool has_notices = group->notices.first != NULL;
    uint64_t before = leave_under_lock(group, one, &ended);
    bool is_last = before != 0 && !sq__group_has_members(before - one), notifies = before & SQ__GROUP_NOTIFIES;
    if (is_last && has_notices) { /* NOTIFIES is set, and keeps the group */
        sq__notifications_move(&group->due, &group->notices);
    }
    sq_await_entry_t *awaits = sq__object_waiters_grant(&ended);
    sq__object_unlock(group);
    sq__frame_t *frame = is_last ? sq__self_listed()->frame : NULL;
    sq__reader_t *reader = frame != NULL ? sq__reader_of(frame) : NULL;
    if (reader != NULL && reader->subject == group) {
        reader->subject = NULL; /* its member has left: what is called from here on is no part of it */
    }
    if (is_last && before & SQ__GROUP_RELEASED && !has_notices && !notifies) {
        sq__group_dispose(group);
    }
    sq__awaits_end(awaits);
    if (is_last && has_notices && !notifies) {
        submit_due(group);
    }
    return before != 0 ? 0 : EINVAL;
}

/* The last member to leave while a flag is set leaves under the lock. */
static inline bool leaves_by_swap(uint64_t count, uint64_t one) {
    return sq__group_has_members(count - one) || count == one;
}

void sq__group_leave_count(sq_group_t *group) {
    uint64_t count = sq__load_relaxed(&group->count);
    while (leaves_by_swap(count, SQ__GROUP_TIE)) {
        /* [member] release: what the members did. */
        if (sq__cas_release(&group->count, &count, count - SQ__GROUP_TIE)) {
            return;
        }
    }
    leave_last(group, SQ__GROUP_TIE);
}

int sq_group_enter(sq_group_t *group) { return sq__group_enter(group, __builtin_return_address(0)); }

int sq__group_enter(sq_group_t *group, const void *site) {
    if (sq__trace_is_on()) {
        sq__sites_put_entered(group, site);
    }
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

/* Waits and notifications */

bool sq__group_has_members_now(sq_group_t *group, uint64_t *count) {
    *count = sq__load_acquire(&group->count); /* [member] acquire: what the members did */
    return sq__group_has_members(*count);
}

bool sq__group_flag(sq_group_t *group, uint64_t flags) {
    uint64_t count;
    while (sq__group_has_members_now(group, &count)) {
        /* [watched] relaxed: the look at the member counts publishes it. */
        if ((count & flags) == flags || sq__cas_relaxed(&group->count, &count, count | flags)) {
            return true;
        }
    }
    return false;
}

/* sq_group_notify, or with `is_barrier` sq_group_notify_barrier: without members the task is submitted before this returns. */
static int notify(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task, bool is_barrier) {
    sq__notification_t *notification;
    if (group->process != sq__process()) {
        return ESTALE;
    }
    int error = sq__notification_create(&notification, queue, task, is_barrier);
    if (error) {
        return error;
    }
    bool submits = false;
    sq__object_lock(group);
    if (sq__group_flag(group, SQ__GROUP_WAITED)) {
        sq__notifications_append(&group->notices, notification);
    } else {
        sq__notifications_append(&group->due, notification);
        /* [member] release: our use of the group; acquire: what the members did. */
        submits = !(sq__or_acq_rel(&group->count, SQ__GROUP_NOTIFIES) & SQ__GROUP_NOTIFIES);
    }
    sq__object_unlock(group);
    if (submits) {
        submit_due(group);
    }
    return 0;
}

int sq_group_notify(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) { return notify(group, queue, task, false); }

int sq_group_notify_barrier(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) { return notify(group, queue, task, true); }
