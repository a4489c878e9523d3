/* queue.h: a queue of libdispatch's kind, and the core's queue behind it.
 *
 * The core's queue is made at the first use: until then the target can be set. It holds the object as a value, whose release is the object's
 * end: so the object lives as long as its tasks, and the target as long as the object. */
#ifndef SQ_DISPATCH_QUEUE_INTERNAL_H
#define SQ_DISPATCH_QUEUE_INTERNAL_H

#include "global.h"

/** Makes the core's queue. */
sq_queue_t *sq__dispatch_use(dispatch_queue_t queue);
/** The same, under the lock; returns it also if it is there. */
sq_queue_t *sq__dispatch_use_locked(dispatch_queue_t queue);

/** Returns the core's queue. */
static inline sq_queue_t *sq__dispatch_core(dispatch_queue_t queue) {
    /* Acquire pairs with the release in sq__dispatch_use_locked: the queue is complete. */
    sq_queue_t *core = atomic_load_explicit(&queue->queue, memory_order_acquire);
    return __builtin_expect(core != NULL, 1) ? core : sq__dispatch_use(queue);
}

/** Returns the core's queue for a call that waits. */
static inline sq_queue_t *sq__dispatch_core_for_sync(dispatch_queue_t queue) {
    sq__dispatch_will_wait();
    return sq__dispatch_core(queue);
}

/** Returns whether barriers on it run alone. */
static inline bool sq__dispatch_has_barriers(dispatch_queue_t queue, sq_queue_t *core) {
    return queue->is_concurrent && queue->role == SQ__DISPATCH_CREATED && sq_queue_width(core) > 1;
}

/** Returns the shared pool of a class. */
sq_pool_t *sq__dispatch_pool(dispatch_qos_class_t qos_class);

/* A value of dispatch_queue_set_specific, and the program's function for it. */
struct sq__dispatch_specific {
    struct sq__dispatch_specific *next; /* L: in the list of a queue */
    _Atomic unsigned references;        /* A: the queue's, and those of threads that read it */
    const void *key;
    void *value;
    dispatch_function_t destructor;
};

/** Releases a thread's use of it. */
void sq__dispatch_drop_specific(struct sq__dispatch_specific *specific);
/** As the core's release of the value, which must call back at once: the program's function runs on a queue of its own. */
void sq__dispatch_end_specific(void *specific);

/** Has the target call the finalizer with the context, and releases the target. The last thing that is done with an object. */
void sq__dispatch_finalize(struct dispatch_object_s *object);

#endif
