/* object.h: the beginning of each object, and what is done with it according to its kind.
 *
 * Letters of fields: I fixed after creation; A atomic; L under sq__dispatch_lock. */
#ifndef SQ_DISPATCH_OBJECT_INTERNAL_H
#define SQ_DISPATCH_OBJECT_INTERNAL_H

#include <dispatch/dispatch.h>
#include <pthread.h>
#include <serial_queue.h>
#include <stdatomic.h>

typedef enum sq__dispatch_kind { SQ__DISPATCH_QUEUE, SQ__DISPATCH_GROUP, SQ__DISPATCH_SEMAPHORE, SQ__DISPATCH_SOURCE } sq__dispatch_kind_t;

struct dispatch_object_s {
    sq__dispatch_kind_t kind;                /* I */
    bool is_permanent;                       /* I: the main queue and the global ones */
    _Atomic long references;                 /* A: the program's */
    void *_Atomic context;                   /* A */
    _Atomic(dispatch_function_t) finalizer;  /* A */
    dispatch_queue_t target;                 /* L: retained; NULL: the default */
};

/* How often a queue or source is suspended, and whether it has begun. */
typedef struct sq__dispatch_activation {
    bool is_inactive;     /* L */
    unsigned suspensions; /* L: not counting that it is inactive */
} sq__dispatch_activation_t;

/** Guards what changes rarely, of all objects. Nothing of the program is called under it. */
extern pthread_mutex_t sq__dispatch_lock;

static inline void sq__dispatch_begin(struct dispatch_object_s *object, sq__dispatch_kind_t kind) {
    object->kind = kind;
    atomic_init(&object->references, 1);
}

/** Has the target call the finalizer with the context, and releases the target. The last thing that is done with an object. */
void sq__dispatch_finalize(struct dispatch_object_s *object);

/** Adds a reference, unless the queue is NULL. */
void sq__dispatch_keep(dispatch_queue_t queue);

/** Releases a reference, unless the queue is NULL. */
void sq__dispatch_drop(dispatch_queue_t queue);

/** Sets the target under the lock, and returns the one before, which the caller releases after it. */
dispatch_queue_t sq__dispatch_exchange_target(struct dispatch_object_s *object, dispatch_queue_t target);

/* What a kind does. The other kinds have no target, except for their finalizer, and cannot be suspended. */
void sq__dispatch_queue_end(dispatch_queue_t queue);
void sq__dispatch_group_end(dispatch_group_t group);
void sq__dispatch_semaphore_end(dispatch_semaphore_t semaphore);
void sq__dispatch_source_end(dispatch_source_t source);
void sq__dispatch_queue_set_target(dispatch_queue_t queue, dispatch_queue_t target);
void sq__dispatch_source_set_target(dispatch_source_t source, dispatch_queue_t target);

/** Returns the core's queue that a queue or source suspends; NULL: there is none yet. Under the lock. */
sq_queue_t *sq__dispatch_source_order(dispatch_source_t source);
/** Called under the lock before a source begins. */
void sq__dispatch_source_begin(dispatch_source_t source);
sq__dispatch_activation_t *sq__dispatch_source_activation(dispatch_source_t source);

#endif
