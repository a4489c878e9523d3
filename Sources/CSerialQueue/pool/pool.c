#include "pool/pool.h"

#include "platform/memory.h"
#include "platform/peek.h"
#include "platform/thread.h"
#include "pool/caller_runs.h"
#include "pool/growth.h"
#include "pool/members.h"
#include "pool/parts.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "runner/runner_inline.h"
#include "thread/process.h"
#include "thread/self.h"

#include <errno.h>
#include <string.h>

/* The kind. Its functions call those that take a pool. */

static sq__pool_t *pool_at(sq__runner_t runner) { return sq__runner_object(runner); }

static void post(sq__runner_t runner, sq__ready_t *entry) { sq__pool_post(pool_at(runner), sq__runner_band(runner), entry); }

static bool withdraw(sq__runner_t runner, const sq__ready_t *entry) { return sq__pool_withdraw(pool_at(runner), sq__runner_band(runner), entry); }

static sq__demand_t demand(sq__runner_t runner) {
    const sq__pool_t *pool = pool_at(runner);
    if (runner & SQ__HELPED) {
        return sq__pool_has_listed(pool) ? SQ__DEMAND_NEXT : SQ__DEMAND_NEAR;
    }
    return sq__pool_is_crowded(pool) ? SQ__DEMAND_SHARED : SQ__DEMAND_NONE;
}

static void sleeps(sq__runner_t runner, bool sleeps) {
    (void)runner;
    (sleeps ? sq__pool_lend_seat : sq__pool_take_seat)(sq__self()->member);
}

static void retain(sq__runner_t runner) { sq__pool_retain(pool_at(runner)); }

static void release(sq__runner_t runner) { sq__pool_release(pool_at(runner)); }

/* For a dump. A record that has to be read without its lock is copied with sq__peek. */

enum { MOST_MEMBERS = 256 };

typedef struct seated {
    uint64_t ids[MOST_MEMBERS];
    unsigned count;
} seated_t;

static void visit_members(const sq__member_t *member, seated_t *seated) {
    sq__member_t copy;
    for (; member != NULL && seated->count < MOST_MEMBERS && sq__peek(member, &copy, sizeof copy); member = copy.next) {
        if (copy.seat == SQ__SEAT_TAKEN && copy.thread_id != 0) {
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
static void visit(sq__runner_t runner, const sq__pool_visitor_t *visitor) {
    const sq__pool_t *pool = sq__runner_object(runner);
    sq__pool_view_t view = { .is_locked = true, .most = pool->most };
    sq__peek_text(pool->at.label, view.label, sizeof view.label);
    for (unsigned i = 0; i < pool->count; i += 1) {
        visit_part(&pool->parts[i], visitor, &view);
    }
    visitor->pool(visitor->context, &view);
}

static const sq__runner_kind_t kind = {
    .post = post, .withdraw = withdraw, .demand = demand, .serves = sq__caller_serves, .run = sq__caller_run, .listen = sq__caller_listen,
    .leave = sq__caller_leave, .sleeps = sleeps, .retain = retain, .release = release, .visit = visit
};

int sq__pool_create(sq__pool_t **result, const sq__pool_plan_t *plan) {
    size_t length = strlen(plan->label);
    sq__pool_t *pool = sq__memory(sizeof *pool + length + 1);
    if (pool == NULL) {
        return ENOMEM;
    }
    memset(pool, 0, sizeof *pool);
    memcpy(pool->label, plan->label, length + 1);
    pool->at.runner.kind = &kind;
    pool->at.label = pool->label;
    pool->call = plan->call;
    pool->stack_size = plan->stack_size;
    pool->service = plan->service;
    pool->seats_at_rest = (unsigned)plan->seats;
    sq__store_relaxed(&pool->seats, pool->seats_at_rest);
    pool->most = (unsigned)plan->most;
    pool->at.process = sq__process();
    pool->alarm.call = sq__growth_check;
    sq__store_relaxed(&pool->references, 1);
    int error = sq__mutex_init(&pool->lists_lock);
    if (error) {
        goto no_lock;
    }
    error = sq__parts_create(pool, plan->part_seats > 0 ? (unsigned)plan->part_seats : SQ__PART_SEATS);
    if (error) {
        goto no_parts;
    }
    error = sq__members_begin(pool);
    if (error) {
        goto no_members;
    }
    sq__pools_add(&pool->at);
    *result = pool;
    return 0;
no_members:
    sq__parts_destroy(pool);
no_parts:
    sq__mutex_destroy(&pool->lists_lock);
no_lock:
    sq__memory_free(pool);
    return error;
}

sq__pool_t *sq__pool_retain(sq__pool_t *pool) {
    sq__add_relaxed(&pool->references, 1);
    return pool;
}

void sq__pool_release(sq__pool_t *pool) {
    /* [members] release: our use of the pool; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&pool->references, 1) != 1 || sq__pool_is_stale(pool)) {
        return;
    }
    sq__members_end(pool);
}

bool sq__pool_is_crowded(const sq__pool_t *pool) { return sq__part_is_crowded(sq__part_own(pool)); }

const char *sq__pool_label(const sq__pool_t *pool) { return pool->label; }

sq_service_t sq__pool_service(const sq__pool_t *pool) { return pool->service; }

unsigned sq__pool_helpers(const sq__pool_t *pool) {
    if (sq__pool_is_stale(pool)) {
        return 0;
    }
    const sq__member_t *member = sq__self()->member;
    bool has_seat = member != NULL && member->part->pool == pool;
    bool is_by_processors = pool->most > pool->seats_at_rest; /* then the caller has one of them */
    return pool->seats_at_rest - (has_seat || is_by_processors);
}
