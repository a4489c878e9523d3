/* stage_pool.c: the pool that a scenario's queues are on, and what is true of its threads.
 *
 * Of a pool that neither grows nor is waited in: no more async tasks at a time than it has seats; and with one seat all of
 * them on one thread. */
#include "stage_inside.h"

#include "include/sq_pool.h"
#include "pool/pool_internal.h"

static sq_pool_t *pool;
static bool is_let_go;
static unsigned running;
static int thread;
unsigned ex_processors = 2;

sq_pool_t *stage_pool_begin(const pool_plan_t *plan) {
    pool = NULL;
    running = 0;
    thread = -1;
    is_let_go = false;
    if (plan->kind == POOL_NONE) {
        return NULL;
    }
    ex_processors = plan->seats;
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = plan->kind == POOL_GROWS ? 0 : plan->seats;
    pool = plan->kind == POOL_MANUAL ? sq_pool_create_manual("pool") : sq_pool_create("pool", &options);
    if (pool == NULL) {
        ex_fail("the explorer itself: no pool");
    }
    return pool;
}

/* One member at least stays at rest, whatever the overseer takes back (regression: those that were leaving were counted, and
 * the others dismissed for them). */
static void check_members(void) {
    sq__mutex_lock(&pool->lock);
    if (pool->clock == NULL && !ex_setting.faults && pool->members - pool->leaving < 1) {
        ex_fail("pool: no member is left");
    }
    sq__mutex_unlock(&pool->lock);
}

void stage_let_go(void) {
    if (pool != NULL && !is_let_go) {
        is_let_go = true;
        check_members();
        EX_TRACE("releases the pool");
        sq_pool_release(pool);
    }
}

sq_pool_t *stage_pool_retain(void) { return sq_pool_retain(pool); }

void stage_pump(void) {
    if (!is_let_go) {
        sq_pool_retain(pool);
        EX_TRACE("runs the pool");
        sq_pool_run(pool);
        sq_pool_release(pool);
    }
}

static void release_if_made(sq_pool_t *made) {
    if (made == NULL && !ex_setting.faults) {
        ex_fail("pool: cannot be made, though nothing fails");
    }
    sq_pool_release(made);
}

void stage_create(void) {
    const sq_pool_options_t options = { sizeof options, 1, 0 };
    release_if_made(sq_pool_create("other", &options));
    release_if_made(sq_pool_create_manual("other"));
}

void stage_pool_enter(const submission_t *one) {
    const pool_plan_t *plan = &stage_expected->pool;
    bool is_async = one->kind <= ASYNC_UNTIL || one->kind == CALL;
    if (plan->kind != POOL_FIXED || !is_async) {
        return;
    }
    running += 1;
    if (running > plan->seats) {
        ex_fail("pool: %u tasks run at a time on %u seats", running, plan->seats);
    }
    if (plan->seats == 1 && thread >= 0 && thread != ex_current) {
        ex_fail("pool: tasks run on two threads of a pool of one");
    }
    thread = ex_current;
}

void stage_pool_leave(const submission_t *one) {
    if (stage_expected->pool.kind == POOL_FIXED && (one->kind <= ASYNC_UNTIL || one->kind == CALL)) {
        running -= 1;
    }
}
