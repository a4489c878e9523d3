/* runner_word.h: what runs a queue's async tasks, in one word: 0 (nothing yet), the threads of the cache, a pool, or a
 * target: a queue on which it runs its tasks (queue/target.c). */
#pragma once

#include "pool/pool.h"
#include "thread/cache.h"

typedef uintptr_t sq__runner_t;

/* The low bits of a pool's address: SQ__POOLED is set, and above it is the band of the entry (pool.h). */
enum { SQ__POOLED = 1, SQ__BAND_SHIFT = 1, SQ__POOL_BITS = 7 };
/* The low bits of a target's address. */
enum { SQ__TARGETED = 2, SQ__KIND_OF_RUNNER = 3 };

static inline sq__runner_t sq__runner_of_pool(sq__pool_t *pool, sq__band_t band) {
    return (uintptr_t)pool | (uintptr_t)band << SQ__BAND_SHIFT | SQ__POOLED;
}

/* NULL: the runner is not a pool. */
static inline sq__pool_t *sq__runner_pool(sq__runner_t runner) {
    return runner & SQ__POOLED ? (sq__pool_t *)(runner & ~(uintptr_t)SQ__POOL_BITS) : NULL;
}
static inline sq__band_t sq__runner_band(sq__runner_t runner) {
    return (sq__band_t)((runner & SQ__POOL_BITS) >> SQ__BAND_SHIFT);
}
static inline sq__client_t *sq__runner_client(sq__runner_t runner) {
    return runner & SQ__KIND_OF_RUNNER ? NULL : (sq__client_t *)runner;
}
static inline sq__runner_t sq__runner_of_target(struct sq_queue *target) { return (uintptr_t)target | SQ__TARGETED; }
static inline struct sq_queue *sq__runner_target(sq__runner_t runner) {
    return (runner & SQ__KIND_OF_RUNNER) == SQ__TARGETED ? (struct sq_queue *)(runner - SQ__TARGETED) : NULL;
}

/* Makes the runner run the entry's tasks. One post at a time. Not for a target: see sq__targeted_t. */
static inline void sq__runner_post(sq__runner_t runner, sq__ready_t *entry) {
    if (__builtin_expect(runner & SQ__POOLED, 0)) {
        sq__pool_post(sq__runner_pool(runner), sq__runner_band(runner), entry);
    } else {
        sq__cache_post(sq__runner_client(runner));
    }
}
