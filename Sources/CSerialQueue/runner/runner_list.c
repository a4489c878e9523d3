/* runner_list.c: all pools of the process, for a dump.
 *
 * DESIGN. A list may have very many entries, and a submission must not wait until a dump has visited them all. So the dump visits a few, releases the
 * list's lock and takes it again. Meanwhile the list's cursor points to the entry that comes next, E, number n of those at the front when the
 * visit began. E is still in the list, and so exists, if
 *
 *   - it was not taken out of the middle: sq__ready_take_out moves the cursor on, and
 *   - at most n entries were taken since: of those that are taken from the front, E comes after n others.
 *
 * Else the workers have overtaken the visit, and it begins anew at the front: what it had not visited is there, or has been taken. So the path of a
 * worker, which takes from the front, has nothing to do with visits. There is one visit at a time: it has the lock of the list of pools. */
#include "platform/list.h"
#include "platform/peek.h"
#include "platform/thread.h"
#include "runner/runner_inline.h"
#include "thread/process.h"

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__pool_listed_t *pools; /* under the lock */

void sq__pools_add(sq__pool_listed_t *pool) {
    sq__mutex_lock(&lock);
    SQ__LIST_PUT(pools, pool);
    sq__mutex_unlock(&lock);
}

void sq__pools_remove(sq__pool_listed_t *pool) {
    sq__mutex_lock(&lock);
    if (pool->link != NULL) {
        SQ__LIST_REMOVE(pool);
    }
    sq__mutex_unlock(&lock);
}

/* In the child of a fork the parent's pools run nothing. */
static void forget_pools(void) {
    while (pools != NULL) {
        pools->link = NULL;
        pools = pools->next;
    }
}

SQ__AROUND_FORK(SQ__RANK_POOLS, .lock = &lock, .in_child = forget_pools)

enum { MOST_ENTRIES = 1 << 24 };

/* Entries that are visited under one hold of the lock: about two microseconds, so that a submitter spins for it rather than sleeps. And the pauses until
 * the next hold, as long, in which it gets the lock. */
#ifndef SQ__VISIT_SLICE
#define SQ__VISIT_SLICE 16
#endif
#ifndef SQ__VISIT_GAP
#define SQ__VISIT_GAP 40
#endif

/* Without the lock. A peek is two system calls. */
static void visit_unlocked(const sq__ready_t *entry, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view) {
    sq__ready_t copy;
    for (unsigned i = 0; entry != NULL && i < MOST_ENTRIES && sq__peek(entry, &copy, sizeof copy); i += 1) {
        visitor->entry(visitor->context, entry, view, false);
        entry = copy.next;
    }
}

/* Lets other threads have the lock. False: it could not be taken again. */
static bool yield_lock(sq__mutex_t *held) {
    sq__patience_t patience = { .tries = 200 }; /* those of the visit are for threads that are stuck */
    sq__mutex_unlock(held);
    for (unsigned i = 0; i < SQ__VISIT_GAP; i += 1) {
        sq__pause();
    }
    return sq__mutex_lock_patiently(held, &patience);
}

/* With the lock, and again on return, unless that is false. Workers that always overtake it end the visit, too. */
static bool visit_line(const sq__ready_visit_t *visit, sq__level_t level, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view) {
    sq__ready_list_t *list = visit->list;
    const sq__ready_t *entry = list->lines[level].first;
    uint64_t taken = sq__load_relaxed(visit->taken), passed = 0;
    for (size_t visited = 1; entry != NULL && visited <= 2 * visit->waiting; visited += 1) {
        visitor->entry(visitor->context, entry, view, true);
        list->cursor = entry->next;
        passed += 1;
        if (visited % SQ__VISIT_SLICE == 0 && list->cursor != NULL) {
            if (!yield_lock(visit->lock)) {
                return false;
            }
            if (sq__load_relaxed(visit->taken) - taken > passed) {
                list->cursor = list->lines[level].first;
                taken = sq__load_relaxed(visit->taken);
                passed = 0;
            }
        }
        entry = list->cursor;
    }
    return true;
}

bool sq__pool_visit_ready(const sq__ready_visit_t *visit, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view) {
    bool is_locked = visit->lock != NULL;
    for (sq__level_t level = SQ__LEVEL_HIGH; level <= SQ__LEVEL_LOW && is_locked; level += 1) { /* the others are no queues */
        is_locked = visit_line(visit, level, visitor, view);
    }
    for (sq__level_t level = SQ__LEVEL_HIGH; level <= SQ__LEVEL_LOW && visit->lock == NULL; level += 1) {
        visit_unlocked(visit->list->lines[level].first, visitor, view);
    }
    return is_locked;
}

bool sq__pools_visit(const sq__pool_visitor_t *visitor) {
    bool is_locked = sq__mutex_lock_patiently(&lock, visitor->patience);
    /* Without the lock a pool could be freed at any time, together with its mutex: so none is visited then. */
    for (sq__pool_listed_t *pool = is_locked ? pools : NULL; pool != NULL; pool = pool->next) {
        pool->runner.kind->visit(sq__runner(pool, SQ__LEVEL_NORMAL), visitor);
    }
    if (is_locked) {
        sq__mutex_unlock(&lock);
    }
    return is_locked;
}

const sq__layout_t sq__pools_layout[] = {
    SQ__LAYOUT_LIST(pools, "pools"),
    SQ__LAYOUT_FIELD(sq__pool_listed_t, runner.kind),
    SQ__LAYOUT_FIELD(sq__pool_listed_t, next),
    SQ__LAYOUT_FIELD(sq__pool_listed_t, label),
    SQ__LAYOUT_FIELD(sq__runner_kind_t, is_threadless),
    SQ__LAYOUT_FIELD(sq__runner_kind_t, last_owner),
    SQ__LAYOUT_FIELD(sq__ready_list_t, lines),
    SQ__LAYOUT_SIZE(sq__ready_level_t),
    SQ__LAYOUT_FIELD(sq__ready_level_t, first),
    SQ__LAYOUT_FIELD(sq__ready_t, next),
    { .name = "" },
};
