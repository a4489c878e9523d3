#include "objects/member_count.h"

#include "gate/gate_inline.h"
#include "objects/group.h"
#include "objects/object_lock.h"
#include "platform/memory.h"
#include "queue/queue.h"
#include "wait/wait.h"

#include <errno.h>

enum { FIRST_SIZE = 4 };

static bool is_idle(uint64_t word) { return word % SQ__MEMBER_COUNT_USE == 0 && !(word & SQ__MEMBER_COUNT_CHANGING); }

/* Counting */

/* False: another queue has come to the address of one that was freed, and is run in another way. Only while there are no members. */
static bool is_run_alike(const sq__member_count_t *member_count, const sq_queue_t *queue) {
    sq__ready_t *entry;
    sq__runner_t runner = sq__queue_threadless_runner(queue, &entry);
    return runner == sq__load_relaxed(&member_count->runner) && (runner == 0 || entry == sq__load_relaxed(&member_count->entry))
        && sq__is_concurrent(queue) == sq__load_relaxed(&member_count->is_concurrent);
}

/* Counts one more pending member, if the member count still belongs to this queue; else returns false. *enters: the group's count includes one member
 * count in advance; becomes false if this member count, which had no members, has used it. Else the caller subtracts that at the end. */
static bool count_in(sq__member_count_t *member_count, sq_queue_t *queue, bool *enters) {
    for (;;) {
        /* [counted] acquire: `queue`, as of this USE. */
        uint64_t word = sq__load_acquire(&member_count->members);
        if (word & SQ__MEMBER_COUNT_CHANGING || sq__load_relaxed(&member_count->queue) != queue) {
            return false;
        }
        if (sq__member_count_members(word) == 0) {
            sq__targeted_fix(queue);
            if (!is_run_alike(member_count, queue)) {
                return false;
            }
        }
        if (sq__member_count_members(word) == 0 && !*enters) {
            sq__add_relaxed(&member_count->group->count, SQ__GROUP_TIE);
            *enters = true;
        }
        /* [added] release: the group's count includes the member count; acquire: the same, if another thread has added it. */
        if (sq__cas_acq_rel(&member_count->members, &word, word + SQ__MEMBER_COUNT_MEMBER + SQ__MEMBER_COUNT_PENDING)) {
            *enters = *enters && sq__member_count_members(word) > 0;
            return true;
        }
    }
}

/* Subtracts this many from the word: a member, perhaps with its PENDING. With no lock held. After the last member the group may be freed. */
static void count_out(sq__member_count_t *member_count, uint64_t how_many) {
    /* [member] release: the task's writes; acquire, if it is the last one: the other tasks' writes. */
    if (sq__member_count_members(sq__sub_acq_rel(&member_count->members, how_many)) == 1) {
        sq__group_leave_count(member_count->group);
    }
}

void sq__member_count_confirm_item(sq__member_count_t *member_count) {
    sq_group_t *group = member_count->group;
    /* [watched] acquire: WATCHED, if the search of a wait has read this member count before. */
    uint64_t before = sq__load_acquire(&member_count->members);
    bool is_watched = sq__load_relaxed(&group->count) & SQ__GROUP_WATCHED;
    /* [watched] release: the member, for a search that reads this member count later. [counted] release: our use of the group, to the thread that
     * frees it; acquire, if we free it: everybody's. Without PENDING the group may be freed: the member may be over, and have
     * released it. */
    uint64_t word = sq__sub_acq_rel(&member_count->members, SQ__MEMBER_COUNT_PENDING);
    if (__builtin_expect(is_watched || sq__member_count_use(word) != sq__member_count_use(before) /* a search came in between */, 0)) {
        sq__deadlock_look_again(group); /* by address alone */
    }
    if (__builtin_expect(word & SQ__MEMBER_COUNT_CHANGING && sq__member_count_pending(word) == 1, 0)) {
        sq__group_dispose(group);
    }
}

