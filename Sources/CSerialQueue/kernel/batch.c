#include "kernel/batch.h"

#include "platform/clock.h"
#include "pool/caller_runs.h"

static const uint64_t longest = 1000000; /* nanoseconds */

/* Looks are cheap for short tasks: after every fourth task it checks the pool. Once other queues wait, it reads the clock after 1, 2, 4,
 * 8, ... tasks. With SQ__HELPS it looks after each task, without the clock. */
bool sq__batch_look(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks) {
    if (__builtin_expect(sq__load_relaxed(&queue->control) & SQ__HELPS, 0)) {
        batch->look = tasks + 1;
        /* After at least one task: the listed thread may wait for another queue, or be behind others in this one. */
        return tasks >= batch->tasks || (tasks > 0 && sq__pool_has_listed(sq__runner_pool(sq__load_relaxed(&queue->runner))));
    }
    if (!sq__queue_shares_its_thread(queue)) {
        batch->look = tasks + 4;
        return tasks >= batch->tasks;
    }
    uint64_t now = sq__clock_now();
    if (batch->since == 0) {
        batch->since = now;
        batch->noticed = tasks;
        batch->look = tasks + 1;
    } else {
        batch->look = tasks + (tasks - batch->noticed);
    }
    return tasks >= batch->tasks || now - batch->since >= longest;
}
