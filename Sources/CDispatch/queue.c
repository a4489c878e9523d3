/* queue.c: creating and ending queues; their targets. */
#include "queue.h"
#include "attribute.h"
#include "fail.h"
#include "object.h"
#include <errno.h>
#include <sq_private.h>
#include <stdlib.h>

static sq_service_t service_of(dispatch_qos_class_t qos_class) {
    return qos_class >= QOS_CLASS_USER_INITIATED                                  ? SQ_SERVICE_INTERACTIVE
           : qos_class >= QOS_CLASS_DEFAULT || qos_class == QOS_CLASS_UNSPECIFIED ? SQ_SERVICE_DEFAULT
           : qos_class >= QOS_CLASS_UTILITY                                       ? SQ_SERVICE_UTILITY
                                                                                  : SQ_SERVICE_BACKGROUND;
}

sq_pool_t *sq__dispatch_pool(dispatch_qos_class_t qos_class) {
    sq_pool_t *pool = sq_pool_shared_of(service_of(qos_class));
    if (pool == NULL) {
        sq__dispatch_fail("dispatch_queue_create", "%s", sq_error_text(errno));
    }
    return pool;
}

/* Has the queue call a function of the program: a finalizer, or the destructor of a value. */
static void call_later(dispatch_queue_t queue, void *context, dispatch_function_t function) {
    sq__dispatch_check("dispatch_async", sq_async(sq__dispatch_core(queue), function, context), queue);
}

/* Values */

void sq__dispatch_drop_specific(struct sq__dispatch_specific *specific) {
    /* Release: our use of it; acquire, if it was the last: everybody's. */
    if (atomic_fetch_sub_explicit(&specific->references, 1, memory_order_acq_rel) == 1) {
        free(specific);
    }
}

void sq__dispatch_end_specific(void *context) {
    struct sq__dispatch_specific *specific = context;
    if (specific->destructor != NULL) {
        call_later(sq__dispatch_default_queue(), specific->value, specific->destructor);
    }
    sq__dispatch_drop_specific(specific);
}

static void move_specifics(dispatch_queue_t queue, sq_queue_t *core) {
    while (queue->specifics != NULL) {
        struct sq__dispatch_specific *specific = queue->specifics;
        queue->specifics = specific->next;
        sq__dispatch_check("dispatch_queue_set_specific", sq_queue_set_value(core, specific->key, specific, sq__dispatch_end_specific), queue);
    }
}

static void end_specifics(dispatch_queue_t queue) {
    while (queue->specifics != NULL) {
        struct sq__dispatch_specific *specific = queue->specifics;
        queue->specifics = specific->next;
        sq__dispatch_end_specific(specific);
    }
}

/* The end, and the target */

void sq__dispatch_finalize(struct dispatch_object_s *object) {
    dispatch_function_t finalizer = atomic_load_explicit(&object->finalizer, memory_order_acquire);
    void *context = atomic_load_explicit(&object->context, memory_order_acquire);
    dispatch_queue_t target = object->target;
    if (finalizer != NULL && context != NULL) {
        call_later(target ? target : sq__dispatch_default_queue(), context, finalizer);
    }
    sq__dispatch_drop(target);
}

/* The last thing that the core's queue does, or the object's end if it was never used. */
static void end(void *object) {
    dispatch_queue_t queue = object;
    sq__dispatch_finalize(&queue->object);
    free((char *)queue->label);
    free(queue);
}

static void end_queue(void *object) {
    dispatch_queue_t queue = object;
    sq_queue_t *core = atomic_load_explicit(&queue->queue, memory_order_acquire);
    if (core != NULL) {
        sq_queue_release(core);
        return;
    }
    end_specifics(queue);
    end(queue);
}

static void set_target(void *object, dispatch_queue_t target) {
    dispatch_queue_t queue = object;
    const char *wrong = NULL;
    dispatch_queue_t before = NULL;
    pthread_mutex_lock(&sq__dispatch_lock);
    for (dispatch_queue_t each = target; each != NULL && wrong == NULL; each = each->object.target) {
        wrong = each == queue ? "would be its own target." : NULL;
    }
    if (wrong == NULL && target != queue->object.target) {
        wrong = atomic_load_explicit(&queue->queue, memory_order_relaxed) != NULL ? "was used: set its target before." : NULL;
        before = wrong == NULL ? sq__dispatch_exchange_target(&queue->object, target) : NULL;
    }
    pthread_mutex_unlock(&sq__dispatch_lock);
    if (wrong != NULL) {
        sq__dispatch_fail("dispatch_set_target_queue", "queue \"%s\" %s", sq__dispatch_label(queue), wrong);
    }
    sq__dispatch_drop(before);
}

