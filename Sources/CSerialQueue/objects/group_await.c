/* group_await.c: waiting for a group without a thread. */
#include "objects/group.h"
#include "objects/object_lock.h"

#include <errno.h>

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
    bool is_withdrawn = sq__object_waiters_remove_await(&group->waiters, await);
    sq__object_unlock(group);
    return is_withdrawn;
}
