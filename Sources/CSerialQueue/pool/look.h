/* look.h: the pools of this process, for a dump. */
#ifndef SQ__POOL_LOOK_H
#define SQ__POOL_LOOK_H

#include "pool/pool.h"

/* Called when a pool is complete, and before it is freed. */
void sq__pools_add(sq__pool_t *pool);
void sq__pools_remove(sq__pool_t *pool);

typedef struct sq__pool_view {
    char label[64];
    bool is_manual, is_loop;
    bool is_locked;        /* the look had the pool's lock */
    unsigned members, idle, seats, seated, most;
    unsigned blocked;      /* members with a seat that the system says do not run */
    size_t waiting;        /* entries */
    sq__alarms_t *clock;   /* of a manual pool */
} sq__pool_view_t;

typedef struct sq__pool_visitor {
    uint64_t patience; /* nanoseconds: it waits so long for each lock, and does without it then */
    void (*entry)(void *context, const sq__ready_t *entry, bool is_locked);              /* each ready one, in order; before `pool` */
    void (*pool)(void *context, const sq__pool_t *pool, const sq__pool_view_t *view);
    void *context;
} sq__pool_visitor_t;

/* All pools. An entry is called under its pool's lock (`is_locked`), so what it stands for is there; without the lock, perhaps not.
 * Returns whether it had the lock of the list. */
bool sq__pools_visit(const sq__pool_visitor_t *visitor);

#endif
