#include "objects/group.h"

#include "objects/group_count.h"
#include "objects/object_lock.h"

#include <errno.h>

sq_group_t *sq_group_create(const char *label) {
    sq_group_t *group = sq__object_memory(sizeof *group, offsetof(sq_group_t, label), label);
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
        /* [member] as in take_due. */
        submits = !(sq__or_acq_rel(&group->count, SQ__GROUP_NOTIFIES) & SQ__GROUP_NOTIFIES);
    }
    sq__object_unlock(group);
    if (submits) {
        sq__group_submit_due(group);
    }
    return 0;
}

int sq_group_notify(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) { return notify(group, queue, task, false); }

int sq_group_notify_barrier(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) { return notify(group, queue, task, true); }
