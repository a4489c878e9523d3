/* alone.h: which barriers this thread runs. */
#ifndef SQ_DISPATCH_ALONE_H
#define SQ_DISPATCH_ALONE_H

#include <dispatch/dispatch.h>
#include <serial_queue.h>

/** Calls the function as a barrier of the innermost queue. */
void sq__dispatch_call_alone(dispatch_function_t function, void *context);

/** Whether this thread runs a barrier of the queue. */
bool sq__dispatch_is_alone(const sq_queue_t *core);

#endif