static sq__dispatch_activation_t *activation_of(void *object) { return &((dispatch_queue_t)object)->activation; }

static sq_queue_t *core_of(void *object) { return atomic_load_explicit(&((dispatch_queue_t)object)->queue, memory_order_relaxed); }

static const char *label_of(void *object) { return sq__dispatch_label(object); }

static const sq__dispatch_kind_t kind = {
    .name = "queue", .end = end_queue, .set_target = set_target, .activation = activation_of, .core = core_of, .label = label_of
};

/* Its use */

sq_queue_t *sq__dispatch_use_locked(dispatch_queue_t queue) {
    sq_queue_t *core = atomic_load_explicit(&queue->queue, memory_order_relaxed);
    if (core != NULL) {
        return core;
    }
    dispatch_queue_t target = queue->object.target;
    bool is_ordered = queue->role == SQ__DISPATCH_CREATED && target != NULL && target->role != SQ__DISPATCH_GLOBAL;
    /* As in libdispatch, where only a serial queue without a target gets threads beyond the limit of the global queues. */
    bool has_threads = queue->role == SQ__DISPATCH_CREATED && target == NULL && !queue->is_concurrent;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    if (is_ordered) {
        options.target = sq__dispatch_use_locked(target);
    } else if (queue->role == SQ__DISPATCH_MAIN) {
        options.pool = sq__dispatch_main_pool();
    } else if (!has_threads) {
        options.pool = sq__dispatch_pool(target != NULL ? target->qos_class : queue->qos_class);
        options.width = queue->is_concurrent ? SQ_WIDTH_POOL : 1;
    }
    core = sq_queue_create(queue->label, &options);
    if (core != NULL && has_threads) {
        sq__queue_set_service(core, service_of(queue->qos_class));
    }
    int error = core == NULL ? errno : sq_queue_set_value(core, &sq__dispatch_key, queue, queue->role == SQ__DISPATCH_CREATED ? end : NULL);
    sq__dispatch_check("dispatch_queue_create", error, queue);
    move_specifics(queue, core);
    for (unsigned i = 0; i < queue->activation.suspensions + queue->activation.is_inactive; i += 1) {
        sq_suspend(core);
    }
    /* Release pairs with the acquire in sq__dispatch_core. */
    atomic_store_explicit(&queue->queue, core, memory_order_release);
    return core;
}

sq_queue_t *sq__dispatch_use(dispatch_queue_t queue) {
    pthread_mutex_lock(&sq__dispatch_lock);
    sq_queue_t *core = sq__dispatch_use_locked(queue);
    pthread_mutex_unlock(&sq__dispatch_lock);
    return core;
}

dispatch_queue_t dispatch_queue_create_with_target(const char *label, dispatch_queue_attr_t attribute, dispatch_queue_t target) {
    sq__dispatch_wanted_t wanted = sq__dispatch_wanted(attribute);
    dispatch_queue_t queue = sq__dispatch_allocate("dispatch_queue_create", sizeof *queue);
    sq__dispatch_begin(&queue->object, &kind);
    if (label != NULL) {
        size_t size = strlen(label) + 1;
        queue->label = memcpy(sq__dispatch_allocate("dispatch_queue_create", size), label, size);
    }
    bool is_target_class = wanted.qos_class == QOS_CLASS_UNSPECIFIED && target != NULL && target->role == SQ__DISPATCH_GLOBAL;
    if (target != NULL && target->role == SQ__DISPATCH_GLOBAL && !is_target_class) {
        target = dispatch_get_global_queue((intptr_t)wanted.qos_class, 0); /* as in libdispatch: a class of its own has precedence */
    }
    queue->qos_class = is_target_class ? target->qos_class : wanted.qos_class;
    queue->relative_priority = wanted.relative_priority;
    queue->is_concurrent = wanted.is_concurrent;
    queue->activation.is_inactive = wanted.is_inactive;
    sq__dispatch_exchange_target(&queue->object, target);
    return queue;
}

dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t attribute) {
    return dispatch_queue_create_with_target(label, attribute, NULL);
}

const char *dispatch_queue_get_label(dispatch_queue_t queue) {
    return sq__dispatch_label(queue != NULL ? queue : dispatch_get_current_queue());
}

dispatch_qos_class_t dispatch_queue_get_qos_class(dispatch_queue_t queue, int *relative_priority) {
    if (relative_priority != NULL) {
        *relative_priority = queue->relative_priority;
    }
    return queue->qos_class;
}
