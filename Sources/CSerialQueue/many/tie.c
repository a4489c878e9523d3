#include "many/tie.h"

#include "gate/concurrent.h"
#include "many/group_count.h"
#include "many/lock.h"
#include "platform/memory.h"
#include "pool/loop.h"
#include "wait/deadlock.h"

#include <errno.h>
#include <string.h>

enum { FIRST_SIZE = 4 };

static bool is_idle(uint64_t word) { return word % SQ__TIE_USE == 0 && !(word & SQ__TIE_CHANGING); }

/* Counting */

/* Counts one more member, if the tie still belongs to this queue; else returns false. *enters: the group's count includes one tie
 * in advance; becomes false if this tie, which had no members, has used it. */
static bool count_in(sq__tie_t *tie, const sq_queue_t *queue, bool *enters) {
    for (;;) {
        /* [tie] acquire: `queue`, as of this USE. */
        uint64_t word = sq__load_acquire(&tie->members);
        if (word & SQ__TIE_CHANGING || sq__load_relaxed(&tie->queue) != queue) {
            return false;
        }
        if (sq__tie_members(word) == 0 && !*enters) {
            sq__add_relaxed(&tie->group->count, SQ__GROUP_TIE);
            *enters = true;
        }
        if (sq__cas_relaxed(&tie->members, &word, word + SQ__TIE_MEMBER + SQ__TIE_PENDING)) {
            *enters = *enters && sq__tie_members(word) > 0;
            return true;
        }
    }
}

static void count_out(sq__tie_t *tie, uint64_t how_many) {
    /* [member] release: the task's writes; acquire, if it is the last one: the other tasks' writes. */
    if (sq__tie_members(sq__sub_acq_rel(&tie->members, how_many)) == 1) {
        sq__group_leave_tie(tie->group);
    }
}

void sq__tie_confirm_item(sq__tie_t *tie) {
    sq_group_t *group = tie->group;
    /* [watched] acquire: WATCHED, if the search of a wait has read this tie before. */
    uint64_t before = sq__load_acquire(&tie->members);
    bool is_watched = sq__load_relaxed(&group->count) & SQ__GROUP_WATCHED;
    /* [watched] release: the member, for a search that reads this tie later. [tie] release: our use of the group, to the thread that
     * frees it; acquire, if we free it: everybody's. Without PENDING the group may be freed: the member may be over, and have
     * released it. */
    uint64_t word = sq__sub_acq_rel(&tie->members, SQ__TIE_PENDING);
    if (__builtin_expect(is_watched || sq__tie_use(word) != sq__tie_use(before) /* a search came in between */, 0)) {
        sq__deadlock_look_again(group); /* by address alone */
    }
    if (__builtin_expect(word & SQ__TIE_CHANGING && sq__tie_pending(word) == 1, 0)) {
        sq__group_dispose(group);
    }
}

void sq__tie_confirm(sq__tie_t *tie) {
    if (__builtin_expect(tie->is_concurrent, 0)) {
        sq__add_relaxed(&tie->accepted, 1); /* [started]: published by the swap that follows */
    }
    sq__tie_confirm_item(tie);
}

void sq__tie_cancel(sq__tie_t *tie) { count_out(tie, SQ__TIE_MEMBER + SQ__TIE_PENDING); }

void sq__tie_end(sq__tie_t *tie) { count_out(tie, SQ__TIE_MEMBER); }

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
            SQ__ATOMIC(sq__tie_t *) *list = sq__tie_list(table, sq__load_relaxed(&tie->queue));
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
    /* [tie] acquire: the last reads of those that counted members of its last queue. */
    if (!is_idle(word) || !sq__cas_acquire(&tie->members, &word, word | SQ__TIE_CHANGING)) {
        return false;
    }
    sq__store_relaxed(&tie->queue, queue);
    *dropped = tie->pool;
    tie->pool = sq__wait_threadless_pool(queue);
    tie->is_concurrent = sq__is_concurrent(queue);
    /* [tie] release: the queue. */
    sq__store_release(&tie->members, sq__tie_next_use(word));
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
        SQ__ATOMIC(sq__tie_t *) *list = sq__tie_list(table, queue);
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
    *tie = table != NULL ? sq__load_acquire(sq__tie_list(table, queue)) : NULL; /* [ties] acquire: the tie */
    if (__builtin_expect(*tie == NULL || !count_in(*tie, queue, &enters), 0)) {
        *tie = find_slowly(group, queue, &enters);
    }
    if (__builtin_expect(enters, 0)) {
        sq__group_leave_tie(group);
    }
    return *tie != NULL ? 0 : ENOMEM;
}
