/* pool_types.h: what the calls of a pool take. pool.h has the design. */
#pragma once

#include "alarm/alarm.h"
#include "include/sq_pool.h"
#include "platform/atomic.h"
#include "runner/runner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pool with more seats at rest than this has several parts (pool.h), at most SQ__MOST_PARTS. */
#ifndef SQ__PART_SEATS
#define SQ__PART_SEATS 2
#endif
enum { SQ__MOST_PARTS = 32 };
/* The limit on members, unless the pool was created with more seats. */
#ifndef SQ__MOST_MEMBERS
#define SQ__MOST_MEMBERS 64
#endif

typedef struct sq_pool sq__pool_t;
typedef struct sq__part sq__part_t;
typedef struct sq__member sq__member_t;

/* What the parts tell each other; a bit for each part. A atomic. */
typedef struct sq__marks {
    SQ__ATOMIC(uint64_t) state; /* A  below: WAITS; above: FREE */
    SQ__ATOMIC(uint64_t) bands; /* A  parts that wait with an entry of the highest band; above: of the middle one. Hints */
} sq__marks_t;

typedef struct sq__pool_plan {
    sq__ready_function_t call; /* runs an entry: sq__run_queue (queue/queue_runner.h) */
    const char *label;
    size_t seats;            /* how many it has before it grows (at rest) */
    size_t part_seats;       /* how many seats a part has; 0: SQ__PART_SEATS */
    size_t most;             /* how many it may grow to */
    size_t stack_size;
    sq_service_t service;
} sq__pool_plan_t;

/* At the start of a block from sq__memory. S under the pool's lists_lock, F fixed before it is offered. */
typedef struct sq__offer {
    struct sq__offer *next;              /* S */
    struct sq__offer **link;             /* S  the pointer to it; NULL: it is not listed */
    unsigned wanted;                    /* S  how many more members may come */
    unsigned users;                     /* S  the thread that has offered it, and the members that came */
    bool is_over;                       /* S  its thread has taken it back */
    bool (*call)(struct sq__offer *offer); /* F  a member helps; true: there was more to do when it left */
} sq__offer_t;
