/* pool.h: threads that take ready entries from a list.
 *
 * DESIGN. A pool has a list of ready entries (a large one has several: shards.h), and workers (their threads: worker.h) that take them in order. An
 * entry is a node in the object that it stands for, a queue. It is in the list at most once, and is posted again only after it was run.
 *
 * A worker needs one of the pool's permits to run an entry. The thread that posts an entry looks for a free permit. If there is one,
 * the thread takes the permit for an idle worker, or for a new one. A worker keeps its permit as long as it finds entries. So all permits are taken
 * while entries are ready, except one entry: a searcher takes it, or the worker whose task has posted it (search.h). No wake-up is lost, because
 * permits, list and idle workers are under one lock.
 *
 * A worker that is about to sleep in a call of this library, inside an entry, releases its permit, and takes one again when it
 * wakes, free or not: what it waits for may need the permit. Then there may be one worker too many for a moment; the next
 * worker that finishes its entry leaves its permit.
 *
 * A worker that blocks in any other way keeps its permit. So a pool that may grow is checked: while entries have been ready for
 * some milliseconds, an alarm (alarm.h) finds out how many workers are blocked, and adds permits. It removes them when they
 * are no longer needed, and ends workers that were idle for a second.
 *
 * Below the levels of queues is that of parallel loops (sq__help_t). The thread that posts such an entry does the work itself, and waits for no worker. So
 * workers help when they have nothing else to do, or when the bound on its wait says so (runner/ready.c). A loop that wants several workers posts its
 * entry again with each that comes: each call wakes the next worker. A worker stays while nothing else waits; otherwise its run ends soon
 * (objects/apply.c), and the entry goes to the back, as that of a queue does. An entry that no worker has come for is withdrawn. */
#pragma once

#include "include/sq_pool.h"
#include "runner/runner.h"

#include <stdbool.h>
#include <stddef.h>

/* The limit on workers, unless the pool was created with more permits. */
#ifndef SQ__MOST_WORKERS
#define SQ__MOST_WORKERS 64
#endif

typedef struct sq_pool sq__pool_t;

/* An entry of SQ__LEVEL_HELP: workers help the thread that has posted it. It has a call of its own, which posts it again if it wants more workers at
 * a time. In no other level, and only in pools. */
typedef struct sq__help {
    sq__ready_t ready;
    sq__ready_end_t (*call)(struct sq__help *help); /* fixed before it is posted */
} sq__help_t;

typedef struct sq__pool_plan {
    sq__ready_function_t call; /* runs an entry that is not a help: sq__run_queue (queue/queue_runner.c) */
    const char *label;
    size_t permits;            /* how many it has before it grows (at rest) */
    size_t shard_permits;       /* how many permits a shard has; 0: SQ__SHARD_PERMITS */
    size_t most;             /* how many it may grow to */
    size_t stack_size;
    sq_service_t service;
} sq__pool_plan_t;

/* Returns 0 and *pool with one reference and one worker, listed for dumps; or ENOMEM. At least one permit. The label is copied. */
int sq__pool_create(sq__pool_t **pool, const sq__pool_plan_t *plan);

sq__pool_t *sq__pool_retain(sq__pool_t *pool);
void sq__pool_release(sq__pool_t *pool);

/* Makes the entry ready, so that the pool will run it. The entry is not in a list. With no lock of the pool. The pool may be freed on return. */
void sq__pool_post(sq__pool_t *pool, sq__level_t level, sq__ready_t *entry);

/* Removes an entry that was posted with this level; it is the caller's then. False: a thread has taken it; it may have put it back since. With no
 * lock of the pool. */
bool sq__pool_withdraw(sq__pool_t *pool, sq__level_t level, const sq__ready_t *entry);

/* How many workers might help the calling thread: 0 in the child of a fork. */
unsigned sq__pool_helpers(const sq__pool_t *pool);

/* A hint. True: entries are waiting for a worker. */
bool sq__pool_is_crowded(const sq__pool_t *pool);

/* The label that it was created with. */
const char *sq__pool_label(const sq__pool_t *pool);

/* A pool, its shards and its workers. */
extern const sq__layout_t sq__pool_layout[];

/* The class of its threads. */
sq_service_t sq__pool_service(const sq__pool_t *pool);
