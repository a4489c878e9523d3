#include "objects/member_search.h"

#include "objects/object_lock.h"
#include "objects/member_count_record.h"

/* L. True: there is a member that was accepted. Sets the next USE: a submitter that read the word before then searches again. */
static bool has_accepted(sq__member_count_t *member_count) {
    uint64_t word = sq__load_relaxed(&member_count->members);
    /* [watched] acquire: members that were confirmed before; release: WATCHED, for members that are confirmed later. The next USE
     * tells a submitter that has read the member count before. */
    while (!sq__cas_acq_rel(&member_count->members, &word, sq__member_count_next_use(word))) {
    }
    return sq__member_count_members(word) > sq__member_count_pending(word);
}

/* L. NULL: the queue has no member count. */
static sq__member_count_t *member_count_of(sq_group_t *group, const sq_queue_t *queue) {
    sq__member_count_table_t *table = sq__load_relaxed(&group->table);
    SQ__ATOMIC(sq__member_count_t *) *list = table != NULL ? sq__member_count_list(table, queue) : NULL;
    sq__member_count_t *member_count = list != NULL ? sq__load_relaxed(list) : NULL;
    while (member_count != NULL && sq__load_relaxed(&member_count->queue) != queue) {
        member_count = member_count->next;
    }
    return member_count;
}

bool sq__member_count_exists(const sq__subject_t *subject, const void *queue) {
    sq_group_t *group = (sq_group_t *)subject->object;
    sq__object_lock(group);
    sq__member_count_t *member_count = member_count_of(group, queue);
    bool exists = member_count != NULL && has_accepted(member_count);
    sq__object_unlock(group);
    return exists;
}

uint64_t sq__member_count_queued(const sq__subject_t *subject, const sq_queue_t *queue) {
    sq_group_t *group = (sq_group_t *)subject->object;
    uint64_t queued = 0;
    sq__object_lock(group);
    sq__member_count_t *member_count = member_count_of(group, queue);
    if (member_count != NULL && sq__load_relaxed(&member_count->is_concurrent) && has_accepted(member_count)) {
        /* [started] acquire: in this order, and before the caller's look at the gate. A member that starts before it is counted as
         * accepted makes the difference too small until its submitter counts it, and then searches. */
        uint32_t started = sq__load_acquire(&member_count->on_queue.started);
        uint32_t accepted = sq__load_acquire(&member_count->accepted);
        queued = (int32_t)(accepted - started) > 0 ? (uint64_t)started << 1 | 1 : 0;
    }
    sq__object_unlock(group);
    return queued;
}

typedef bool (*fit_t)(sq__member_count_t *member_count, const void *argument);

/* L. Returns the first member count that fits; NULL: none does. */
static sq__member_count_t *find_count(sq_group_t *group, fit_t fits, const void *argument) {
    sq__member_count_table_t *table = sq__load_relaxed(&group->table);
    for (size_t i = 0; table != NULL && i <= table->mask; i += 1) {
        for (sq__member_count_t *member_count = sq__load_relaxed(&table->lists[i]); member_count != NULL; member_count = member_count->next) {
            if (sq__load_relaxed(&member_count->runner) != 0 && fits(member_count, argument)) {
                return member_count;
            }
        }
    }
    return NULL;
}

static bool is_owned_by(sq__member_count_t *member_count, const void *owner) {
    return sq__runner_is_owned_by(sq__load_relaxed(&member_count->runner), owner) && has_accepted(member_count);
}

sq__runner_t sq__member_count_owned(const sq__subject_t *subject, const sq__owner_t *owner) {
    sq_group_t *group = (sq_group_t *)subject->object;
    sq__object_lock(group);
    const sq__member_count_t *member_count = find_count(group, is_owned_by, owner);
    sq__runner_t runner = member_count != NULL ? sq__load_relaxed(&member_count->runner) : 0;
    sq__object_unlock(group);
    return runner;
}

static bool has_ready(sq__member_count_t *member_count, const void *unused) {
    (void)unused;
    return sq__member_count_members(sq__load_relaxed(&member_count->members)) > 0
        && sq__runner_run_before(sq__load_relaxed(&member_count->runner), sq__load_relaxed(&member_count->entry), false);
}

bool sq__member_runs_before(const sq__subject_t *subject, bool runs) {
    sq_group_t *group = (sq_group_t *)subject->object;
    sq__runner_t runner = 0;
    sq__ready_t *entry = NULL;
    sq__object_lock(group);
    const sq__member_count_t *member_count = find_count(group, has_ready, NULL);
    bool is_found = member_count != NULL;
    if (is_found && runs) {
        runner = sq__runner_retain(sq__load_relaxed(&member_count->runner));
        entry = sq__load_relaxed(&member_count->entry);
    }
    sq__object_unlock(group);
    if (runner != 0) {
        is_found = sq__runner_run_before(runner, entry, true);
        sq__runner_release(runner);
    }
    return is_found;
}
