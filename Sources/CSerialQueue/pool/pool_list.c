#include "pool/pool_list.h"

#include "platform/list.h"
#include "platform/peek.h"
#include "platform/thread.h"
#include "pool/pool_internal.h"
#include "thread/process.h"

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__pool_t *pools; /* under the lock */

void sq__pools_add(sq__pool_t *pool) {
    sq__mutex_lock(&lock);
    SQ__LIST_PUT(pools, pool);
    sq__mutex_unlock(&lock);
}

void sq__pools_remove(sq__pool_t *pool) {
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

/* Visiting. A record that has to be read without its lock is copied with sq__peek. */

enum { MOST_MEMBERS = 256, MOST_ENTRIES = 1 << 24 };

typedef struct seated {
    uint64_t ids[MOST_MEMBERS];
    unsigned count;
} seated_t;

static void visit_members(const sq__member_t *member, seated_t *seated) {
    sq__member_t copy;
    for (; member != NULL && seated->count < MOST_MEMBERS && sq__peek(member, &copy, sizeof copy); member = copy.next) {
        if (sq__peeked(&copy.is_seated) && copy.thread_id != 0) {
            seated->ids[seated->count++] = copy.thread_id;
        }
    }
}

/* With the lock they are read directly: there may be very many, and a peek is two system calls. */
static void visit_entries(const sq__ready_t *entry, bool is_locked, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view) {
    sq__ready_t copy;
    for (unsigned i = 0; entry != NULL && i < MOST_ENTRIES && (is_locked || sq__peek(entry, &copy, sizeof copy)); i += 1) {
        visitor->entry(visitor->context, entry, view, is_locked);
        entry = is_locked ? entry->next : copy.next;
    }
}

static void visit_part(const sq__pool_t *pool, sq__part_t *part, const sq__pool_visitor_t *visitor, sq__pool_view_t *view) {
    sq__part_t copy;
    seated_t seated = { .count = 0 };
    bool is_locked = sq__mutex_lock_patiently(&part->lock, visitor->patience);
    bool is_there = sq__peek(part, &copy, sizeof copy);
    view->is_locked &= is_locked;
    view->lacks_owner = is_locked && sq__pool_lacks_owner(pool);
    if (is_there) {
        visit_members(copy.all, &seated);
        for (sq__band_t band = SQ__BAND_HIGH; band <= SQ__BAND_LOW; band += 1) {
            visit_entries(copy.lines[band].first, is_locked, visitor, view);
        }
    }
    if (is_locked) {
        sq__mutex_unlock(&part->lock);
    }
    if (is_there) {
        view->members += copy.members;
        view->idle += copy.idle_members;
        view->seats += copy.seats;
        view->seated += copy.seated;
        view->waiting += sq__load_relaxed(&copy.waiting);
        for (unsigned i = 0; i < seated.count; i += 1) {
            view->blocked += sq__thread_state(seated.ids[i]) == SQ__THREAD_BLOCKED;
        }
    }
}

/* The pool's own fields that are read here do not change. */
static void visit_pool(sq__pool_t *pool, const sq__pool_visitor_t *visitor) {
    sq__pool_view_t view = { .is_locked = true, .is_loop = pool->is_loop, .clock = pool->clock, .most = pool->most };
    sq__peek_text(pool->label, view.label, sizeof view.label);
    for (unsigned i = 0; i < pool->count; i += 1) {
        visit_part(pool, &pool->parts[i], visitor, &view);
    }
    visitor->pool(visitor->context, &view);
}

bool sq__pools_visit(const sq__pool_visitor_t *visitor) {
    bool is_locked = sq__mutex_lock_patiently(&lock, visitor->patience);
    /* Without the lock a pool could be freed at any time, together with its mutex: so none is visited then. */
    for (sq__pool_t *pool = is_locked ? pools : NULL; pool != NULL; pool = pool->next) {
        visit_pool(pool, visitor);
    }
    if (is_locked) {
        sq__mutex_unlock(&lock);
    }
    return is_locked;
}
