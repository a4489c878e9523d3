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
static uint32_t skipped(const sq_queue_t *queue) {
    uint32_t skipped = sq__load_relaxed(&queue->skipped);
    if (sq__is_concurrent(queue)) {
        const sq__concurrent_t *concurrent = sq__concurrent_of(queue);
        skipped += (uint32_t)sq__load_relaxed(&concurrent->not_run);
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
 * so in a queue that has ended, too, where nothing waits. */
uint64_t sq__depth(const sq_queue_t *queue) {
    if (sq__load_relaxed(&queue->state) & SQ__ENDED) {
        return 0;
    }
    bool has_records = __builtin_expect(sq__load_relaxed(&queue->extras) != NULL, 0);
    uint32_t before = skipped(queue);
    uint64_t waiting = sq__ring_waiting(queue);
    uint32_t joined = has_records ? (uint32_t)sq__shared_joined(queue) : 0;
    uint32_t after = skipped(queue);
    uint32_t withdrawn = has_records ? (uint32_t)sq__tallied(queue, SQ__TALLY_WITHDRAWN) : sq__load_relaxed(&queue->tallies[SQ__TALLY_WITHDRAWN]);
    /* The lower one: a task that is skipped in between, or that leaves a shared slot, is missing then, and not counted twice. */
    uint32_t skipped = (int32_t)(after - before) > 0 ? before : after;
    int64_t depth = (int64_t)waiting + (int32_t)(skipped + joined - withdrawn);
    return depth > 0 ? (uint64_t)depth : 0; /* below 0 for a moment: the counts are read one after the other */
}

uint32_t sq__depth_consumed(const sq_queue_t *queue, uint64_t *waiting) {
    *waiting = sq__depth(queue) > 0 ? sq__ring_waiting(queue) : 0;
    return (uint32_t)sq__depth_ran(queue) + (uint32_t) sq__tallied(queue, SQ__TALLY_DISCARDED) + skipped(queue);
}

/* The slots that are taken, without a look at the rest, tell that most samples are not the highest: the rest is above 0 only with shared slots, of
 * which there is a record. */
void sq__depth_sample(sq_queue_t *queue) {
    uint32_t highest = sq__load_relaxed(&queue->highest);
    if (__builtin_expect(sq__load_relaxed(&queue->extras) == NULL, 1) && sq__ring_waiting(queue) <= highest) {
        return;
    }
    uint64_t depth = sq__depth(queue);
    if (depth > highest) {
        sq__store_relaxed(&queue->highest, depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX);
    }
}
