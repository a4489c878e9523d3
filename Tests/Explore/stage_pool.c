/* stage_pool.c: the pool that a scenario's queues are on, and what is true of its threads.
 *
 * Of a pool that neither grows nor is waited in: no more async tasks at a time than it has permits; and with one permit all of
 * them on one thread. */
#include "stage_inside.h"

#include "include/sq_loop.h"
#include "include/sq_pool.h"
#include "platform/event.h"
#include "pool/pool_internal.h"
#include "runner/runner_inline.h"
#include "thread/self.h"

#include <errno.h>

static sq_pool_t *pool;
static bool is_released;
static unsigned running;
static int thread;
unsigned ex_processors = 2;

sq_pool_t *stage_pool_begin(const pool_plan_t *plan) {
    pool = NULL;
    running = 0;
    thread = -1;
    is_released = false;
    ex_processors = plan->permits > 0 ? plan->permits : 2;
    if (plan->kind == POOL_NONE) {
        return NULL;
    }
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = plan->kind == POOL_GROWS ? 0 : plan->permits;
    options.service = plan->kind == POOL_HELPED ? SQ_SERVICE_BACKGROUND : SQ_SERVICE_DEFAULT;
    pool = plan->kind == POOL_MANUAL ? sq_pool_create_manual("pool")
         : plan->kind == POOL_LOOP ? sq_pool_create_loop("pool") : sq_pool_create("pool", &options);
    if (pool == NULL) {
        ex_fail("the explorer itself: no pool");
    }
    return pool;
}

/* One worker at least stays at rest, however many a growth check removes (regression: it counted those that were leaving, and
 * removed others in their place). */
static void check_workers(void) {
    unsigned staying = 0;
    bool has_workers = !sq__runner_is_threadless(sq__runner(pool, SQ__LEVEL_NORMAL));
    for (unsigned i = 0; has_workers && i < pool->count; i += 1) {
        sq__mutex_lock(&pool->shards[i].lock);
        staying += pool->shards[i].workers - pool->shards[i].leaving;
        sq__mutex_unlock(&pool->shards[i].lock);
    }
    if (has_workers && !ex_setting.faults && staying < 1) {
        ex_fail("pool: no worker is left");
    }
}

void stage_release_pool(void) {
    if (pool != NULL && !is_released) {
        is_released = true;
        check_workers();
        EX_TRACE("releases the pool");
        sq_pool_release(pool);
    }
}

sq_pool_t *stage_pool(void) { return pool; }

unsigned stage_warm_tasks(void) { return ex_setting.has_warm_workers && pool == NULL; }

static void do_nothing(void *unused) { (void)unused; }

void stage_warm(sq_queue_t *queue) {
    const bool faults = ex_setting.faults;
    if (stage_warm_tasks() > 0) {
        ex_setting.faults = false;
        ex_warm_begin();
        if (sq_async(queue, do_nothing, NULL) != 0) {
            ex_fail("the explorer itself: a queue that cannot get warm");
        }
        ex_warm_end();
        ex_setting.faults = faults;
    }
}

/* Exactly as many as it may, or all that is ready. */
static size_t run_some(size_t most) {
    size_t ran = sq_pool_run_some(pool, most, SQ_NOW);
    int error = ran == 0 ? errno : 0;
    if (ran > most) {
        ex_fail("loop: it ran %zu tasks, and %zu were allowed", ran, most);
    }
    if (error && error != EAGAIN && !(stage_may_fail && error == ENOMEM) && !(stage_expected->may & ERROR_BIT(error))) {
        ex_fail("error: run_some left %d", error);
    }
    return ran;
}

void stage_pump(void) {
    if (!is_released) {
        sq_pool_retain(pool);
        EX_TRACE("runs the pool");
        if (stage_expected->pool.kind == POOL_LOOP) {
            run_some(3);
        } else {
            sq_pool_run(pool);
        }
        sq_pool_release(pool);
    }
}

void stage_host(unsigned tasks) {
    for (size_t ran = 0; ran < tasks;) {
        EX_TRACE("the host polls");
        (void)sq__event_wait((sq__event_fd_t){ .reads = sq_pool_fd(pool) }, UINT64_MAX);
        ran += run_some(2);
    }
}

void stage_serve(void) {
    EX_TRACE("runs the pool forever");
    int error = sq_pool_run_forever(pool);
    if (error && !(stage_may_fail && error == ENOMEM) && !(stage_expected->may & ERROR_BIT(error))) {
        ex_fail("error: run_forever returned %d", error);
    }
}

void stage_halt(void) {
    EX_TRACE("stops the pool");
    if (sq_pool_stop(pool) != 0) {
        ex_fail("error: stop");
    }
}

void stage_take_over(void) {
    if (stage_expected->pool.kind == POOL_LOOP) {
        run_some(SIZE_MAX);
        if (!sq__runner_is_owned_by(sq__runner(pool, SQ__LEVEL_NORMAL), sq__self()->owner)) {
            ex_fail("loop: its owner has ended, and nobody can take it over");
        }
    }
}

void stage_run_rest(void) {
    stage_take_over();
    if (stage_expected->pool.kind == POOL_MANUAL) {
        stage_pump();
    }
}

static void release_if_made(sq_pool_t *made) {
    if (made == NULL && !ex_setting.faults) {
        ex_fail("pool: cannot be made, though nothing fails");
    }
    sq_pool_release(made);
}

void stage_create(void) {
    const sq_pool_options_t options = { .size = sizeof options, .threads = 1 };
    release_if_made(sq_pool_create("other", &options));
    release_if_made(sq_pool_create_manual("other"));
    release_if_made(sq_pool_create_loop("other"));
}

void stage_pool_enter(const submission_t *one) {
    const pool_plan_t *plan = &stage_expected->pool;
    if (plan->kind == POOL_LOOP && !sq__runner_is_owned_by(sq__runner(pool, SQ__LEVEL_NORMAL), sq__self()->owner)) {
        ex_fail("loop: a task runs on another thread than the owner");
    }
    bool is_async = one->kind <= ASYNC_UNTIL || one->kind == RUN_AND_WAIT;
    if (plan->kind == POOL_GROWS && is_async && pool->permits > pool->most) {
        ex_fail("pool: it has %u permits, more than it may", pool->permits);
    }
    if (plan->kind != POOL_FIXED || !is_async) {
        return;
    }
    running += 1;
    if (running > plan->permits) {
        ex_fail("pool: %u tasks run at a time on %u permits", running, plan->permits);
    }
    if (plan->permits == 1 && thread >= 0 && thread != ex_current) {
        ex_fail("pool: tasks run on two threads of a pool of one");
    }
    thread = ex_current;
}

void stage_pool_leave(const submission_t *one) {
    if (stage_expected->pool.kind == POOL_FIXED && (one->kind <= ASYNC_UNTIL || one->kind == RUN_AND_WAIT)) {
        running -= 1;
    }
}
