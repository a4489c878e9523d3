#include "pool/pool.h"

#include "platform/memory.h"
#include "pool/caller_runs.h"
#include "pool/growth.h"
#include "pool/members.h"
#include "pool/parts.h"
#include "pool/pool_internal.h"
#include "pool/pool_visit.h"
#include "thread/process.h"

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

static bool serves(sq__runner_t runner, bool is_turn) { return is_turn && runner & SQ__HELPED && sq__pool_is_of_lower_class(pool_at(runner)); }

static bool run(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs) {
    return runs && sq__pool_caller_run(pool_at(runner), sq__runner_band(runner), caller_run);
}

static bool listen(sq__runner_t runner, sq__caller_run_t *caller_run, bool listens) {
    if (listens) {
        return sq__pool_list_caller(pool_at(runner), caller_run);
    }
    sq__pool_unlist_caller(pool_at(runner), caller_run);
    return false;
}

static void leave(sq__runner_t runner, sq__caller_run_t *caller_run) { sq__pool_end_caller(pool_at(runner), sq__runner_band(runner), caller_run); }

static void retain(sq__runner_t runner) { sq__pool_retain(pool_at(runner)); }

static void release(sq__runner_t runner) { sq__pool_release(pool_at(runner)); }

static const char *label(sq__runner_t runner) { return sq__pool_label(pool_at(runner)); }

static const sq__runner_kind_t kind = {
    .post = post, .withdraw = withdraw, .demand = demand, .serves = serves, .run = run, .listen = listen, .leave = leave,
    .retain = retain, .release = release, .label = label, .visit = sq__pool_visit
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
    pool->helps_end = &pool->helps;
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
