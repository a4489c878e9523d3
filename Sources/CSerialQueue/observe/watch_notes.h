/* watch_notes.h: what a watched queue runs, and since when.
 *
 * DESIGN. While SQ__WATCHED is set in the queue's control, the baton's holder notes what runs, on which thread and since when, and the watching
 * thread reads that (inspect/watch_thread.c). Many tasks of a concurrent queue run at a time: each has a note of its own (reader.h). */
#pragma once

#include "observe/observe_inline.h"

/* O. Notes that the calling thread begins, or ends, a task. The queue is watched. `site`: see trace/sites.c; in a concurrent queue the frame has
 * it. */
void sq__watch_task_begins(sq_queue_t *queue, sq_function_t function, const void *site);
void sq__watch_task_ends(sq_queue_t *queue);
