/* queue.h: a queue of libdispatch's kind, and the core's queue behind it.
 *
 * The core's queue is made at the first use: until then the target can be set. It holds the object as a value, whose release is the object's
 * end: so the object lives as long as its tasks, and the target as long as the object. */
#ifndef SQ_DISPATCH_QUEUE_INTERNAL_H
#define SQ_DISPATCH_QUEUE_INTERNAL_H

#include "object.h"

typedef enum sq__dispatch_role { SQ__DISPATCH_CREATED, SQ__DISPATCH_GLOBAL, SQ__DISPATCH_MAIN } sq__dispatch_role_t;

struct sq__dispatch_specific;

struct dispatch_queue_s {
    struct dispatch_object_s object;
    _Atomic(sq_queue_t *) queue;             /* A: NULL until it is used */
    sq__dispatch_role_t role;                /* I */
    const char *label;                       /* I */
    dispatch_qos_class_t qos_class;          /* I */
    int relative_priority;                   /* I */
    bool is_concurrent;                      /* I */
    sq__dispatch_activation_t activation;    /* L */
    struct sq__dispatch_specific *specifics; /* L: values that the core's queue gets when it is made */
};

/** Under this key a queue of the core has its dispatch_queue_t; the order of a source has that of its target. */
extern const char sq__dispatch_key;

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

/** Before each wait that a cycle can run through: the main thread owns the main queue from then on, so that the core sees its waits. */
void sq__dispatch_will_wait(void);

/** Returns the core's queue for a call that waits. */
static inline sq_queue_t *sq__dispatch_core_for_sync(dispatch_queue_t queue) {
    sq__dispatch_will_wait();
    return sq__dispatch_core(queue);
}

/** Returns whether barriers on it run alone. */
static inline bool sq__dispatch_has_barriers(dispatch_queue_t queue, sq_queue_t *core) {
    return queue->is_concurrent && queue->role == SQ__DISPATCH_CREATED && sq_queue_width(core) > 1;
}

/** Returns the label; "" if there is none. */
const char *sq__dispatch_label(dispatch_queue_t queue);
/** Returns the default global queue. */
dispatch_queue_t sq__dispatch_default_queue(void);
/** Returns the queue of the innermost task, or the main queue on the main thread; NULL: neither. */
dispatch_queue_t sq__dispatch_current(void);
/** Returns whether this is the main thread. */
bool sq__dispatch_is_main_thread(void);
/** Returns the pool that the main queue runs on. Under the lock. */
sq_pool_t *sq__dispatch_main_pool(void);
/** Returns the shared pool of a class. */
sq_pool_t *sq__dispatch_pool(dispatch_qos_class_t qos_class);

/** Gives the core's new queue the values that were set before. Under the lock. */
void sq__dispatch_move_specifics(dispatch_queue_t queue, sq_queue_t *core);
/** Releases the values of a queue that was never used. */
void sq__dispatch_end_specifics(dispatch_queue_t queue);

#endif
