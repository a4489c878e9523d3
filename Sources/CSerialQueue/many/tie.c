#include "many/tie.h"

#include "many/lock.h"
#include "platform/memory.h"
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

/* Counts one more in, if the tie is still this queue's. True: it has. *enters: the group counts one tie more than it has, on our
 * behalf; used up where the tie had no members. */
static bool count_in(sq__tie_t *tie, const sq_queue_t *queue, bool *enters) {
    for (;;) {
        /* [tie] acquire: the queue that belongs to this use. */
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
    /* [member] release: what the task did; acquire, if it is the last: what the others did. */
    if (members_of(sq__sub_acq_rel(&tie->members, how_many)) == 1) {
        sq__group_leave_tie(tie->group);
    }
}

void sq__tie_confirm(sq__tie_t *tie) {
    sq_group_t *group = tie->group;
    /* [watched] acquire: the flag of a wait that has looked at this tie before. release: the member, for one that looks
     * after this. */
    sq__sub_acq_rel(&tie->members, PENDING);
    if (__builtin_expect(sq__load_relaxed(&group->count) & SQ__GROUP_WATCHED, 0)) {
        sq__deadlock_look_again(group);
    }
}

void sq__tie_cancel(sq__tie_t *tie) { count_out(tie, MEMBER + PENDING); }

const void *sq__tie_group(const sq__tie_t *tie) { return tie->group; }

void sq__tie_end(sq__tie_t *tie) { count_out(tie, MEMBER); }

static void end_member(sq__member_end_t *end) { sq__tie_end((sq__tie_t *)end); }

sq__member_end_t *sq__tie_member_end(sq__tie_t *tie) { return &tie->end; }

/* Finding. L */

/* NULL: no memory. */
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

/* Sees to it that there is a table, and a greater one when as many ties as it has lists were made beside others that were all
 * in use. Without memory the lists get longer. */
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

/* An idle tie becomes this queue's. False: it is not idle any more. *dropped: a pool to be released without the lock. */
static bool give_to(sq__tie_t *tie, const sq_queue_t *queue, sq__pool_t **dropped) {
    uint64_t word = sq__load_relaxed(&tie->members);
    if (!is_idle(word) || !sq__cas_relaxed(&tie->members, &word, word | CHANGING)) {
        return false;
    }
    sq__store_relaxed(&tie->queue, queue);
    *dropped = tie->pool;
    tie->pool = sq__wait_manual_pool(queue);
    /* [tie] release: the queue. */
    sq__store_release(&tie->members, (word + USE) & ~CHANGING);
    return true;
}

/* A new one, for the beginning of the list; NULL: no memory. */
static sq__tie_t *make(sq_group_t *group, const sq_queue_t *queue, sq__tie_t *next) {
    sq__tie_t *tie = sq__memory(sizeof *tie);
    if (tie != NULL) {
        memset(tie, 0, sizeof *tie);
        tie->end.call = end_member;
        tie->end.whose = group;
        tie->group = group;
        tie->pool = sq__wait_manual_pool(queue);
        tie->next = next;
        sq__store_relaxed(&tie->queue, queue);
        group->crowded += next != NULL;
    }
    return tie;
}

/* The queue's tie, which is put to the beginning of its list; one that is idle is given to it if it has none. */
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
            count_in(tie, queue, enters); /* under the lock it stays this queue's */
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

/* Looking. For those who wait */

bool sq__tie_exists(sq_group_t *group, const void *queue) {
    bool exists = false;
    sq__many_lock(group);
    sq__tie_table_t *table = sq__load_relaxed(&group->table);
    SQ__ATOMIC(sq__tie_t *) *list = table != NULL ? list_of(table, queue) : NULL;
    sq__tie_t *tie = list != NULL ? sq__load_relaxed(list) : NULL;
    while (tie != NULL && sq__load_relaxed(&tie->queue) != queue) {
        tie = tie->next;
    }
    if (tie != NULL) {
        /* [watched] acquire: a member that was confirmed before; release: WATCHED, for one that is confirmed after this.
         * A swap, not a load, so that one of the two comes first. */
        uint64_t word = sq__add_acq_rel(&tie->members, 0);
        exists = members_of(word) > pending_of(word);
    }
    sq__many_unlock(group);
    return exists;
}

sq__pool_t *sq__tie_manual_pool(sq_group_t *group) {
    sq__pool_t *pool = NULL;
    sq__many_lock(group);
    sq__tie_table_t *table = sq__load_relaxed(&group->table);
    for (size_t i = 0; table != NULL && pool == NULL && i <= table->mask; i += 1) {
        for (sq__tie_t *tie = sq__load_relaxed(&table->lists[i]); tie != NULL && pool == NULL; tie = tie->next) {
            if (tie->pool != NULL && members_of(sq__load_relaxed(&tie->members)) > 0) {
                pool = sq__pool_retain(tie->pool);
            }
        }
    }
    sq__many_unlock(group);
    return pool;
}
