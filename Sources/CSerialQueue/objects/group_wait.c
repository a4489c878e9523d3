/* group_wait.c: waiting for a group, on a thread and without one. */
#include "objects/group.h"
#include "objects/object_lock.h"
#include "objects/member_search.h"

#include <errno.h>

static const sq__runs_for_t runs_for = { sq__member_count_owned, sq__member_runs_before };

/* The caller has a reference. Returns 0: there are no members; else ENOMEM, or the error of sq__wait_end. With no lock held. */
static int wait_for_members(sq_group_t *group, sq_time_t deadline) {
    const sq__self_t *self = sq__self_listed();
    bool may_be_needed = sq__self_may_be_needed(self);
    const sq__subject_t subject = { .kind = "group", .label = group->label, .relation = "has a task in",
                                    .object = group, .needs = sq__member_count_exists, .queued = sq__member_count_queued,
                                    .runs_for = &runs_for };
    sq__object_waiter_t waiter = { .wait.subject = &subject };
    int error = sq__wait_begin(&waiter.wait, false);
    if (error) {
        return error;
    }
    sq__object_lock(group);
    bool waits = sq__group_flag(group, SQ__GROUP_WAITED | (may_be_needed ? SQ__GROUP_WATCHED : 0));
    return sq__object_wait_and_unlock(group, &group->waiters, &waiter, waits, deadline);
}

int sq_group_wait(sq_group_t *group, sq_time_t deadline) {
    uint64_t count;
    if (!sq__group_has_members_now(group, &count)) {
        return 0;
    }
    if (group->process != sq__process()) {
        return ESTALE;
    }
    int error = sq__wait_check_deadline(deadline);
    if (error) {
        return error;
    }
    sq_group_retain(group); /* a task that it runs may release the last reference */
    error = wait_for_members(group, deadline);
    sq_group_release(group);
    return error;
}

/* Without a thread */

int sq_group_await(sq_group_t *group, sq_await_t *await) {
    /* [member] acquire: what the members did. */
    if (!sq__group_has_members(sq__load_acquire(&group->count))) {
        return 0;
    }
    if (group->process != sq__process()) {
        return ESTALE;
    }
    sq__object_lock(group);
    bool waits = sq__group_flag(group, SQ__GROUP_WAITED);
    if (waits) {
        sq__object_waiters_append_await(&group->waiters, await);
    }
    sq__object_unlock(group);
    return waits ? EINPROGRESS : 0;
}

bool sq_group_withdraw(sq_group_t *group, sq_await_t *await) {
    sq__object_lock(group);
    bool is_withdrawn = sq__object_waiters_remove_await(&group->waiters, await, group->process);
    sq__object_unlock(group);
    return is_withdrawn;
}
