/* global.h: the global queues and the main queue, which always exist; which queue is the current one. */
#ifndef SQ_DISPATCH_GLOBAL_H
#define SQ_DISPATCH_GLOBAL_H

#include "record.h"

/** Under this key a queue of the core has its dispatch_queue_t; the order of a source has that of its target. */
extern const char sq__dispatch_key;

/** Before each wait that a cycle can run through: the main thread owns the main queue from then on, so that the core sees its waits. */
void sq__dispatch_will_wait(void);

/** Returns the default global queue. */
dispatch_queue_t sq__dispatch_default_queue(void);
/** Returns the queue of the innermost task, or the main queue on the main thread; NULL: neither. */
dispatch_queue_t sq__dispatch_current(void);
/** Returns whether this is the main thread. */
bool sq__dispatch_is_main_thread(void);
/** Returns the pool that the main queue runs on. Under the lock. */
sq_pool_t *sq__dispatch_main_pool(void);

#endif
