#include "many/tie.h"

#include "kernel/concurrent.h"
#include "many/lock.h"
#include "platform/memory.h"
#include "pool/loop.h"
#include "wait/deadlock.h"

#include <errno.h>
#include <string.h>

#define MEMBER ((uint64_t)1)
#define PENDING ((uint64_t)1 << 32)
#define USE ((uint64_t)1 << 47)
#define CHANGING ((uint64_t)1 << 63)

enum { FIRST_SIZE = 4 };

static uint64_t members_of(uint64_t word) { return word % PENDING; }
static uint64_t pending_of(uint64_t word) { return word / PENDING % (USE / PENDING); }
static bool is_idle(uint64_t word) { return word % USE == 0 && !(word & CHANGING); }

static SQ__ATOMIC(sq__tie_t *) *list_of(sq__tie_table_t *table, const sq_queue_t *queue) {
    uintptr_t address = (uintptr_t)queue;
    return &table->lists[(address >> 6 ^ address >> 12) & table->mask];
}

/* Counting */

/* Counts one more member, if the tie still belongs to this queue; else returns false. *enters: the group's count includes one tie
 * in advance; becomes false if this tie, which had no members, has used it. */
static bool count_in(sq__tie_t *tie, const sq_queue_t *queue, bool *enters) {
    for (;;) {
        /* [tie] acquire: `queue`, as of this USE. */
        uint64_t word = sq__load_acquire(&tie->members);
        if (word & CHANGING || sq__load_relaxed(&tie->queue) != queue) {
            return false;
        }
        if (members_of(word) == 0 && !*enters) {
            sq__add_relaxed(&tie->group->count, SQ__GROUP_TIE);
            *enters = true;
        }
        if (sq__cas_relaxed(&tie->members, &word, word + MEMBER + PENDING)) {
            *enters = *enters && members_of(word) > 0;
            return true;
        }
    }
}

static void count_out(sq__tie_t *tie, uint64_t how_many) {
    /* [member] release: the task's writes; acquire, if it is the last one: the other tasks' writes. */
    if (members_of(sq__sub_acq_rel(&tie->members, how_many)) == 1) {
        sq__group_leave_tie(tie->group);
    }
}

void sq__tie_confirm(sq__tie_t *tie) {
    sq_group_t *group = tie->group;
    if (__builtin_expect(tie->is_concurrent, 0)) {
        sq__add_relaxed(&tie->accepted, 1); /* [watched] and [started]: published by the swap that follows */
    }
    /* [watched] acquire: WATCHED, if the search of a wait has read this tie before. release: the member, for a search that reads
     * this tie later. */
    sq__sub_acq_rel(&tie->members, PENDING);
    if (__builtin_expect(sq__load_relaxed(&group->count) & SQ__GROUP_WATCHED, 0)) {
        sq__deadlock_look_again(group);
    }
}

void sq__tie_cancel(sq__tie_t *tie) { count_out(tie, MEMBER + PENDING); }

void sq__tie_end(sq__tie_t *tie) { count_out(tie, MEMBER); }

static void end_member(sq__member_end_t *end, bool leaves) {
    if (leaves) {
        sq__tie_end((sq__tie_t *)end);
    }
}

sq__member_end_t *sq__tie_member_end(sq__tie_t *tie) { return &tie->end; }

/* Finding. L */

/* Returns NULL without memory. */
static sq__tie_table_t *make_table(size_t size, sq__tie_table_t *smaller) {
    size_t bytes = sizeof(sq__tie_table_t) + size * sizeof(sq__tie_t *);
    sq__tie_table_t *table = sq__memory(bytes);
    if (table != NULL) {
        memset(table, 0, bytes);
        table->smaller = smaller;
        table->mask = size - 1;
    }
    return table;
}

static void move_ties(sq__tie_table_t *table, sq__tie_table_t *old) {
    for (size_t i = 0; i <= old->mask; i += 1) {
        for (sq__tie_t *next, *tie = sq__load_relaxed(&old->lists[i]); tie != NULL; tie = next) {
            SQ__ATOMIC(sq__tie_t *) *list = list_of(table, sq__load_relaxed(&tie->queue));
            next = tie->next;
            tie->next = sq__load_relaxed(list);
            sq__store_relaxed(list, tie);
        }
    }
}

/* Creates the table; doubles it once it has had as many collisions as it has lists. Without memory the lists just get longer. */
static sq__tie_table_t *prepare_table(sq_group_t *group) {
    sq__tie_table_t *table, *old = sq__load_relaxed(&group->table);
    if (old != NULL && group->crowded <= old->mask) {
        return old;
    }
    table = make_table(old != NULL ? 2 * (old->mask + 1) : FIRST_SIZE, old);
    if (table == NULL) {
        return old;
    }
    if (old != NULL) {
        move_ties(table, old);
        group->crowded = 0;
    }
    sq__store_release(&group->table, table); /* [ties] release: the table and its lists */
    return table;
}

