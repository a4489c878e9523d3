/* process.h: the number of this process, and what is done around a fork.
 *
 * DESIGN. The child of a fork has a copy of everything and one thread, the one that forked. What the parent made has threads
 * that do not exist in the child, and locks that no thread there may ever release. So each object remembers the number of
 * the process that made it. The child increments the number, so that its calls on the parent's objects return ESTALE.
 *
 * No other thread may hold one of the library's global locks at the moment of the fork, as the child could never take it.
 * Each module that has such a lock registers it here. A fork takes them all, in lock order, and releases them in both
 * processes. The module also forgets, in the child, what belongs to the parent's threads. */
#pragma once

#include "platform/atomic.h"
#include "thread/locks.h"

#include <stdbool.h>
#include <stdint.h>

/* The lock order: a thread that holds one of these locks takes only later ones. After all of these come, in this
 * order: a shard's lock, the lock of a pool's lists, the alarms' lock, a token's lock. A thread holds at most one shard's lock. It takes the lock of a
 * queue's capacity only while it holds no other lock. User code never runs under a lock. */
typedef enum sq__lock_rank {
    SQ__RANK_TRACING, /* the beginning and end of a trace */
    SQ__RANK_SHARED_POOL,
    SQ__RANK_POOLS,   /* the list of pools */
    SQ__RANK_WATCH_ALL, /* the watcher of new queues */
    SQ__RANK_QUEUES,  /* state/queue_lock.c */
    SQ__RANK_SUSPENDED, /* the lists of suspended queues */
    SQ__RANK_MEASURED_TURN, /* who is the next to take the following lock */
    SQ__RANK_MEASURED, /* the queues with histograms, by label */
    SQ__RANK_ENDERS,  /* the threads that wait for the end of a queue */
    SQ__RANK_WATCH,   /* the watching thread */
    SQ__RANK_WAITS,   /* wait/deadlock.h */
    SQ__RANK_REPORT,  /* the last report of a deadlock */
    SQ__RANK_OBJECTS, /* semaphores, groups and onces */
    SQ__RANK_READERS, /* the watched tasks of concurrent queues */
    SQ__RANK_ALARMS,
    SQ__RANK_CACHE,   /* thread/cache.h */
    SQ__RANK_TOKENS,
    SQ__RANK_SELF,    /* the list of threads */
    SQ__RANK_HANDLES, /* freed queues, in debug builds */
    SQ__RANK_OWNERS,  /* what the owners of loops sleep on; taken also under the lock of a pool */
    SQ__RANK_TRACE,   /* what a trace has recorded; taken also under the lock of a pool */
    SQ__RANK_CODE,    /* the dynamic linker, as a trace's reader uses it (platform/program.h) */
    SQ__RANK_DUMP,    /* the thread that writes dumps: no lock */
    SQ__RANKS
} sq__lock_rank_t;

extern SQ__ATOMIC(uint32_t) sq__fork_process;

/* The number of this process; while a trace is recorded, a number that no queue has. One comparison with it finds out whether
 * a queue is from before a fork or is to be traced. */
extern SQ__ATOMIC(uint32_t) sq__process_if_quiet;

/* Sets sq__process_if_quiet. True: to the number of this process. False: to a number that no queue has. */
void sq__process_be_quiet(bool is_quiet);

/* The number of this process. */
static inline uint32_t sq__process(void) { return sq__load_relaxed(&sq__fork_process); }

/* What a module registers: its lock or its locks, and a function that is called in the child, with this and all earlier locks held. */
typedef struct sq__fork_lock {
    sq__mutex_t *lock;
    sq__locks_t *locks;
    void (*in_child)(void);
} sq__fork_lock_t;
extern sq__fork_lock_t sq__fork_locks[]; /* by rank; for tests, which hold them */

/* Called once for each rank, while the library is loaded: no later moment comes exactly once in every program. If there is no memory
 * for the registration, everything works except in the child of a fork. */
void sq__process_around_fork(sq__lock_rank_t rank, sq__fork_lock_t lock);

/* The same for a module with one rank: registers these fields of a sq__fork_lock_t when the library is loaded. Before the constructors without a
 * number, also in a program that is linked statically: a layer above this one (Sources/CDispatch) registers its lock there, so that a fork takes that
 * one first. */
#define SQ__AROUND_FORK(rank, ...) \
    static __attribute__((constructor(200))) void around_fork(void) { sq__process_around_fork((rank), (sq__fork_lock_t){ __VA_ARGS__ }); }
