/* group_wait.c: waiting for a group, on a thread and without one. */
#include "objects/group.h"
#include "objects/object_lock.h"
#include "objects/member_search.h"
#include "platform/container.h"
#include "platform/thread.h"

#include <errno.h>

static const sq__loop_needs_t loops = { sq__member_count_loop, sq__member_runs_before };

static int wait_for_members(sq_group_t *group, sq_time_t deadline) {
    sq__object_waiter_t waiter;
    const sq__self_t *self = sq__self_listed();
    bool may_be_needed = sq__self_may_be_needed(self);
    const sq__subject_t subject = { .kind = "group", .label = group->label, .relation = "has a task in",
                                    .object = group, .needs = sq__member_count_exists, .queued = sq__member_count_queued,
                                    .loops = &loops };
    int error = sq__wait_begin_for(&waiter.wait, &subject);
    if (error) {
        return error;
    }
    sq__object_lock(group);
    bool waits = sq__group_flag(group, SQ__GROUP_WAITED | (may_be_needed ? SQ__GROUP_WATCHED : 0));
    return sq__object_wait_and_unlock(group, &group->waiters, &waiter, waits, deadline);
}

/* A wait that runs tasks itself. It is over once one of them was the last member, even if another then adds members. */
typedef struct running_wait {
    sq_await_t await;
    SQ__ATOMIC(bool) is_over;
} running_wait_t;

static void note_over(sq_await_t *await) {
    /* [member] release: what the members did. */
    sq__store_release(&SQ__CONTAINER(await, running_wait_t, await)->is_over, true);
}

/* Returns whether the wait is over. Another thread may be just about to end it. */
static bool end_running_wait(sq_group_t *group, running_wait_t *wait) {
    if (sq_group_withdraw(group, &wait->await)) {
        return false;
    }
    while (!sq__load_acquire(&wait->is_over)) { /* [member] acquire: what the members did */
        sq__thread_yield();
    }
    return true;
}

/* Runs what manual pools have ready: no other thread may. Returns 0: the wait is over; EAGAIN: nothing is ready, or the deadline is reached;
 * or ESTALE: a task has forked, and this is the child. */
static int run_members(sq_group_t *group, sq_time_t deadline) {
    running_wait_t wait = { .await.ended = note_over };
    sq__pool_t *pool = sq__member_count_manual_pool(group);
    int error = pool != NULL ? sq_group_await(group, &wait.await) : EAGAIN;
    while (pool != NULL && error == EINPROGRESS) {
        bool ran = sq__pool_run_next(pool);
        if (group->process != sq__process()) {
            return ESTALE;
        }
        sq__pool_release(pool);
        bool continues = ran && !sq__load_relaxed(&wait.is_over) && sq__wait_check_deadline(deadline) == 0; /* end_running_wait looks again */
        pool = continues ? sq__member_count_manual_pool(group) : NULL;
    }
    if (pool != NULL) {
        sq__pool_release(pool);
    }
    return error == EINPROGRESS ? (end_running_wait(group, &wait) ? 0 : EAGAIN) : error;
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
    error = run_members(group, deadline);
    error = error == EAGAIN ? wait_for_members(group, deadline) : error;
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
    bool is_withdrawn = sq__object_waiters_remove_await(&group->waiters, await);
    sq__object_unlock(group);
    return is_withdrawn;
}