void sq__member_count_confirm(sq__member_count_t *member_count) {
    if (__builtin_expect(sq__load_relaxed(&member_count->is_concurrent), 0)) {
        sq__add_relaxed(&member_count->accepted, 1); /* [started]: published by the swap that follows */
    }
    sq__member_count_confirm_item(member_count);
}

void sq__member_count_cancel(sq__member_count_t *member_count) { count_out(member_count, SQ__MEMBER_COUNT_MEMBER + SQ__MEMBER_COUNT_PENDING); }

void sq__member_count_end(sq__member_count_t *member_count) { count_out(member_count, SQ__MEMBER_COUNT_MEMBER); }

static void end_member(sq__member_end_t *end, bool leaves) {
    if (leaves) {
        count_out((sq__member_count_t *)end, SQ__MEMBER_COUNT_MEMBER);
    }
}

/* Finding. L */

/* `size`: a power of two. Returns NULL without memory. */
static sq__member_count_table_t *make_table(size_t size, sq__member_count_table_t *smaller) {
    sq__member_count_table_t *table = sq__memory_zeroed(sizeof *table + size * sizeof(sq__member_count_t *));
    if (table != NULL) {
        table->smaller = smaller;
        table->mask = size - 1;
    }
    return table;
}

/* L. Moves all member counts of the old table to this one, which no other thread sees yet. The old lists keep their first ones, for threads that read
 * them. */
static void move_counts(sq__member_count_table_t *table, sq__member_count_table_t *old) {
    for (size_t i = 0; i <= old->mask; i += 1) {
        for (sq__member_count_t *next, *member_count = sq__load_relaxed(&old->lists[i]); member_count != NULL; member_count = next) {
            SQ__ATOMIC(sq__member_count_t *) *list = sq__member_count_list(table, sq__load_relaxed(&member_count->queue));
            next = member_count->next;
            member_count->next = sq__load_relaxed(list);
            sq__store_relaxed(list, member_count);
        }
    }
}

/* L. Creates the table; doubles it once it has had as many collisions as it has lists. Without memory the lists just get longer. Returns the table;
 * NULL: there is none, and no memory. */
static sq__member_count_table_t *prepare_table(sq_group_t *group) {
    sq__member_count_table_t *table, *old = sq__load_relaxed(&group->table);
    if (old != NULL && group->crowded <= old->mask) {
        return old;
    }
    table = make_table(old != NULL ? 2 * (old->mask + 1) : FIRST_SIZE, old);
    if (table == NULL) {
        return old;
    }
    if (old != NULL) {
        move_counts(table, old);
        group->crowded = 0;
    }
    sq__store_release(&group->table, table); /* [counts] release: the table and its lists */
    return table;
}

/* L. Makes an idle member count, or a new one, the queue's, with a reference to its runner. The caller releases that of the queue before. */
static void assign(sq__member_count_t *member_count, const sq_queue_t *queue) {
    sq__ready_t *entry;
    sq__runner_t runner = sq__queue_threadless_runner(queue, &entry);
    sq__store_relaxed(&member_count->queue, queue);
    sq__store_relaxed(&member_count->runner, sq__runner_retain(runner));
    sq__store_relaxed(&member_count->entry, entry);
    sq__store_relaxed(&member_count->is_concurrent, sq__is_concurrent(queue));
}

/* L. Assigns an idle member count to this queue. Returns false if it is no longer idle. *dropped: a runner that the caller releases after the
 * unlock. */
static bool give_to(sq__member_count_t *member_count, const sq_queue_t *queue, sq__runner_t *dropped) {
    uint64_t word = sq__load_relaxed(&member_count->members);
    /* [counted] acquire: the last reads of those that counted members of its last queue. */
    if (!is_idle(word) || !sq__cas_acquire(&member_count->members, &word, word | SQ__MEMBER_COUNT_CHANGING)) {
        return false;
    }
    *dropped = sq__load_relaxed(&member_count->runner);
    assign(member_count, queue);
    /* [counted] release: the queue. */
    sq__store_release(&member_count->members, sq__member_count_next_use(word));
    return true;
}

