/* batch.c: when a thread turns from one queue to another. */
#include "kernel/kernel_inline.h"

#include "platform/clock.h"

static const uint64_t longest = 1000000; /* nanoseconds */

/* Others want the thread. True: for so long that the batch is over. Sets the next look: 1, 2, 4, 8, ... tasks after this was noticed. */
static bool is_long(sq__batch_t *batch, size_t tasks) {
    uint64_t now = sq__clock_now();
    if (batch->since == 0) {
        batch->since = now;
        batch->noticed = tasks;
        batch->look = tasks + 1;
    } else {
        batch->look = tasks + (tasks - batch->noticed);
    }
    return now - batch->since >= longest;
}

bool sq__batch_look(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks) {
    bool is_over = tasks >= batch->tasks;
    /* [control] relaxed: a target's suspensions are read after the next task's kind. */
    switch (sq__runner_demand(sq__load_relaxed(&queue->runner))) {
    case SQ__DEMAND_NOW:
        return true;
    case SQ__DEMAND_SHARED:
        return is_long(batch, tasks) || is_over;
    case SQ__DEMAND_NEXT:
        is_over = is_over || tasks > 0; /* the thread that waits may wait for another queue, or be behind others in this one */
        batch->look = tasks + 1;
        return is_over;
    case SQ__DEMAND_NEAR:
        batch->look = tasks + 1;
        return is_over;
    default:
        batch->look = tasks + 4; /* looks are cheap for short tasks */
        return is_over;
    }
}
