#include "kernel/batch.h"

#include "platform/clock.h"
#include "pool/caller_runs.h"

static const uint64_t longest = 1000000; /* nanoseconds */

/* True: a queue on which this one runs is suspended, so that no task may start. */
static bool is_held_by_target(const sq_queue_t *queue) {
    while ((queue = sq__queue_target(queue)) != NULL) {
        uint32_t control = sq__load_relaxed(&queue->control); /* [control], as in sq__baton_find: loaded after the next task's kind */
        if ((control & (SQ__HELD_BACK | SQ__DISCARD)) == SQ__HELD_BACK
            && (sq__load_relaxed(&queue->state) & (SQ__SUSPENDED | SQ__ENDED)) == SQ__SUSPENDED) {
            return true;
        }
    }
    return false;
}

/* The batch is one task of the target. It ends before the next one of its own tasks if the target was suspended meanwhile. It also ends once
 * other queues wait for the thread: then each task is one of the last target's, and that one's batch decides. */
static bool look_in_target(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks) {
    batch->look = tasks + 1;
    return tasks >= batch->tasks || is_held_by_target(queue) || (tasks > 0 && sq__queue_shares_its_thread(sq__queue_root(queue)));
}

/* Looks are cheap for short tasks: after every fourth task it checks the pool. Once other queues wait, it reads the clock after 1, 2, 4,
 * 8, ... tasks. With SQ__HELPS it looks after each task, without the clock. */
bool sq__batch_look(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks) {
    uint32_t control = sq__load_relaxed(&queue->control);
    if (__builtin_expect(control & (SQ__HELPS | SQ__ON_TARGET), 0)) {
        if (control & SQ__ON_TARGET) {
            return look_in_target(queue, batch, tasks);
        }
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
