#include "kernel/depth.h"

#include "gate/gate_inline.h"
#include "kernel/ring.h"
#include "kernel/shared.h"

uint64_t sq__depth_ran(const sq_queue_t *queue) {
    uint64_t ran = sq__load_relaxed(&queue->ran);
    if (sq__is_concurrent(queue)) {
        const sq__concurrent_t *concurrent = sq__concurrent_of(queue);
        ran += sq__load_relaxed(&concurrent->entered) + sq__gate_entered(sq__load_relaxed(&concurrent->gate));
        ran += sq__stripes_entered(sq__load_acquire(&concurrent->stripes)); /* [striped] acquire: the stripes */
        ran -= sq__load_relaxed(&concurrent->not_run);
    }
    return ran;
}

/* How many consumed slots had work that neither ran nor was discarded; because of shared slots perhaps below 0 (it wraps). */
static uint64_t skipped(const sq_queue_t *queue) {
    uint64_t skipped = sq__load_relaxed(&queue->skipped);
    if (sq__is_concurrent(queue)) {
        const sq__concurrent_t *concurrent = sq__concurrent_of(queue);
        skipped += sq__load_relaxed(&concurrent->not_run);
    }
    return skipped;
}

void sq__depth_not_run(sq_queue_t *queue) {
    if (sq__is_concurrent(queue)) {
        sq__concurrent_t *concurrent = sq__concurrent_of(queue);
        sq__add_relaxed(&concurrent->not_run, 1);
    } else {
        sq__count(&queue->ran, (uint64_t)-1);
        sq__count(&queue->skipped, 1);
    }
}

/* A thread that withdraws is counted as waiting until it has incremented `withdrawn`, even if its slot was consumed before. That may be
 * so in a queue that has ended, too, where nothing waits. `left`: the tasks that were ever queued and have neither begun nor been
 * discarded. */
uint64_t sq__depth(const sq_queue_t *queue) {
    if (sq__load_relaxed(&queue->state) & SQ__ENDED) {
        return 0;
    }
    uint64_t before = skipped(queue);
    uint64_t waiting = sq__ring_waiting(queue) + sq__shared_joined(queue), after = skipped(queue);
    /* The lower one: a task that is skipped in between, or that leaves a shared slot, is missing then, and not counted twice. */
    uint64_t left = (before < after ? before : after) + waiting - sq__load_relaxed(&queue->withdrawn);
    return (int64_t)left > 0 ? left : 0; /* below 0 for a moment: the counts are read one after the other */
}

uint64_t sq__depth_consumed(const sq_queue_t *queue, uint64_t *waiting) {
    *waiting = sq__depth(queue) > 0 ? sq__ring_waiting(queue) : 0;
    return sq__depth_ran(queue) + sq__load_relaxed(&queue->discarded) + skipped(queue);
}

void sq__depth_sample(sq_queue_t *queue) {
    uint64_t depth = sq__depth(queue);
    if (depth > sq__load_relaxed(&queue->highest)) {
        sq__store_relaxed(&queue->highest, depth);
    }
}
