/* reader.h: the record of a running task of a concurrent queue.
 *
 * DESIGN. The frame (thread/self.h) of an async task of a concurrent queue, and of each task of a watched one, is part of one of
 * these, on the stack of the thread that calls it. It has more than a serial queue's frame, because many tasks run at
 * the same time: the object that the task runs for, so that a wait for that object is known to need this task (wait/deadlock.h); and, if
 * the queue is watched, when the task began. Then it is in the queue's list, whose oldest entry the watching thread looks at. A sync
 * needs neither, and has a plain frame. */
#pragma once

#include "observe/observe_inline.h"

/* T. Called when the calling thread's task, which has such a record, begins a function, or ends it. Only if the queue is watched. The first begin
 * puts the record into the queue's list; the end takes it out, and only after a begin. */
void sq__reader_begin(sq_queue_t *queue, sq_function_t function);
void sq__reader_end(sq_queue_t *queue);
