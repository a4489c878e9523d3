/* trace_hooks.h: what a queue records while a trace is under way.
 *
 * DESIGN. SQ__TRACED in the queue's control says that the queue is to record; the places that record look at it together with other
 * flags, so an untraced queue pays nothing. A queue gets the flag when it is made, or by the first call that finds
 * sq__process_if_quiet changed: any asynchronous submission, and a sync that does not find the queue free. Its record has the
 * queue's number in the trace. The flag outlives the trace; the next task removes it. */
#pragma once

#include "observe/observe_inline.h"

/* Records a START of this function, or of the user's function that it wraps (wrapper.c). `context`: the first word of its context; `is_pair`:
 * that may be the code of a closure. Returns as sq__trace_open. If no trace is under way, removes the flag, and takes the queue's lock for
 * that. */
sq__session_t sq__trace_hook_start(sq_queue_t *queue, unsigned detail, uint64_t where, sq_function_t function, const void *context, bool is_pair);
