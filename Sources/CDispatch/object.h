/* object.h: the references, the target and the context of each object. */
#ifndef SQ_DISPATCH_OBJECT_INTERNAL_H
#define SQ_DISPATCH_OBJECT_INTERNAL_H

#include "record.h"

/** Adds a reference, unless the queue is NULL. */
void sq__dispatch_keep(dispatch_queue_t queue);

/** Releases a reference, unless the queue is NULL. */
void sq__dispatch_drop(dispatch_queue_t queue);

/** Sets the target under the lock, and returns the one before, which the caller releases after it. */
dispatch_queue_t sq__dispatch_exchange_target(struct dispatch_object_s *object, dispatch_queue_t target);

#endif
