/* runner_list.c: all pools of the process, for a dump. */
#include "platform/list.h"
#include "platform/peek.h"
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

/* With the lock they are read directly: there may be very many, and a peek is two system calls. */
static void visit_entries(const sq__ready_t *entry, bool is_locked, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view) {
    sq__ready_t copy;
    for (unsigned i = 0; entry != NULL && i < MOST_ENTRIES && (is_locked || sq__peek(entry, &copy, sizeof copy)); i += 1) {
        visitor->entry(visitor->context, entry, view, is_locked);
        entry = is_locked ? entry->next : copy.next;
    }
}

void sq__pool_visit_ready(const sq__ready_list_t *list, bool is_locked, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view) {
    for (sq__level_t level = SQ__LEVEL_HIGH; level <= SQ__LEVEL_LOW; level += 1) { /* the others are no queues */
        visit_entries(list->lines[level].first, is_locked, visitor, view);
    }
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
