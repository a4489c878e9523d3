/* lifetime.c: a pool from its creation to its last release, and the table of its kind of runner. pool.h has the design. */
#include "pool/pool.h"

#include "platform/memory.h"
#include "platform/peek.h"
#include "platform/thread.h"
#include "pool/caller_runs.h"
#include "pool/growth.h"
#include "pool/workers.h"
#include "pool/search.h"
#include "pool/shards.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "runner/runner_inline.h"
#include "thread/process.h"
#include "thread/self.h"

#include <errno.h>
#include <string.h>

/* The kind. Its functions call those that take a pool. */

static sq__pool_t *pool_at(sq__runner_t runner) { return sq__runner_object(runner); }

static void post(sq__runner_t runner, sq__ready_t *entry) {
    sq__shard_t *shard = runner & SQ__HELPED ? NULL : sq__slot_find(pool_at(runner));
    if (shard == NULL || !sq__slot_put(shard, sq__runner_level(runner), entry)) {
        sq__pool_post(pool_at(runner), sq__runner_level(runner), entry);
    }
}

static bool withdraw(sq__runner_t runner, const sq__ready_t *entry) { return sq__pool_withdraw(pool_at(runner), sq__runner_level(runner), entry); }

static sq__demand_t demand(sq__runner_t runner) {
    const sq__pool_t *pool = pool_at(runner);
    if (runner & SQ__HELPED) {
        return sq__pool_has_listed(pool) ? SQ__DEMAND_NEXT : SQ__DEMAND_NEAR;
    }
    return sq__pool_is_crowded(pool) ? SQ__DEMAND_SHARED : SQ__DEMAND_NONE;
}

static void sleeps(sq__runner_t runner, bool sleeps) {
    (void)runner;
    (sleeps ? sq__pool_lend_permit : sq__pool_take_permit)(sq__self()->pool_worker);
}

static void retain(sq__runner_t runner) { sq__pool_retain(pool_at(runner)); }

static void release(sq__runner_t runner) { sq__pool_release(pool_at(runner)); }

/* For a dump. A record that has to be read without its lock is copied with sq__peek. */

enum { MOST_WORKERS = 256 };

typedef struct holders {
    uint64_t ids[MOST_WORKERS];
    unsigned count, lent;
} holders_t;

/* `worker`: the first of all workers of a shard, or NULL. Adds the threads of those that have a permit, and counts those that have lent it, until there are
 * MOST_WORKERS. */
static void visit_workers(const sq__pool_worker_t *worker, holders_t *holders) {
    sq__pool_worker_t copy;
    for (; worker != NULL && holders->count < MOST_WORKERS && sq__peek(worker, &copy, sizeof copy); worker = copy.next) {
        if (copy.permit == SQ__PERMIT_TAKEN && copy.thread_id != 0) {
            holders->ids[holders->count++] = copy.thread_id;
        }
        holders->lent += copy.permit == SQ__PERMIT_LENT;
    }
}

/* Adds the shard's numbers to the view, and calls visitor->entry for its entries. If the patience ends, it reads them without the lock, and
 * view->is_locked becomes false. It asks the system about threads without the lock. */
static void visit_shard(sq__shard_t *shard, const sq__pool_visitor_t *visitor, sq__pool_view_t *view) {
    sq__shard_t copy;
    holders_t holders = { .count = 0 };
    bool is_locked = sq__mutex_lock_patiently(&shard->lock, visitor->patience);
    if (is_locked) {
        sq__slot_move(shard);
    }
    bool is_there = sq__peek(shard, &copy, sizeof copy);
    if (is_there) {
        const sq__ready_visit_t visit = {
            is_locked ? &shard->ready : &copy.ready, is_locked ? &shard->lock : NULL, &shard->taken, sq__load_relaxed(&copy.waiting)
        };
        visit_workers(copy.all, &holders);
        sq__slot_visit(&copy, visitor, view);
        is_locked = sq__pool_visit_ready(&visit, visitor, view);
    }
    view->is_locked &= is_locked;
    if (is_locked) {
        sq__mutex_unlock(&shard->lock);
    }
    if (is_there) {
        view->workers += copy.workers;
        view->idle += copy.idle_workers;
        view->permits += copy.permits;
        view->in_use += copy.in_use;
        view->waiting += sq__load_relaxed(&copy.waiting);
        view->lent += holders.lent;
        for (unsigned i = 0; i < holders.count; i += 1) {
            view->blocked += sq__thread_state(holders.ids[i]) == SQ__THREAD_BLOCKED;
        }
    }
}

