/* object.c: what queues, groups, semaphores and sources have in common. */
#include "object.h"
#include "attribute.h"
#include "fail.h"

pthread_mutex_t sq__dispatch_lock = PTHREAD_MUTEX_INITIALIZER;

/* Attributes are constants; they have nothing of an object but the address. */
static bool is_counted(struct dispatch_object_s *object) {
    return !sq__dispatch_is_attribute(object) && !object->is_permanent;
}

void dispatch_retain(dispatch_object_t any) {
    struct dispatch_object_s *object = any._do;
    if (is_counted(object) && atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed) <= 0) {
        sq__dispatch_fail("dispatch_retain", "the last reference was released before.");
    }
}

void dispatch_release(dispatch_object_t any) {
    struct dispatch_object_s *object = any._do;
    if (!is_counted(object)) {
        return;
    }
    /* Acquire and release: what other threads did with the object comes before its end. */
    long before = atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel);
    if (before <= 0) {
        sq__dispatch_fail("dispatch_release", "the last reference was released before.");
    }
    if (before == 1) {
        object->kind->end(object);
    }
}

void sq__dispatch_keep(dispatch_queue_t queue) {
    if (queue != NULL) {
        dispatch_retain((dispatch_object_t){ ._dq = queue });
    }
}

void sq__dispatch_drop(dispatch_queue_t queue) {
    if (queue != NULL) {
        dispatch_release((dispatch_object_t){ ._dq = queue });
    }
}

void *dispatch_get_context(dispatch_object_t any) {
    return sq__dispatch_is_attribute(any._do) ? NULL : atomic_load_explicit(&any._do->context, memory_order_acquire);
}

void dispatch_set_context(dispatch_object_t any, void *context) {
    if (is_counted(any._do)) {
        atomic_store_explicit(&any._do->context, context, memory_order_release);
    }
}

void dispatch_set_finalizer_f(dispatch_object_t any, dispatch_function_t finalizer) {
    if (is_counted(any._do)) {
        atomic_store_explicit(&any._do->finalizer, finalizer, memory_order_release);
    }
}

dispatch_queue_t sq__dispatch_exchange_target(struct dispatch_object_s *object, dispatch_queue_t target) {
    dispatch_queue_t before = object->target;
    sq__dispatch_keep(target);
    object->target = target;
    return before;
}

void dispatch_set_target_queue(dispatch_object_t any, dispatch_queue_t target) {
    struct dispatch_object_s *object = any._do;
    if (sq__dispatch_is_attribute(object)) {
        return;
    }
    if (object->kind->set_target != NULL) {
        object->kind->set_target(object, target);
        return;
    }
    pthread_mutex_lock(&sq__dispatch_lock);
    dispatch_queue_t before = sq__dispatch_exchange_target(object, target);
    pthread_mutex_unlock(&sq__dispatch_lock);
    sq__dispatch_drop(before);
}

/* What dispatch_suspend and its like work on; NULL: the object cannot be suspended. */
static sq__dispatch_activation_t *activation_of(struct dispatch_object_s *object) {
    return is_counted(object) && object->kind->activation != NULL ? object->kind->activation(object) : NULL;
}

static void begin(struct dispatch_object_s *object, sq__dispatch_activation_t *activation) {
    if (object->kind->begin != NULL) {
        object->kind->begin(object);
    }
    activation->is_inactive = false;
    sq_queue_t *core = object->kind->core(object);
    if (core != NULL) {
        sq_resume(core);
    }
}

void dispatch_activate(dispatch_object_t any) {
    sq__dispatch_activation_t *activation = activation_of(any._do);
    if (activation == NULL) {
        return;
    }
    pthread_mutex_lock(&sq__dispatch_lock);
    if (activation->is_inactive) {
        begin(any._do, activation);
    }
    pthread_mutex_unlock(&sq__dispatch_lock);
}

void dispatch_suspend(dispatch_object_t any) {
    sq__dispatch_activation_t *activation = activation_of(any._do);
    if (activation == NULL) {
        return;
    }
    pthread_mutex_lock(&sq__dispatch_lock);
    activation->suspensions += 1;
    sq_queue_t *core = any._do->kind->core(any._do);
    int error = core == NULL ? 0 : sq_suspend(core);
    pthread_mutex_unlock(&sq__dispatch_lock);
    sq__dispatch_check("dispatch_suspend", error, NULL);
}

void dispatch_resume(dispatch_object_t any) {
    sq__dispatch_activation_t *activation = activation_of(any._do);
    if (activation == NULL) {
        return;
    }
    bool is_balanced = true;
    pthread_mutex_lock(&sq__dispatch_lock);
    if (activation->suspensions > 0) {
        activation->suspensions -= 1;
        sq_queue_t *core = any._do->kind->core(any._do);
        if (core != NULL) {
            sq_resume(core);
        }
    } else if (activation->is_inactive) {
        begin(any._do, activation);
    } else {
        is_balanced = false;
    }
    pthread_mutex_unlock(&sq__dispatch_lock);
    if (!is_balanced) {
        sq__dispatch_fail("dispatch_resume", "%s \"%s\" is not suspended.", any._do->kind->name, any._do->kind->label(any._do));
    }
}
