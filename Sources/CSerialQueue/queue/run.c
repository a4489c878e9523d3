#include "queue/run.h"

#include "queue/stats.h"

/* The holder samples the depth before it takes a task. Looking at the state word before every task would take its cache line
 * from the submitters: with a long backlog every sixteenth has to do. */
static bool is_time_to_sample(unsigned tasks) { return tasks < 16 || tasks % 16 == 0; }

bool sq__run_tasks(void *argument) {
    sq_queue_t *queue = argument;
    sq__self_t *self = sq__self();
    sq__frame_t frame = { .owner = queue, .parent = self->frame };
    sq__next_t next;
    self->frame = &frame; /* once for all tasks: they all are this queue's */
    for (unsigned tasks = 0; (next = sq__owner_next(queue, true)) == SQ__NEXT_TASK; tasks += 1) {
        if (is_time_to_sample(tasks)) {
            sq__stats_sample_depth(queue);
        }
        sq_task_t task = sq__owner_take(queue);
        sq__count(&queue->ran, 1);
        task.run(task.context);
    }
    self->frame = frame.parent;
    if (next == SQ__NEXT_END) {
        sq__queue_dispose(queue);
        return false;
    }
    return true;
}
