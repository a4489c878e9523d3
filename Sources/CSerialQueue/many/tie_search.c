#include "many/tie_search.h"

#include "many/lock.h"
#include "many/tie_record.h"
#include "pool/loop.h"

/* L */
static bool has_accepted(sq__tie_t *tie) {
    uint64_t word = sq__load_relaxed(&tie->members);
    /* [watched] acquire: members that were confirmed before; release: WATCHED, for members that are confirmed later. The next USE
     * tells a submitter that has read the tie before. */
    while (!sq__cas_acq_rel(&tie->members, &word, sq__tie_next_use(word))) {
    }
    return sq__tie_members(word) > sq__tie_pending(word);
}

/* L. NULL: the queue has no tie. */
static sq__tie_t *tie_of(sq_group_t *group, const sq_queue_t *queue) {
    sq__tie_table_t *table = sq__load_relaxed(&group->table);
    SQ__ATOMIC(sq__tie_t *) *list = table != NULL ? sq__tie_list(table, queue) : NULL;
    sq__tie_t *tie = list != NULL ? sq__load_relaxed(list) : NULL;
    while (tie != NULL && sq__load_relaxed(&tie->queue) != queue) {
        tie = tie->next;
    }
    return tie;
}

bool sq__tie_exists(sq_group_t *group, const void *queue) {
    sq__many_lock(group);
    sq__tie_t *tie = tie_of(group, queue);
    bool exists = tie != NULL && has_accepted(tie);
    sq__many_unlock(group);
    return exists;
}

uint64_t sq__tie_queued(sq_group_t *group, const sq_queue_t *queue) {
    uint64_t queued = 0;
    sq__many_lock(group);
    sq__tie_t *tie = tie_of(group, queue);
    if (tie != NULL && tie->is_concurrent && has_accepted(tie)) {
        /* [started] acquire: in this order, and before the caller's look at the gate. A member that starts before it is counted as
         * accepted makes the difference too small until its submitter counts it, and then searches. */
        uint32_t started = sq__load_acquire(&tie->on_queue.started);
        uint32_t accepted = sq__load_acquire(&tie->accepted);
        queued = (int32_t)(accepted - started) > 0 ? (uint64_t)started << 1 | 1 : 0;
    }
    sq__many_unlock(group);
    return queued;
}

typedef bool (*fit_t)(sq__tie_t *tie, const void *argument);

/* L. Returns the first tie that fits; NULL: none does. */
static sq__tie_t *find_tie(sq_group_t *group, fit_t fits, const void *argument) {
    sq__tie_table_t *table = sq__load_relaxed(&group->table);
    for (size_t i = 0; table != NULL && i <= table->mask; i += 1) {
        for (sq__tie_t *tie = sq__load_relaxed(&table->lists[i]); tie != NULL; tie = tie->next) {
            if (tie->pool != NULL && fits(tie, argument)) {
                return tie;
            }
        }
    }
    return NULL;
}

static bool is_on_manual_pool(sq__tie_t *tie, const void *argument) {
    (void)argument;
    return sq__pool_clock(tie->pool) != NULL && sq__tie_members(sq__load_relaxed(&tie->members)) > 0;
}

sq__pool_t *sq__tie_manual_pool(sq_group_t *group) {
    sq__many_lock(group);
    sq__tie_t *tie = find_tie(group, is_on_manual_pool, NULL);
    sq__pool_t *pool = tie != NULL ? sq__pool_retain(tie->pool) : NULL;
    sq__many_unlock(group);
    return pool;
}

static bool is_on_loop_of(sq__tie_t *tie, const void *owner) { return sq__pool_is_loop_of(tie->pool, owner) && has_accepted(tie); }

const sq__pool_t *sq__tie_loop(sq_group_t *group, const sq__owner_t *owner) {
    sq__many_lock(group);
    const sq__tie_t *tie = find_tie(group, is_on_loop_of, owner);
    const sq__pool_t *loop = tie != NULL ? tie->pool : NULL;
    sq__many_unlock(group);
    return loop;
}

static sq__ready_t *entry_of(const sq__tie_t *tie) { return &((sq_queue_t *)sq__load_relaxed(&tie->queue))->ready; }

static bool is_ready_on_loop_of(sq__tie_t *tie, const void *owner) {
    return is_on_loop_of(tie, owner) && sq__pool_has_entry(tie->pool, entry_of(tie));
}

bool sq__tie_ahead(sq_group_t *group, bool runs) {
    sq__pool_t *loop = NULL;
    sq__ready_t *entry = NULL;
    sq__many_lock(group);
    const sq__tie_t *tie = find_tie(group, is_ready_on_loop_of, sq__self()->owner);
    bool is_found = tie != NULL;
    if (is_found && runs) {
        loop = sq__pool_retain(tie->pool);
        entry = entry_of(tie);
    }
    sq__many_unlock(group);
    if (loop != NULL) {
        is_found = sq__pool_run_one(loop, entry);
        sq__pool_release(loop);
    }
    return is_found;
}