/* With the lock of the list of pools, so the pool exists. The pool's own fields that are read here do not change. */
static void visit(sq__runner_t runner, const sq__pool_visitor_t *visitor) {
    const sq__pool_t *pool = sq__runner_object(runner);
    sq__pool_view_t view = { .is_locked = true, .most = pool->most };
    sq__peek_text(pool->at.label, view.label, sizeof view.label);
    for (unsigned i = 0; i < pool->count; i += 1) {
        visit_shard(&pool->shards[i], visitor, &view);
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
    pool->base_permits = (unsigned)plan->permits;
    sq__store_relaxed(&pool->permits, pool->base_permits);
    pool->most = (unsigned)plan->most;
    pool->at.process = sq__process();
    pool->alarm.call = sq__growth_check;
    sq__store_relaxed(&pool->references, 1);
    int error = sq__mutex_init(&pool->lists_lock);
    if (error) {
        goto no_lock;
    }
    error = sq__shards_create(pool, plan->shard_permits > 0 ? (unsigned)plan->shard_permits : SQ__SHARD_PERMITS);
    if (error) {
        goto no_shards;
    }
    error = sq__workers_begin(pool);
    if (error) {
        goto no_workers;
    }
    sq__pools_add(&pool->at);
    *result = pool;
    return 0;
no_workers:
    sq__shards_destroy(pool);
no_shards:
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
    /* [pool] release: our use of the pool; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&pool->references, 1) != 1 || sq__pool_is_stale(pool)) {
        return;
    }
    sq__workers_end(pool);
}

bool sq__pool_is_crowded(const sq__pool_t *pool) { return sq__shard_is_crowded(sq__shard_own(pool)); }

const char *sq__pool_label(const sq__pool_t *pool) { return pool->label; }

sq_service_t sq__pool_service(const sq__pool_t *pool) { return pool->service; }

unsigned sq__pool_helpers(const sq__pool_t *pool) {
    if (sq__pool_is_stale(pool)) {
        return 0;
    }
    const sq__pool_worker_t *worker = sq__self()->pool_worker;
    bool has_permit = worker != NULL && worker->shard->pool == pool;
    bool is_by_processors = pool->most > pool->base_permits; /* then the caller has one of them */
    return pool->base_permits - (has_permit || is_by_processors);
}

const sq__layout_t sq__pool_layout[] = {
    SQ__LAYOUT_FIELD(sq__pool_t, shards),
    SQ__LAYOUT_FIELD(sq__pool_t, count),
    SQ__LAYOUT_FIELD(sq__pool_t, most),
    SQ__LAYOUT_SIZE(sq__shard_t),
    SQ__LAYOUT_FIELD(sq__shard_t, waiting),
    SQ__LAYOUT_FIELD(sq__shard_t, permits),
    SQ__LAYOUT_FIELD(sq__shard_t, in_use),
    SQ__LAYOUT_FIELD(sq__shard_t, ready),
    SQ__LAYOUT_FIELD(sq__shard_t, slot),
    SQ__LAYOUT_CONSTANT(SQ__SLOT_LEVEL),
    SQ__LAYOUT_FIELD(sq__shard_t, all),
    SQ__LAYOUT_FIELD(sq__shard_t, workers),
    SQ__LAYOUT_FIELD(sq__shard_t, idle_workers),
    SQ__LAYOUT_FIELD(sq__pool_worker_t, next),
    SQ__LAYOUT_FIELD(sq__pool_worker_t, thread_id),
    SQ__LAYOUT_FIELD(sq__pool_worker_t, is_working),
    { .name = "" },
};
