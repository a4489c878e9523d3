/* runner.h: what runs a queue's async tasks, in one word: 0 (nothing yet), a worker of its own, or a pool. */
#ifndef SQ__POOL_RUNNER_H
#define SQ__POOL_RUNNER_H

#include "pool/pool.h"
#include "thread/worker.h"

typedef uintptr_t sq__runner_t;

enum { SQ__POOLED = 1 }; /* set in the address of a pool */

static inline sq__runner_t sq__runner_of_pool(sq__pool_t *pool) { return (uintptr_t)pool | SQ__POOLED; }

/* NULL: it is none. */
static inline sq__pool_t *sq__runner_pool(sq__runner_t runner) {
    return runner & SQ__POOLED ? (sq__pool_t *)(runner - SQ__POOLED) : NULL;
}
static inline sq__worker_t *sq__runner_worker(sq__runner_t runner) {
    return runner & SQ__POOLED ? NULL : (sq__worker_t *)runner;
}

/* Has the runner run the entry's tasks. One post at a time, as for a worker. */
static inline void sq__runner_post(sq__runner_t runner, sq__ready_t *entry) {
    if (__builtin_expect(runner & SQ__POOLED, 0)) {
        sq__pool_post(sq__runner_pool(runner), entry);
    } else {
        sq__worker_post(sq__runner_worker(runner));
    }
}

#endif