/* Assigns an idle tie to this queue. Returns false if it is no longer idle. *dropped: a pool that the caller releases after the
 * unlock. */
static bool give_to(sq__tie_t *tie, const sq_queue_t *queue, sq__pool_t **dropped) {
    uint64_t word = sq__load_relaxed(&tie->members);
    if (!is_idle(word) || !sq__cas_relaxed(&tie->members, &word, word | CHANGING)) {
        return false;
    }
    sq__store_relaxed(&tie->queue, queue);
    *dropped = tie->pool;
    tie->pool = sq__wait_threadless_pool(queue);
    tie->is_concurrent = sq__is_concurrent(queue);
    /* [tie] release: the queue. */
    sq__store_release(&tie->members, (word + USE) & ~CHANGING);
    return true;
}

/* Creates a tie for the front of the list. Returns NULL without memory. */
static sq__tie_t *make(sq_group_t *group, const sq_queue_t *queue, sq__tie_t *next) {
    sq__tie_t *tie = sq__memory(sizeof *tie);
    if (tie != NULL) {
        memset(tie, 0, sizeof *tie);
        tie->end.call = end_member;
        tie->end.members = &tie->on_queue;
        tie->on_queue.group = group;
        tie->group = group;
        tie->pool = sq__wait_threadless_pool(queue);
        tie->is_concurrent = sq__is_concurrent(queue);
        tie->next = next;
        sq__store_relaxed(&tie->queue, queue);
        group->crowded += next != NULL;
    }
    return tie;
}

/* Moves the queue's tie to the front of the list and returns it; if it has none, assigns an idle one. NULL: neither exists. */
static sq__tie_t *find_or_give(SQ__ATOMIC(sq__tie_t *) *list, const sq_queue_t *queue, sq__pool_t **dropped) {
    sq__tie_t *before = NULL, *found = NULL, *before_found = NULL;
    for (sq__tie_t *tie = sq__load_relaxed(list); tie != NULL; before = tie, tie = tie->next) {
        bool is_it = sq__load_relaxed(&tie->queue) == queue;
        if (is_it || (found == NULL && is_idle(sq__load_relaxed(&tie->members)))) {
            found = tie;
            before_found = before;
            if (is_it) {
                break;
            }
        }
    }
    if (found == NULL || (sq__load_relaxed(&found->queue) != queue && !give_to(found, queue, dropped))) {
        return NULL;
    }
    if (before_found != NULL) {
        before_found->next = found->next;
        found->next = sq__load_relaxed(list);
    }
    return found;
}

/* Returns NULL without memory. */
static sq__tie_t *find_slowly(sq_group_t *group, const sq_queue_t *queue, bool *enters) {
    sq__pool_t *dropped = NULL;
    sq__tie_t *tie = NULL;
    sq__many_lock(group);
    sq__tie_table_t *table = prepare_table(group);
    if (table != NULL) {
        SQ__ATOMIC(sq__tie_t *) *list = list_of(table, queue);
        tie = find_or_give(list, queue, &dropped);
        if (tie == NULL) {
            tie = make(group, queue, sq__load_relaxed(list));
        }
        if (tie != NULL) {
            sq__store_release(list, tie); /* [ties] release: the tie */
            count_in(tie, queue, enters); /* succeeds: ties are reassigned only under the lock */
        }
    }
    sq__many_unlock(group);
    if (dropped != NULL) {
        sq__pool_release(dropped);
    }
    return tie;
}

int sq__tie_begin(sq_group_t *group, const sq_queue_t *queue, sq__tie_t **tie) {
    bool enters = false;
    sq__tie_table_t *table = sq__load_acquire(&group->table); /* [ties] acquire: the table */
    *tie = table != NULL ? sq__load_acquire(list_of(table, queue)) : NULL; /* [ties] acquire: the tie */
    if (__builtin_expect(*tie == NULL || !count_in(*tie, queue, &enters), 0)) {
        *tie = find_slowly(group, queue, &enters);
    }
    if (__builtin_expect(enters, 0)) {
        sq__group_leave_tie(group);
    }
    return *tie != NULL ? 0 : ENOMEM;
}

/* For waits: which queues have members */

static bool has_accepted(sq__tie_t *tie) {
    /* [watched] acquire: members that were confirmed before; release: WATCHED, for members that are confirmed later. A
     * read-modify-write, not a load, so that one of the two sees the other. */
    uint64_t word = sq__add_acq_rel(&tie->members, 0);
    return members_of(word) > pending_of(word);
}

/* L. NULL: the queue has no tie. */
static sq__tie_t *tie_of(sq_group_t *group, const sq_queue_t *queue) {
    sq__tie_table_t *table = sq__load_relaxed(&group->table);
    SQ__ATOMIC(sq__tie_t *) *list = table != NULL ? list_of(table, queue) : NULL;
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
    return sq__pool_clock(tie->pool) != NULL && members_of(sq__load_relaxed(&tie->members)) > 0;
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
