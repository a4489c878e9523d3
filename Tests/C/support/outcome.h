/* outcome.h: tasks that count the calls of their two functions: one of the two must be called, once. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "harness.h"
#include "latch.h"

#include <stdatomic.h>

typedef struct outcome {
    atomic_size_t ran, discarded;
} outcome_t;

static inline void count_ran(void *context) { ((outcome_t *)context)->ran += 1; }
static inline void count_discarded(void *context) { ((outcome_t *)context)->discarded += 1; }
static inline sq_task_t counted_task(outcome_t *outcome) { return (sq_task_t){ count_ran, outcome, count_discarded }; }

static inline void submit(sq_queue_t *queue, outcome_t *outcome, size_t count) {
    const sq_task_t task = counted_task(outcome);
    for (size_t i = 0; i < count; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &task), 0);
    }
}

#endif
