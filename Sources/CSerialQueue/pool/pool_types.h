/* pool_types.h: what the calls of a pool take. pool.h has the design. */
#ifndef SQ__POOL_POOL_TYPES_H
#define SQ__POOL_POOL_TYPES_H

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
/* The limit on members, unless the pool was created with more seats. */
#ifndef SQ__MOST_MEMBERS
#define SQ__MOST_MEMBERS 64
#endif

typedef struct sq_pool sq__pool_t;
typedef struct sq__member sq__member_t;

typedef enum sq__band { SQ__BAND_HIGH, SQ__BAND_NORMAL, SQ__BAND_LOW, SQ__BANDS } sq__band_t;

typedef struct sq__ready {
    struct sq__ready *next; /* under the pool's lock */
} sq__ready_t;

/* How a run of an entry ended. */
typedef enum sq__ready_end {
    SQ__READY_GONE, /* the entry may have been posted again, or freed */
    SQ__READY_MORE  /* the entry has more to do and was not posted: it goes to the back of the list */
} sq__ready_end_t;

/* Runs at most `batch` tasks of the entry, and adds how many it has run to *ran. */
typedef sq__ready_end_t (*sq__ready_function_t)(sq__ready_t *entry, size_t batch, size_t *ran);

/* What an exploration of schedules (explore/) does in place of a manual pool. */
typedef struct sq__explorer {
    /* Runs what is ready and advances the clock to `until`, in an order of its own. Returns how many tasks were run. */
    size_t (*run)(struct sq__explorer *explorer, uint64_t until);
    /* An entry is ready. Called under the pool's lock. */
    void (*posted)(struct sq__explorer *explorer, const sq__ready_t *entry);
} sq__explorer_t;

typedef struct sq__pool_plan {
    sq__ready_function_t call; /* runs an entry: sq__run_queue (queue/queue_runner.h) */
    const char *label;
    size_t seats;            /* how many it has before it grows (at rest); 0: a manual pool, or a loop */
    bool is_loop;
    size_t most;             /* how many it may grow to */
    size_t stack_size;
    sq_service_t service;
} sq__pool_plan_t;

/* At the start of a block from sq__memory. L under the pool's lock, F fixed before it is offered. */
typedef struct sq__offer {
    struct sq__offer *next;              /* L */
    struct sq__offer **link;             /* L  the pointer to it; NULL: it is not listed */
    unsigned wanted;                    /* L  how many more members may come */
    unsigned users;                     /* L  the thread that has offered it, and the members that came */
    bool is_over;                       /* L  its thread has taken it back */
    bool (*call)(struct sq__offer *offer); /* F  a member helps; true: there was more to do when it left */
} sq__offer_t;

/* Of the waiting thread. L under the pool's lock. */
typedef struct sq__caller_run {
    sq__ready_t *entry;
    sq__band_t band;
    sq__token_t *token;
    bool is_given;          /* L while it is listed, else only the waiting thread uses it. True: that thread has the entry */
    struct sq__caller_run *next; /* L */
} sq__caller_run_t;

#endif
