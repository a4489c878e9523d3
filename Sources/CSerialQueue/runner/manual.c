#include "runner/manual.h"

#include "alarm/alarm.h"
#include "include/sq_private.h"
#include "platform/clock.h"
#include "runner/runner_inline.h"

#include <errno.h>

static sq__manual_t *manual_at(sq__runner_t runner) { return sq__runner_object(runner); }

static void post(sq__runner_t runner, sq__ready_t *entry) {
    sq__hosted_t *hosted = sq__runner_object(runner);
    sq__mutex_lock(&hosted->lock);
    sq__hosted_put(hosted, sq__runner_level(runner), entry, true);
    sq__mutex_unlock(&hosted->lock);
}

/* The order of tasks must not depend on time. Nor does a thread linger: it runs what is ready, and returns. */
static sq__demand_t demand(sq__runner_t runner) {
    (void)runner;
    return SQ__DEMAND_PATIENT;
}

static bool serves(sq__runner_t runner, bool is_turn) {
    (void)runner;
    (void)is_turn;
    return true;
}

static sq__alarms_t *clock_of(sq__runner_t runner) { return manual_at(runner)->clock; }

static void release(sq__runner_t runner) {
    sq__manual_t *manual = manual_at(runner);
    if (sq__hosted_is_last_release(&manual->hosted)) {
        sq__alarms_destroy(manual->clock);
        sq__hosted_free(&manual->hosted);
    }
}

/* Runs what is ready, a batch of tasks each, until nothing is, or this is the child of a fork. Returns how many tasks. The caller has a reference. */
static size_t run_ready(sq__hosted_t *hosted) {
    size_t ran = 0;
    sq__ready_t *entry;
    sq__level_t level;
    while (!sq__hosted_is_stale(hosted) && (entry = sq__hosted_take(hosted, NULL, &level)) != NULL) {
        (void)sq__hosted_call(hosted, level, entry, SQ__BATCH, &ran);
    }
    return ran;
}

/* The same, and between them calls each alarm that is due by `until`. The clock is at `until` then, except in the child of a fork. */
static size_t advance(sq__runner_t runner, uint64_t until) {
    sq__manual_t *manual = manual_at(runner);
    size_t ran = run_ready(&manual->hosted);
    while (!sq__hosted_is_stale(&manual->hosted) && sq__alarms_advance(manual->clock, until)) {
        ran += run_ready(&manual->hosted);
    }
    return ran;
}

const sq__runner_kind_t sq__manual_kind = {
    .is_threadless = true, .post = post, .demand = demand, .serves = serves, .run = sq__hosted_run, .clock = clock_of, .advance = advance,
    .retain = sq__hosted_retain, .release = release, .visit = sq__hosted_visit
};

int sq__manual_create_kind(sq_pool_t **handle, size_t bytes, const sq__runner_kind_t *kind, const char *label, sq__ready_function_t call) {
    sq__manual_t *manual = sq__hosted_create(bytes, kind, label, call);
    if (manual == NULL) {
        return ENOMEM;
    }
    manual->clock = sq__alarms_create();
    if (manual->clock == NULL) {
        sq__hosted_free(&manual->hosted);
        return ENOMEM;
    }
    sq__pools_add(&manual->hosted.listed);
    *handle = (sq_pool_t *)manual;
    return 0;
}

int sq__manual_create(sq_pool_t **handle, const char *label, sq__ready_function_t call) {
    return sq__manual_create_kind(handle, sizeof(sq__manual_t), &sq__manual_kind, label, call);
}

/* The public calls, on a pool of any kind */

sq__alarms_t *sq__pool_clock(const sq_pool_t *pool) { return sq__runner_clock(sq__runner(pool, SQ__LEVEL_NORMAL)); }

size_t sq_pool_advance(sq_pool_t *pool, uint64_t nanoseconds) {
    sq__runner_t runner = sq__runner(pool, SQ__LEVEL_NORMAL);
    sq__alarms_t *clock = sq__runner_clock(runner);
    if (clock == NULL || sq__pool_listed_is_stale((const sq__pool_listed_t *)pool)) {
        return 0;
    }
    sq__runner_retain(runner); /* a task may release the caller's reference */
    size_t ran = sq__runner_kind(runner)->advance(runner, sq__time_after(sq__alarms_now(clock), nanoseconds));
    sq__runner_release(runner);
    return ran;
}

/* With what is due now. */
size_t sq_pool_run(sq_pool_t *pool) { return sq_pool_advance(pool, 0); }

/* With a reference that no task releases. */
bool sq__pool_step(sq_pool_t *pool, bool moves_clock) {
    sq__manual_t *manual = (sq__manual_t *)pool;
    sq__level_t level;
    size_t ran = 0;
    sq__ready_t *entry = sq__hosted_is_stale(&manual->hosted) ? NULL : sq__hosted_take(&manual->hosted, NULL, &level);
    if (entry != NULL) {
        (void)sq__hosted_call(&manual->hosted, level, entry, SQ__BATCH, &ran);
        return true;
    }
    uint64_t now = sq__alarms_now(manual->clock), due = sq__alarms_next(manual->clock);
    return due != SQ__NEVER && (moves_clock || due <= now) && sq__alarms_advance(manual->clock, due);
}
