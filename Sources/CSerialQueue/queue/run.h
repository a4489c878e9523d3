/* run.h: calling a task. */
#ifndef SQ__QUEUE_RUN_H
#define SQ__QUEUE_RUN_H

#include "platform/unwind.h"
#include "queue/queue.h"
#include "queue/watch.h"
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

/* O. The same for a task whose turn has come, which a watcher may want to know of. */
static inline void sq__run_turn(sq_queue_t *queue, sq_function_t function, void *context) {
    if (__builtin_expect(!(sq__load_acquire(&queue->control) & SQ__WATCHED), 1)) { /* [watch] acquire: the note */
        sq__run(queue, function, context);
        return;
    }
    sq__watch_begin(queue, function);
    sq__run(queue, function, context);
    sq__watch_end(queue);
}

/* The runner's part, a worker function: runs tasks and calls as long as it has the baton. */
bool sq__run_tasks(void *queue);

#endif
