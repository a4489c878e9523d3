#include "kernel/depth.h"

#include "kernel/cold.h"
#include "kernel/ring.h"

/* A thread that gave up waits until it has counted itself, even if its slot was passed before. */
uint64_t sq__depth(const sq_queue_t *queue) {
    const sq__cold_t *cold = sq__load_acquire(&queue->cold); /* [watch] acquire: the record as it was made */
    uint64_t joined = cold != NULL ? sq__load_relaxed(&cold->joined) : 0;
    uint64_t entered = sq__ring_waiting(queue) + joined + sq__load_relaxed(&queue->skipped);
    uint64_t withdrawn = sq__load_relaxed(&queue->withdrawn);
    return entered > withdrawn ? entered - withdrawn : 0;
}

uint64_t sq__depth_passed(const sq_queue_t *queue, uint64_t *waiting) {
    *waiting = sq__depth(queue) > 0 ? sq__ring_waiting(queue) : 0;
    return sq__load_relaxed(&queue->ran) + sq__load_relaxed(&queue->discarded) + sq__load_relaxed(&queue->skipped);
}

void sq__depth_sample(sq_queue_t *queue) {
    uint64_t depth = sq__depth(queue);
    if (depth > sq__load_relaxed(&queue->highest)) {
        sq__store_relaxed(&queue->highest, depth);
    }
}
