/* specific.c: values of queues. Before a queue is used they are in a list, then they are the core's. */
#include "fail.h"
#include "queue.h"
#include <errno.h>
#include <sq_private.h>
#include <stdlib.h>

/* As the core's retain of the value, called under a lock. */
static void keep(void *context) {
    struct sq__dispatch_specific *specific = context;
    atomic_fetch_add_explicit(&specific->references, 1, memory_order_relaxed);
}

/* Takes the value of a key out of the list. Under the lock. */
static struct sq__dispatch_specific *take(dispatch_queue_t queue, const void *key) {
    for (struct sq__dispatch_specific **each = &queue->specifics; *each != NULL; each = &(*each)->next) {
        if ((*each)->key == key) {
            struct sq__dispatch_specific *found = *each;
            *each = found->next;
            return found;
        }
    }
    return NULL;
}

void dispatch_queue_set_specific(dispatch_queue_t queue, const void *key, void *value, dispatch_function_t destructor) {
    if (key == NULL) {
        return;
    }
    struct sq__dispatch_specific *specific = NULL, *before = NULL;
    if (value != NULL) {
        specific = sq__dispatch_allocate("dispatch_queue_set_specific", sizeof *specific);
        *specific = (struct sq__dispatch_specific){ NULL, 1, key, value, destructor };
    }
    pthread_mutex_lock(&sq__dispatch_lock);
    sq_queue_t *core = atomic_load_explicit(&queue->queue, memory_order_relaxed);
    if (core == NULL) {
        before = take(queue, key);
        if (specific != NULL) {
            specific->next = queue->specifics;
            queue->specifics = specific;
        }
    }
    pthread_mutex_unlock(&sq__dispatch_lock);
    if (core != NULL) {
        sq__dispatch_check("dispatch_queue_set_specific", sq_queue_set_value(core, key, specific, sq__dispatch_end_specific), queue);
    } else if (before != NULL) {
        sq__dispatch_end_specific(before);
    }
}

void *dispatch_queue_get_specific(dispatch_queue_t queue, const void *key) {
    if (key == NULL) {
        return NULL;
    }
    sq_queue_t *core = atomic_load_explicit(&queue->queue, memory_order_acquire);
    void *value = NULL;
    if (core == NULL) {
        pthread_mutex_lock(&sq__dispatch_lock);
        core = atomic_load_explicit(&queue->queue, memory_order_relaxed);
        for (struct sq__dispatch_specific *each = queue->specifics; each != NULL && value == NULL; each = each->next) {
            value = each->key == key ? each->value : NULL;
        }
        pthread_mutex_unlock(&sq__dispatch_lock);
    }
    if (core != NULL) {
        struct sq__dispatch_specific *specific = sq__queue_value(core, key, keep); /* another thread may replace it meanwhile */
        if (specific != NULL) {
            value = specific->value;
            sq__dispatch_drop_specific(specific);
        }
    }
    return value;
}

void *dispatch_get_specific(const void *key) {
    void *value = NULL;
    /* Its tasks hold the targets; those of a queue that is used do not change. */
    for (dispatch_queue_t queue = sq__dispatch_current(); queue != NULL && value == NULL; queue = queue->object.target) {
        value = dispatch_queue_get_specific(queue, key);
    }
    return value;
}
