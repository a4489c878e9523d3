/* targeted.h: what a queue has that has a target, or is one; fixing the chain of a queue's targets. target.c has the design, and the kind. This
 * stands below the submissions, which come after the fixing; target.c above them. */
#pragma once

#include "queue/queue.h"
#include "state/state_inline.h"

typedef struct sq__targeted {
    sq__runner_object_t runner;  /* I  the kind; the queue's runner, once its target is fixed */
    size_t pins;                 /* L  how many queues have it as their target */
    sq_queue_t *target;          /* L  until it is fixed: all queues' locks. NULL: it has none */
    sq_queue_t *above;           /* L  while a chain is being fixed: the queue whose target this one is there */
} sq__targeted_t;

static inline sq__targeted_t *sq__targeted(const sq_queue_t *queue) { return sq__extra(queue, SQ__EXTRA_TARGET); }

/* With all queues' locks. The queue's target, whether it is fixed or not; NULL: it has none. */
static inline sq_queue_t *sq__targeted_at(const sq_queue_t *queue) {
    const sq__targeted_t *record = sq__targeted(queue);
    return record != NULL ? record->target : NULL;
}

/* The record as the queue's runner. */
static inline sq__runner_t sq__targeted_runner(sq__targeted_t *record) { return sq__runner(record, SQ__LEVEL_NORMAL); }
