/* reserve.h: for tests in which a queue on a pool has no memory for a segment: nothing is left of the reserve (kernel/segment.c). */
#ifndef RESERVE_H
#define RESERVE_H

#include "harness.h"
#include "kernel/segment.h"
#include "sq_pool.h"

static sq__segment_t *reserve_in_use[SQ__RESERVE];

static inline void use_up_reserve(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_manual("reserve");
    sq_queue_t *queue = sq_queue_create("reserve", &options);
    REQUIRE(queue != NULL);
    for (size_t i = 0; i < SQ__RESERVE; i += 1) {
        reserve_in_use[i] = sq__segment_obtain(queue);
        REQUIRE(reserve_in_use[i] != NULL);
    }
    sq_queue_release(queue);
    sq_pool_release(options.pool);
}

static inline void return_reserve(void) {
    for (size_t i = 0; i < SQ__RESERVE; i += 1) {
        sq__segment_free(reserve_in_use[i]);
    }
}

#endif
