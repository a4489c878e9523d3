#include "queue/values.h"

#include "platform/memory.h"
#include "platform/unwind.h"
#include "state/state_inline.h"
#include "thread/self.h"

#include <errno.h>

/* L */
typedef struct value {
    struct value *next;
    const void *key;
    void *value;
    sq_function_t release;
} value_t;

/* L */
typedef struct values {
    value_t *first;
} values_t;

/* L. What points to the key's value; or to NULL. */
static value_t **find(values_t *values, const void *key) {
    value_t **link = &values->first;
    while (*link != NULL && (*link)->key != key) {
        link = &(*link)->next;
    }
    return link;
}

/* With no lock held. */
static void end(value_t *value) {
    SQ__NOBODY_UNWINDS_THROUGH;
    if (value != NULL && value->release != NULL) {
        value->release(value->value);
    }
    sq__memory_free(value);
}

/* L. Returns the value that was replaced, which is the caller's to end; NULL: there was none. `made`: NULL if the value is only removed. */
static value_t *replace(values_t *values, const void *key, value_t *made) {
    value_t **link = find(values, key);
    value_t *old = *link;
    if (old != NULL) {
        *link = old->next;
    }
    if (made != NULL) {
        made->next = values->first;
        values->first = made;
    }
    return old;
}

int sq_queue_set_value(sq_queue_t *queue, const void *key, void *value, sq_function_t release) {
    SQ__CHECK_HANDLE(queue);
    if (key == NULL) {
        return EINVAL;
    }
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    value_t *made = NULL, *old = NULL;
    if (value != NULL) {
        made = sq__memory(sizeof *made);
        if (made == NULL) {
            return ENOMEM;
        }
        *made = (value_t){ .key = key, .value = value, .release = release };
    }
    sq__lock(queue);
    values_t *values = made != NULL ? sq__extra_make(queue, SQ__EXTRA_VALUES, sizeof *values) : sq__extra(queue, SQ__EXTRA_VALUES);
    if (values != NULL) {
        old = replace(values, key, made);
    }
    sq__unlock(queue);
    if (values == NULL && made != NULL) {
        sq__memory_free(made);
        return ENOMEM;
    }
    end(old);
    return 0;
}

void *sq__queue_value(const sq_queue_t *queue, const void *key, sq_function_t retain) {
    values_t *values = sq__extra(queue, SQ__EXTRA_VALUES);
    if (values == NULL) {
        return NULL;
    }
    sq__lock(queue);
    const value_t *found = *find(values, key);
    void *value = found != NULL ? found->value : NULL;
    if (value != NULL && retain != NULL) {
        retain(value);
    }
    sq__unlock(queue);
    return value;
}

void *sq__current_value(const void *key, sq_function_t retain) {
    void *value = NULL;
    const sq__frame_t *frame = sq__self_listed()->frame;
    while (frame != NULL && value == NULL) {
        if (frame->owner != NULL) {
            value = sq__queue_value(frame->owner, key, retain);
        }
        frame = frame->begins ? NULL : frame->parent;
    }
    return value;
}

void *sq_queue_value(const sq_queue_t *queue, const void *key) {
    SQ__CHECK_HANDLE(queue);
    return sq__queue_value(queue, key, NULL);
}

void *sq_current_value(const void *key) { return sq__current_value(key, NULL); }

void sq__values_release(sq_queue_t *queue) {
    values_t *values = sq__extra(queue, SQ__EXTRA_VALUES);
    while (values != NULL && values->first != NULL) { /* no other thread has the queue */
        value_t *value = values->first;
        values->first = value->next;
        if (sq__queue_is_stale(queue)) {
            value->release = NULL; /* the value is the parent's */
        }
        end(value);
    }
}
