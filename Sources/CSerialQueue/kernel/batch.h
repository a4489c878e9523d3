/* batch.h: how many tasks of one queue a thread runs before it turns to another queue. */
#pragma once

#include "state/queue.h"

/* A batch ends after `tasks` tasks, or earlier if others want the thread: the runner says so (sq__demand_t). Where they share it, the batch ends
 * a millisecond after that was noticed. */
typedef struct sq__batch {
    size_t tasks; /* how many at most */
    size_t look;  /* after so many tasks the next look is due */
    size_t noticed; /* after how many tasks it was noticed that others wait, */
    uint64_t since; /* and when; 0: not yet */
} sq__batch_t;

/* SIZE_MAX never looks: it is the queue's own thread, which has no other queue to turn to. */
static inline sq__batch_t sq__batch(size_t most) {
    return (sq__batch_t){ .tasks = most, .look = most == SIZE_MAX ? SIZE_MAX : 0 };
}

/* The look that is due. True: the batch is over. */
bool sq__batch_look(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks);

/* True: the batch, which has run this many tasks, is over. */
static inline bool sq__batch_is_over(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks) {
    return tasks < batch->look ? tasks >= batch->tasks : sq__batch_look(queue, batch, tasks);
}
