/* record.h: the fields of objects and queues, and what each kind of object does.
 *
 * Letters of fields: I fixed after creation; A atomic; L under sq__dispatch_lock. */
#ifndef SQ_DISPATCH_RECORD_H
#define SQ_DISPATCH_RECORD_H

#include <dispatch/dispatch.h>
#include <pthread.h>
#include <serial_queue.h>
#include <stdatomic.h>

/* How often a queue or source is suspended, and whether it has begun. */
typedef struct sq__dispatch_activation {
    bool is_inactive;     /* L */
    unsigned suspensions; /* L: not counting that it is inactive */
} sq__dispatch_activation_t;

/* What a kind of object does. The objects are those of the kind, which begin with a dispatch_object_s. */
typedef struct sq__dispatch_kind {
    const char *name; /* in messages */
    /* After the last release. */
    void (*end)(void *object);
    /* NULL: the target is only for the finalizer. */
    void (*set_target)(void *object, dispatch_queue_t target);
    /* NULL: it cannot be suspended; nor are there the next three then. */
    sq__dispatch_activation_t *(*activation)(void *object);
    /* L. What the core has of it; NULL: nothing yet, and then its creation suspends it as often as the counts say. */
    sq_queue_t *(*core)(void *object);
    /* L. Before an inactive one begins; NULL: nothing is to be done. */
    void (*begin)(void *object);
    /* In messages: a source has that of its queue. */
    const char *(*label)(void *object);
} sq__dispatch_kind_t;

struct dispatch_object_s {
    const sq__dispatch_kind_t *kind;         /* I */
    bool is_permanent;                       /* I: the main queue and the global ones */
    _Atomic long references;                 /* A: the program's */
    void *_Atomic context;                   /* A */
    _Atomic(dispatch_function_t) finalizer;  /* A */
    dispatch_queue_t target;                 /* L: retained; NULL: the default */
};

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

/** Guards what changes rarely, of all objects. Nothing of the program is called under it. */
extern pthread_mutex_t sq__dispatch_lock;

/** Returns the label; "" if there is none. */
static inline const char *sq__dispatch_label(dispatch_queue_t queue) { return queue != NULL && queue->label != NULL ? queue->label : ""; }

static inline void sq__dispatch_begin(struct dispatch_object_s *object, const sq__dispatch_kind_t *kind) {
    object->kind = kind;
    atomic_init(&object->references, 1);
}

#endif
