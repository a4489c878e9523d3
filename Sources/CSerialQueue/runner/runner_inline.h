/* runner_inline.h: a runner's word, and the calls of what stands in the table of its kind. */
#pragma once

#include "platform/atomic.h"
#include "runner/runner.h"
#include "thread/process.h"

static inline sq__runner_t sq__runner(const void *object, sq__level_t level) { return (uintptr_t)object | (level + 1u); }
static inline sq__level_t sq__runner_level(sq__runner_t runner) { return (sq__level_t)((runner & SQ__RUNNER_LEVEL) - 1u); }
static inline void *sq__runner_object(sq__runner_t runner) { return (void *)(runner & ~(uintptr_t)SQ__RUNNER_BITS); }

/* False: it is 0, or a client of the cache. */
static inline bool sq__runner_is_object(sq__runner_t runner) { return runner & SQ__RUNNER_LEVEL; }
static inline sq__client_t *sq__runner_client(sq__runner_t runner) { return sq__runner_is_object(runner) ? NULL : (sq__client_t *)runner; }
static inline const sq__runner_kind_t *sq__runner_kind(sq__runner_t runner) { return ((const sq__runner_object_t *)sq__runner_object(runner))->kind; }

/* The table's function, or NULL: it has none, or the runner is no object. */
#define SQ__RUNNER_HAS(runner, function) (sq__runner_is_object(runner) ? sq__runner_kind(runner)->function : NULL)

static inline void sq__runner_post(sq__runner_t runner, sq__ready_t *entry) {
    if (__builtin_expect(sq__runner_is_object(runner), 0)) {
        sq__runner_kind(runner)->post(runner, entry);
    } else {
        sq__cache_post((sq__client_t *)runner);
    }
}

static inline sq__demand_t sq__runner_demand(sq__runner_t runner) {
    return sq__runner_is_object(runner) ? sq__runner_kind(runner)->demand(runner) : SQ__DEMAND_NONE;
}

/* Another thread owns it: only that one runs what it has. */
static inline bool sq__runner_is_owned(sq__runner_t runner) { return SQ__RUNNER_HAS(runner, owned_by) != NULL; }
static inline bool sq__runner_is_owned_by(sq__runner_t runner, const sq__owner_t *owner) {
    return sq__runner_is_owned(runner) && sq__runner_kind(runner)->owned_by(runner, owner);
}

static inline bool sq__runner_is_threadless(sq__runner_t runner) { return sq__runner_is_object(runner) && sq__runner_kind(runner)->is_threadless; }

static inline sq__alarms_t *sq__runner_clock(sq__runner_t runner) {
    return SQ__RUNNER_HAS(runner, clock) != NULL ? sq__runner_kind(runner)->clock(runner) : NULL;
}

static inline struct sq_queue *sq__runner_target(sq__runner_t runner) {
    return SQ__RUNNER_HAS(runner, target) != NULL ? sq__runner_kind(runner)->target(runner) : NULL;
}

/* By a thread that waits for a task on this runner (0: none), behind this entry: runs one task of what is ready there and has to come first, or not `runs`:
 * only looks. That is the entry, or, where no thread owns the runner, any one. False: nothing is ready, or the thread may not. */
static inline bool sq__runner_run_before(sq__runner_t runner, sq__ready_t *entry, bool runs) {
    bool is_owned = sq__runner_is_owned(runner);
    return SQ__RUNNER_HAS(runner, serves) != NULL && sq__runner_kind(runner)->serves(runner, false)
        && sq__runner_kind(runner)->run(runner, &(sq__caller_run_t){ .entry = is_owned ? entry : NULL }, runs);
}

/* 0 is ignored. */
static inline sq__runner_t sq__runner_retain(sq__runner_t runner) {
    if (SQ__RUNNER_HAS(runner, retain) != NULL) {
        sq__runner_kind(runner)->retain(runner);
    }
    return runner;
}
static inline void sq__runner_release(sq__runner_t runner) {
    if (SQ__RUNNER_HAS(runner, release) != NULL) {
        sq__runner_kind(runner)->release(runner);
    }
}

/* Of something in the list of pools */

/* True: the pool was created before a fork, and this process is the child. */
static inline bool sq__pool_listed_is_stale(const sq__pool_listed_t *pool) { return pool->process != sq__process(); }

static inline const char *sq__runner_label(sq__runner_t runner) { return ((const sq__pool_listed_t *)sq__runner_object(runner))->label; }
