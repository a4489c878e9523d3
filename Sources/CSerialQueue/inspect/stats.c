#include "include/sq_stats.h"

#include "inspect/stats.h"

#include "inspect/watch_thread.h"
#include "kernel/handle.h"
#include "kernel/ring.h"

#include <errno.h>
#include <string.h>

static uint64_t places_now(const sq_queue_t *queue) {
    return sq__ring_depth(queue) + (sq__load_relaxed(&queue->handoff_kind) != SQ__EMPTY);
}

/* A thread that gave up waits until it has counted itself, even if its place was passed before. */
uint64_t sq__stats_depth(const sq_queue_t *queue) {
    const sq__cold_t *cold = sq__load_acquire(&queue->cold); /* [watch] acquire: the note as it was made */
    uint64_t joined = cold != NULL ? sq__load_relaxed(&cold->joined) : 0;
    uint64_t entered = places_now(queue) + joined + sq__load_relaxed(&queue->skipped);
    uint64_t withdrawn = sq__load_relaxed(&queue->withdrawn);
    return entered > withdrawn ? entered - withdrawn : 0;
}

uint64_t sq__stats_passed(const sq_queue_t *queue, uint64_t *waiting) {
    *waiting = sq__stats_depth(queue) > 0 ? places_now(queue) : 0;
    return sq__load_relaxed(&queue->ran) + sq__load_relaxed(&queue->discarded) + sq__load_relaxed(&queue->skipped);
}

void sq__stats_sample_depth(sq_queue_t *queue) {
    uint64_t depth = sq__stats_depth(queue);
    if (depth > sq__load_relaxed(&queue->highest)) {
        sq__store_relaxed(&queue->highest, depth);
    }
}

size_t sq_queue_depth(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    return (size_t)sq__stats_depth(queue);
}

/* Every version of the struct ends after one of its counts, and all versions begin alike. */
static bool is_size_of_a_version(size_t size) {
    size_t first = offsetof(sq_queue_stats_t, submitted);
    return size > first && size <= sizeof(sq_queue_stats_t) && (size - first) % sizeof(uint64_t) == 0;
}

int sq_queue_stats(const sq_queue_t *queue, sq_queue_stats_t *stats) {
    SQ__CHECK_HANDLE(queue);
    if (!is_size_of_a_version(stats->size)) {
        return EINVAL;
    }
    sq_queue_stats_t now = {
        .size = stats->size,
        .ran = sq__load_relaxed(&queue->ran),
        .discarded = sq__load_relaxed(&queue->discarded),
        .withdrawn = sq__load_relaxed(&queue->withdrawn),
        .rejected = sq__load_relaxed(&queue->rejected),
        .depth = sq__stats_depth(queue),
        .highest_depth = sq__load_relaxed(&queue->highest),
    };
    if (now.highest_depth < now.depth) {
        now.highest_depth = now.depth; /* the holder has not taken its sample yet */
    }
    now.submitted = now.ran + now.discarded + now.withdrawn + now.depth;
    memcpy(stats, &now, stats->size);
    return 0;
}