/* L. Creates an idle member count for the front of the list, where the caller puts it. Returns NULL without memory. */
static sq__member_count_t *make(sq_group_t *group, const sq_queue_t *queue, sq__member_count_t *next) {
    sq__member_count_t *member_count = sq__memory_zeroed(sizeof *member_count);
    if (member_count != NULL) {
        member_count->end.call = end_member;
        member_count->end.members = &member_count->on_queue;
        member_count->on_queue.group = group;
        member_count->group = group;
        member_count->next = next;
        assign(member_count, queue);
        group->crowded += next != NULL;
    }
    return member_count;
}

/* L. Takes the queue's member count out of its place, for the front of the list, and returns it; if it has none, assigns an idle one. NULL: neither
 * exists. *dropped as in give_to. */
static sq__member_count_t *find_or_give(SQ__ATOMIC(sq__member_count_t *) *list, const sq_queue_t *queue, sq__runner_t *dropped) {
    sq__member_count_t *before = NULL, *found = NULL, *before_found = NULL;
    for (sq__member_count_t *member_count = sq__load_relaxed(list); member_count != NULL; before = member_count, member_count = member_count->next) {
        bool is_it = sq__load_relaxed(&member_count->queue) == queue;
        if (is_it || (found == NULL && is_idle(sq__load_relaxed(&member_count->members)))) {
            found = member_count;
            before_found = before;
            if (is_it) {
                break;
            }
        }
    }
    if (found == NULL) {
        return NULL;
    }
    bool has_members = sq__member_count_members(sq__load_relaxed(&found->members)) > 0;
    bool is_its_own = sq__load_relaxed(&found->queue) == queue && (has_members || is_run_alike(found, queue));
    if (!is_its_own && !give_to(found, queue, dropped)) {
        return NULL;
    }
    if (before_found != NULL) {
        before_found->next = found->next;
        found->next = sq__load_relaxed(list);
    }
    return found;
}

/* Takes the group's lock. Returns the queue's member count, now the first of its list, which has counted one more pending member; NULL: no memory.
 * *enters as in count_in. */
static sq__member_count_t *find_slowly(sq_group_t *group, sq_queue_t *queue, bool *enters) {
    sq__runner_t dropped = 0;
    sq__member_count_t *member_count = NULL;
    sq__targeted_fix(queue); /* not under the lock */
    sq__object_lock(group);
    sq__member_count_table_t *table = prepare_table(group);
    if (table != NULL) {
        SQ__ATOMIC(sq__member_count_t *) *list = sq__member_count_list(table, queue);
        member_count = find_or_give(list, queue, &dropped);
        if (member_count == NULL) {
            member_count = make(group, queue, sq__load_relaxed(list));
        }
        if (member_count != NULL) {
            sq__store_release(list, member_count); /* [counts] release: the member count */
            count_in(member_count, queue, enters); /* succeeds: member counts are reassigned only under the lock, and this one is run alike */
        }
    }
    sq__object_unlock(group);
    sq__runner_release(dropped);
    return member_count;
}

int sq__member_count_begin(sq_group_t *group, sq_queue_t *queue, sq__member_count_t **member_count) {
    bool enters = false;
    sq__member_count_table_t *table = sq__load_acquire(&group->table); /* [counts] acquire: the table */
    *member_count = table != NULL ? sq__load_acquire(sq__member_count_list(table, queue)) : NULL; /* [counts] acquire: the member count */
    if (__builtin_expect(*member_count == NULL || !count_in(*member_count, queue, &enters), 0)) {
        *member_count = find_slowly(group, queue, &enters);
    }
    if (__builtin_expect(enters, 0)) {
        sq__group_leave_count(group);
    }
    return *member_count != NULL ? 0 : ENOMEM;
}
