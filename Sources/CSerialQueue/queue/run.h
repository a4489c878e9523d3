/* run.h: calling a task. */
#ifndef SQ__QUEUE_RUN_H
#define SQ__QUEUE_RUN_H

#include "platform/unwind.h"
#include "queue/queue.h"
#include "thread/self.h"

/* O. Calls `function(context)` as a task of the queue: it is the current queue meanwhile. Counting is the caller's. */
static inline void sq__run(sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self();
    sq__frame_t frame = { .owner = queue, .parent = self->frame };
    self->frame = &frame;
    function(context);
    self->frame = frame.parent;
}

/* The runner's part, a worker function: runs tasks and calls as long as it has the baton. */
bool sq__run_tasks(void *queue);

#endif
