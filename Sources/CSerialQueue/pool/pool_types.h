/* pool_types.h: what the calls of a pool take. pool.h has the design. */
#pragma once

#include "alarm/alarm.h"
#include "include/sq_pool.h"
#include "platform/atomic.h"
#include "thread/token.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of an entry ends after this many tasks: then the entry goes to the back of the list. */
#ifndef SQ__BATCH
#define SQ__BATCH 64
#endif
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

/* The last one is that of parallel loops (sq__help_t). */
typedef enum sq__band { SQ__BAND_HIGH, SQ__BAND_NORMAL, SQ__BAND_LOW, SQ__BAND_HELP, SQ__BANDS } sq__band_t;

typedef struct sq__ready {
    struct sq__ready *next; /* under the lock of the part that it is in */
} sq__ready_t;

/* How a run of an entry ended. */
typedef enum sq__ready_end {
    SQ__READY_GONE, /* the entry may have been posted again, or freed */
    SQ__READY_MORE  /* the entry has more to do and was not posted: it goes to the back of the list */
} sq__ready_end_t;

/* Runs at most `batch` tasks of the entry, and adds how many it has run to *ran. */
typedef sq__ready_end_t (*sq__ready_function_t)(sq__ready_t *entry, size_t batch, size_t *ran);

/* An entry of SQ__BAND_HELP: members help the thread that has posted it. It has a call of its own, which posts it again if it wants more members at
 * a time. In no other band, and only in pools that have members. */
typedef struct sq__help {
    sq__ready_t ready;
    sq__ready_end_t (*call)(struct sq__help *help); /* fixed before it is posted */
} sq__help_t;

/* What the parts tell each other; a bit for each part. A atomic. */
typedef struct sq__marks {
    SQ__ATOMIC(uint64_t) state; /* A  below: WAITS; above: FREE */
    SQ__ATOMIC(uint64_t) bands; /* A  parts that wait with an entry of the highest band; above: of the middle one. Hints */
} sq__marks_t;

/* What an exploration of schedules (the testing library) does in place of a manual pool. */
typedef struct sq__explorer {
    /* Runs what is ready and advances the clock to `until`, in an order of its own. Returns how many tasks were run. */
    size_t (*run)(struct sq__explorer *explorer, uint64_t until);
    /* An entry is ready. Called under the pool's lock. */
    void (*posted)(struct sq__explorer *explorer, const sq__ready_t *entry);
} sq__explorer_t;

typedef struct sq__pool_plan {
    sq__ready_function_t call; /* runs an entry that is not a help: sq__run_queue (queue/queue_runner.h) */
    const char *label;
    size_t seats;            /* how many it has before it grows (at rest); 0: a manual pool, or a loop */
    size_t part_seats;       /* how many seats a part has; 0: SQ__PART_SEATS */
    bool is_loop;
    size_t most;             /* how many it may grow to */
    size_t stack_size;
    sq_service_t service;
} sq__pool_plan_t;

/* Of the waiting thread. S under the pool's lists_lock. */
typedef struct sq__caller_run {
    sq__ready_t *entry;
    sq__band_t band;
    sq__token_t *token;
    bool is_given;          /* S while it is listed, else only the waiting thread uses it. True: that thread has the entry */
    struct sq__caller_run *next; /* S */
} sq__caller_run_t;
