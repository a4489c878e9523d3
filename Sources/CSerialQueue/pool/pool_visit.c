/* pool_visit.c: a record that has to be read without its lock is copied with sq__peek. */
#include "pool/pool_visit.h"

#include "platform/peek.h"
#include "platform/thread.h"
#include "pool/pool_internal.h"

enum { MOST_MEMBERS = 256 };

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

static void visit_part(sq__part_t *part, const sq__pool_visitor_t *visitor, sq__pool_view_t *view) {
    sq__part_t copy;
    seated_t seated = { .count = 0 };
    bool is_locked = sq__mutex_lock_patiently(&part->lock, visitor->patience);
    bool is_there = sq__peek(part, &copy, sizeof copy);
    view->is_locked &= is_locked;
    if (is_there) {
        visit_members(copy.all, &seated);
        sq__pool_visit_ready(&copy.ready, is_locked, visitor, view);
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
void sq__pool_visit(sq__runner_t runner, const sq__pool_visitor_t *visitor) {
    const sq__pool_t *pool = sq__runner_object(runner);
    sq__pool_view_t view = { .is_locked = true, .most = pool->most };
    sq__peek_text(pool->label, view.label, sizeof view.label);
    for (unsigned i = 0; i < pool->count; i += 1) {
        visit_part(&pool->parts[i], visitor, &view);
    }
    visitor->pool(visitor->context, &view);
}
