/* semaphore.h: counting semaphores. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_SEMAPHORE_H
#define SQ_DISPATCH_SEMAPHORE_H

#include <dispatch/object.h>

SQ_DISPATCH_BEGIN

/** A counting semaphore. */
DISPATCH_DECL(dispatch_semaphore);

/** Creates a semaphore. NULL: the value is negative. */
dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) SQ_DISPATCH_SYMBOL(dispatch_semaphore_create) DISPATCH_WARN_RESULT;

/**
 * Takes one from the value; while that is 0, waits for a signal. Waiting threads are woken in their order.
 *
 * @return 0; nonzero at the timeout.
 */
intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t timeout) SQ_DISPATCH_SYMBOL(dispatch_semaphore_wait);

/** Wakes the thread that has waited longest, or else adds one to the value. Returns nonzero if it wakes a thread. */
intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore) SQ_DISPATCH_SYMBOL(dispatch_semaphore_signal);

SQ_DISPATCH_END
#endif
