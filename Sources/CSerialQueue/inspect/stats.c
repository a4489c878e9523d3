/* stats.c: the counts of a queue, as a program reads them. */
#include "include/sq_stats.h"

#include "kernel/kernel.h"
#include "state/state.h"

#include <errno.h>
#include <string.h>

size_t sq_queue_depth(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    return (size_t)sq__depth(queue);
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
        .ran = sq__depth_ran(queue),
        .discarded = sq__tallied(queue, SQ__TALLY_DISCARDED),
        .withdrawn = sq__tallied(queue, SQ__TALLY_WITHDRAWN),
        .rejected = sq__tallied(queue, SQ__TALLY_REJECTED),
        .depth = sq__depth(queue),
        .highest_depth = sq__load_relaxed(&queue->highest),
    };
    if (now.highest_depth < now.depth) {
        now.highest_depth = now.depth; /* the holder has not taken its sample yet */
    }
    now.submitted = now.ran + now.discarded + now.withdrawn + now.depth;
    memcpy(stats, &now, stats->size);
    return 0;
}
