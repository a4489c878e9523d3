/* targeted.h: what a queue has that has a target, or is one. target.c has the design. */
#pragma once

#include "state/extras.h"

/* The functions always are those of target.c, which stands above the modules that call them. */
typedef struct sq__targeted {
    void (*post)(sq_queue_t *queue);           /* O  the next task is for the runner: makes the target run it */
    int (*sync)(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);
    int (*aim)(sq_queue_t *queue, sq_queue_t *target); /* sq_queue_set_target */
    void (*unpin)(sq_queue_t *target);         /* of a queue that needs its target no more */
    void (*release)(sq_queue_t *queue);        /* of a queue that is a target */
    size_t pins;                               /* L  how many queues have it as their target */
} sq__targeted_t;

static inline const sq__targeted_t *sq__targeted(const sq_queue_t *queue) { return sq__extra(queue, SQ__EXTRA_TARGET); }
