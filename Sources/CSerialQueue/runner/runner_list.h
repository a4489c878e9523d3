/* runner_list.h: the pools of this process, of all kinds, for a dump. */
#pragma once

#include "platform/mutex.h"
#include "runner/ready.h"
#include "thread/process.h"

/* The first field of what is in the list. */
typedef struct sq__pool_listed {
    sq__runner_object_t runner;    /* fixed */
    struct sq__pool_listed *next;  /* under the lock of the list */
    struct sq__pool_listed **link; /* the same; NULL: it is not in the list */
    uint32_t process;              /* fixed: process.h */
    const char *label;             /* fixed */
} sq__pool_listed_t;

/* True: the pool was created before a fork, and this process is the child. */
static inline bool sq__pool_listed_is_stale(const sq__pool_listed_t *pool) { return pool->process != sq__process(); }

/* Called when a pool is complete, and before it is freed. */
void sq__pools_add(sq__pool_listed_t *pool);
void sq__pools_remove(sq__pool_listed_t *pool);

typedef struct sq__pool_view {
    char label[64];
    bool is_loop;
    bool lacks_owner;      /* it is a loop, its lock was held, and no thread runs it */
    bool is_locked;        /* the pool's lock was held while its fields were read */
    unsigned members, idle, seats, seated, most;
    unsigned blocked;      /* members with a seat that the system says do not run */
    size_t waiting;        /* entries */
    sq__alarms_t *clock;   /* of a manual pool; of others NULL */
} sq__pool_view_t;

typedef struct sq__pool_visitor {
    sq__patience_t *patience; /* with the locks. Without its lock the fields of a pool are read all the same */
    void (*entry)(void *context, const sq__ready_t *entry, const sq__pool_view_t *pool, bool is_locked); /* each ready one, in order; before `pool` */
    void (*pool)(void *context, const sq__pool_view_t *pool);
    void *context;
} sq__pool_visitor_t;

/* Visits all pools: each kind's `visit`. With `is_locked`, `entry` is called under the pool's lock: the queue that the entry stands for exists. Without
 * the lock it may be freed. Returns false if it did not get the lock of the list: then no pool was visited. */
bool sq__pools_visit(const sq__pool_visitor_t *visitor);

/* `runner`: of something in the list. */
static inline const char *sq__runner_label(sq__runner_t runner) { return ((const sq__pool_listed_t *)sq__runner_object(runner))->label; }

/* For the kinds: calls `entry` for each one of a list, or, without the list's lock, of a copy. */
void sq__pool_visit_ready(const sq__ready_list_t *list, bool is_locked, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view);
