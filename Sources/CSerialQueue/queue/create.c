/* create.c: creating a queue. make.c makes it, and target.c gives it a target. */
#include "observe/observe_inline.h"
#include "queue/make.h"
#include "state/state_inline.h"

#include <errno.h>

/* sq_queue_create with a target, which excludes a pool. NULL: errno says why, as sq__queue_make or sq_queue_set_target. */
static __attribute__((noinline)) sq_queue_t *create_on_target(const char *label, const sq_queue_options_t *options) {
    if (options->pool != NULL) {
        errno = EINVAL;
        return NULL;
    }
    sq_queue_options_t serial = *options;
    serial.width = 1;
    sq_queue_t *queue = sq__queue_make(label, &serial);
    int error = queue != NULL ? sq_queue_set_target(queue, options->target) : 0;
    if (error) {
        sq_queue_release(queue);
        errno = error;
        return NULL;
    }
    return queue;
}

/* The same, of any kind, before it is watched. */
static sq_queue_t *create(const char *label, const sq_queue_options_t *options) {
    static const sq_queue_options_t defaults = SQ_QUEUE_OPTIONS_INIT;
    if (options == NULL) {
        return sq__queue_make(label, &defaults);
    }
    if (__builtin_expect(options->size != sizeof *options, 0)) {
        errno = EINVAL;
        return NULL;
    }
    return __builtin_expect(options->target != NULL, 0) ? create_on_target(label, options) : sq__queue_make(label, options);
}

sq_queue_t *sq_queue_create(const char *label, const sq_queue_options_t *options) {
    sq_queue_t *queue = create(label, options);
    sq__watch_new(queue);
    return queue;
}

const char *sq_queue_label(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    return queue->label;
}
