#include "many/group.h"

#include "many/lock.h"
#include "many/tie.h"
#include "platform/clock.h"
#include "platform/memory.h"

#include <errno.h>
#include <string.h>

sq_group_t *sq_group_create(const char *label) {
    size_t length = label != NULL ? strlen(label) : 0;
    sq_group_t *group = sq__memory(sizeof *group + length + 1);
    if (group == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memset(group, 0, sizeof *group);
    memcpy(group->label, label != NULL ? label : "", length + 1);
    sq__store_relaxed(&group->references, 1);
    group->process = sq__process();
    return group;
}

sq_group_t *sq_group_retain(sq_group_t *group) {
    sq__add_relaxed(&group->references, 1);
    return group;
}

const char *sq_group_label(const sq_group_t *group) { return group->label; }

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

/* Waiting */

static bool needs_queue(const sq__subject_t *subject, const void *owner) {
    return sq__tie_exists((sq_group_t *)subject->object, owner);
}

static const sq__pool_t *find_loop(const sq__subject_t *subject, const sq__owner_t *owner) {
    return sq__tie_loop((sq_group_t *)subject->object, owner);
}

static bool run_on_own_loop(const sq__subject_t *subject, bool runs) { return sq__tie_ahead((sq_group_t *)subject->object, runs); }

static const sq__loop_needs_t loops = { find_loop, run_on_own_loop };

static bool has_members_now(sq_group_t *group, uint64_t *count) {
    *count = sq__load_acquire(&group->count); /* [member] acquire: what the members did */
    return sq__group_has_members(*count);
}

bool sq__group_flag(sq_group_t *group, uint64_t flags) {
    uint64_t count;
    while (has_members_now(group, &count)) {
        /* [watched] relaxed: the look at the ties publishes it. */
        if ((count & flags) == flags || sq__cas_relaxed(&group->count, &count, count | flags)) {
            return true;
        }
    }
    return false;
}

static int wait_for_members(sq_group_t *group, sq_time_t deadline) {
    sq__many_waiter_t waiter;
    const sq__self_t *self = sq__self_listed();
    bool may_be_needed = sq__self_may_be_needed(self);
    const sq__subject_t subject = { .kind = "group", .label = group->label, .relation = "has a task in",
                                    .object = group, .needs = needs_queue, .loops = &loops };
    int error = sq__wait_begin_for(&waiter.wait, &subject, NULL);
    if (error) {
        return error;
    }
    sq__many_lock(group);
    bool waits = sq__group_flag(group, SQ__GROUP_WAITED | (may_be_needed ? SQ__GROUP_WATCHED : 0));
    if (waits) {
        sq__many_waiters_append(&group->waiters, &waiter);
        sq_group_retain(group);
    }
    sq__many_unlock(group);
    if (!waits) {
        sq__wait_cancel(&waiter.wait);
        return 0;
    }
    error = sq__wait_end(&waiter.wait, deadline);
    if (error) {
        sq__many_lock(group);
        sq__many_waiters_remove(&group->waiters, &waiter);
        sq__many_unlock(group);
    }
    sq_group_release(group);
    return error;
}

/* Nobody else may run what manual pools have ready. False: a task has forked, and this is the child. */
static bool run_members(sq_group_t *group) {
    bool ran = true;
    uint64_t count;
    while (ran && has_members_now(group, &count)) {
        sq__pool_t *pool = sq__tie_manual_pool(group);
        ran = pool != NULL && sq__pool_run_next(pool);
        if (group->process != sq__process()) {
            return false;
        }
        if (pool != NULL) {
            sq__pool_release(pool);
        }
    }
    return true;
}

int sq_group_wait(sq_group_t *group, sq_time_t deadline) {
    uint64_t count;
    if (!has_members_now(group, &count)) {
        return 0;
    }
    if (group->process != sq__process()) {
        return ESTALE;
    }
    if (deadline == SQ_NOW) {
        return EAGAIN;
    }
    if (deadline != SQ_FOREVER && deadline <= sq__clock_now()) {
        return ETIMEDOUT;
    }
    return run_members(group) ? wait_for_members(group, deadline) : ESTALE;
}

int sq_group_notify(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    sq__notification_t *notification;
    if (group->process != sq__process()) {
        return ESTALE;
    }
    int error = sq__notification_create(&notification, queue, task);
    if (error) {
        return error;
    }
    bool submits = false;
    sq__many_lock(group);
    if (sq__group_flag(group, SQ__GROUP_WAITED)) {
        sq__notifications_append(&group->notices, notification);
    } else {
        sq__notifications_append(&group->due, notification);
        /* [member] as in take_due. */
        submits = !(sq__or_acq_rel(&group->count, SQ__GROUP_NOTIFIES) & SQ__GROUP_NOTIFIES);
    }
    sq__many_unlock(group);
    if (submits) {
        sq__group_submit_due(group);
    }
    return 0;
}
