/* runner.h: what gives a queue that is ready a thread. The rest of the core knows runners by this header alone.
 *
 * DESIGN. A queue with something for its runner posts its ready entry, once. The runner then calls sq__run_queue (queue/queue_runner.c) for that
 * entry, on a thread of its choice. There are five kinds, and none of them knows another one:
 *
 *                          threads             workers               loop                   manual               target
 *                          (the default)       (a pool)              (the program's loop)   (a pool for tests)   (another queue)
 *     file                 thread/cache.h      pool/                 runner/loop.c          runner/manual.c      queue/target.c
 *     object               a client, which     the pool              the loop              the pool             the queue's record
 *                          ends with the queue
 *     post                 wakes its thread    wakes a worker        makes it readable      lists the entry      submits a job to the target
 *     withdraw             -                   if it is listed       -                      -                    -
 *     demand (others want  never               its list, and         its list               patient              the targets' suspensions,
 *       the thread)                            who helps                                                         and the last one's demand
 *     owned_by (only that  -                   -                     its owner              -                    -
 *       thread runs it)
 *     serves (the caller   -                   with `helps`, if its  if it owns the loop    always               (asked of the last target)
 *       may run entries                        class is higher
 *       while it waits)
 *     run, listen, leave   -                   its queue's entry     the entry              the entry, or any    -
 *     sleeps               -                   lends its permit        -                      -                    -
 *     clock                the process's       the process's         the process's          its own              (the last target's)
 *     target, sync, adopt  -                   -                     -                      -                    the target; a turn there, too
 *     retain, release      -                   counted               counted                counted              release: the target's pin
 *     visit                -                   its workers, its list its list               its list             -
 *
 * A sync runs its function on its own thread, in its turn. Two questions change that: with an owner other than the caller, the call is handed
 * to the owner, as an AWAITED; with a target, the turn in the queue is followed by a sync onto the target, in which the function runs. Such
 * queues are not free to a sync's fast path: SQ__NOT_FREE (state/state_inline.h).
 *
 * A queue has its runner in one word: 0, nothing yet; a client of the cache; or the object of another kind, with the level of the entry and SQ__HELPED
 * in its low bits. A client goes when the queue ends, so only the baton's holder may look into it; any thread with a reference to the queue may
 * look into another object. What is NULL in the table of a kind has the default that stands here at the function. */
#pragma once

#include "alarm/alarm_inline.h"
#include "include/sq_pool.h"
#include "platform/layout.h"
#include "platform/mutex.h"
#include "thread/cache.h"
#include "thread/owner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sq_queue;
struct sq__call;

/* The last one is that of parallel loops (pool/pool.h): no queue is in it. */
typedef enum sq__level { SQ__LEVEL_HIGH, SQ__LEVEL_NORMAL, SQ__LEVEL_LOW, SQ__LEVEL_HELP, SQ__LEVELS } sq__level_t;

/* A node in what is ready: a queue has one. */
typedef struct sq__ready {
    struct sq__ready *next; /* under the lock of the list that it is in */
} sq__ready_t;

/* How a run of an entry ended. */
typedef enum sq__ready_end {
    SQ__READY_GONE, /* the entry may have been posted again, or freed */
    SQ__READY_MORE  /* the entry has more to do and was not posted: it goes to the back of the list */
} sq__ready_end_t;

/* Runs at most `batch` tasks of the entry, and adds how many it has run to *ran. */
typedef sq__ready_end_t (*sq__ready_function_t)(sq__ready_t *entry, size_t batch, size_t *ran);

/* A run of an entry ends after this many tasks: then the entry goes to the back of the list. */
#ifndef SQ__BATCH
#define SQ__BATCH 64
#endif

/* The word. */
typedef uintptr_t sq__runner_t;
enum { SQ__RUNNER_LEVEL = 3, SQ__HELPED = 4 /* waiting threads may run the queue's tasks */, SQ__RUNNER_BITS = 7 };

/* Do others want the thread that runs a queue? */
typedef enum sq__demand {
    SQ__DEMAND_NONE,
    SQ__DEMAND_NEAR,    /* no, but it is asked again after each task */
    SQ__DEMAND_PATIENT, /* perhaps: it does not linger, but no time ends a batch */
    SQ__DEMAND_SHARED,  /* yes: a batch ends in a while, and the thread does not linger */
    SQ__DEMAND_NEXT,    /* yes: a batch ends after one task */
    SQ__DEMAND_NOW      /* no task may start */
} sq__demand_t;

/* A waiting thread that may run an entry meanwhile. S: under the lock of the pool's list of these records. */
typedef struct sq__caller_run {
    sq__ready_t *entry; /* only compared by address until it is found ready, so it may have been freed; NULL: any one */
    sq__token_t *token;
    bool is_given;      /* S while it is listed, else only the waiting thread uses it. True: that thread has the entry */
    struct sq__caller_run *next; /* S */
} sq__caller_run_t;

struct sq__pool_visitor;

/* A table of a kind's functions. */
typedef struct sq__runner_kind {
    bool is_threadless; /* only threads of the program's run what is on it, so a thread that waits may have to */

    /* The entry is ready: one post at a time. May free the runner's object, if the caller has no reference. */
    void (*post)(sq__runner_t runner, sq__ready_t *entry);
    /* Takes a posted entry back. False: a thread has taken it. NULL: the thread that takes the entry has the baton, so nobody asks. */
    bool (*withdraw)(sq__runner_t runner, const sq__ready_t *entry);
    sq__demand_t (*demand)(sq__runner_t runner);

    /* NULL: any thread may run a sync. Only this owner's thread runs what is on the runner. */
    bool (*owned_by)(sq__runner_t runner, const sq__owner_t *owner);
    /* No thread owns it now. `is_locked`: the caller has its lock. NULL: it needs none. */
    bool (*lacks_owner)(sq__runner_t runner, bool is_locked);
    /* The system's number of the thread that owns it, or was the last one to do so; 0: none has yet. The caller has its lock. NULL: as above. */
    uint64_t (*last_owner)(sq__runner_t runner);

    /* The calling thread may run an entry while it waits for what this runs. `is_turn`: it waits for its turn. NULL: it never may; nor are there the next
     * three then. */
    bool (*serves)(sq__runner_t runner, bool is_turn);
    /* Runs one task of the entry; not `runs`: only looks. False: it is not ready. */
    bool (*run)(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs);
    /* Before and after the thread sleeps: the token is woken when the entry becomes ready. `listens`: true before; returns true if it is ready already.
     * NULL: nobody posts meanwhile. */
    bool (*listen)(sq__runner_t runner, sq__caller_run_t *caller_run, bool listens);
    /* The wait is over. NULL: nothing is to be done. */
    void (*leave)(sq__runner_t runner, sq__caller_run_t *caller_run);

    /* A thread of the runner's own (sq__self_t.runner) is about to sleep in a call of the library, or not `sleeps`: has woken. NULL: it need not know. */
    void (*sleeps)(sq__runner_t runner, bool sleeps);
    /* NULL: the timers of its queues use the process's alarms, and nobody advances it. Else a clock of its own, and what sq_pool_advance does. */
    sq__alarms_t *(*clock)(sq__runner_t runner);
    size_t (*advance)(sq__runner_t runner, uint64_t until);

    /* The next three are a target's. The queue on which the tasks run; NULL: on none. */
    struct sq_queue *(*target)(sq__runner_t runner);
    /* A sync on a serial queue that has this runner. NULL: the function runs in the turn of its queue alone. */
    int (*sync)(struct sq_queue *queue, struct sq__call *call);
    /* Gives a new queue the same target. Returns 0, or an error of sq_queue_set_target. NULL: a copy of the word does. */
    int (*adopt)(sq__runner_t runner, struct sq_queue *made);

    /* The object's references: one is the queue's. retain NULL: the queue alone has the object. */
    void (*retain)(sq__runner_t runner);
    void (*release)(sq__runner_t runner);
    /* Of what is in the list of pools (below): what a dump shows. NULL: it is not in the list. */
    void (*visit)(sq__runner_t runner, const struct sq__pool_visitor *visitor);
} sq__runner_kind_t;

/* The first field of every object but a client. */
typedef struct sq__runner_object {
    const sq__runner_kind_t *kind;
} sq__runner_object_t;

/* Kinds of which nobody outside knows more. Return 0 and *pool, which has one reference; or ENOMEM, for a loop also EMFILE or ENFILE. `call`: sq__run_queue
 * (queue/queue_runner.c). */
int sq__loop_create(sq_pool_t **loop, const char *label, sq__ready_function_t call);
int sq__manual_create(sq_pool_t **manual, const char *label, sq__ready_function_t call);

/* A list of ready entries, in levels. A runner has one, or several, each under a lock. ready.c has the order in which entries are taken. */

/* The ready entries of a level. */
typedef struct sq__line {
    sq__ready_t *first;
    sq__ready_t **end;
} sq__ready_level_t;

/* All under the lock of the list. Zeroed, it is empty. */
typedef struct sq__ready_list {
    sq__ready_level_t lines[SQ__LEVELS];
    unsigned overtaken[SQ__LEVELS]; /* how many entries of higher levels were taken since one of this level was */
    sq__ready_t *cursor;            /* the next entry that a dump visits, while it has released the lock; see runner_list.c */
} sq__ready_list_t;

/* With the lock of the list, as the next functions. The entry is in no list: it comes to the end of its level. */
void sq__ready_append(sq__ready_list_t *list, sq__level_t level, sq__ready_t *entry);

/* NULL: nothing is ready. Else *level is the entry's. */
sq__ready_t *sq__ready_take_first(sq__ready_list_t *list, sq__level_t *level);

/* The entry is only compared by address. The first: false if it is not in this level. The second searches all levels; false: it is in none. */
bool sq__ready_take_out(sq__ready_list_t *list, sq__level_t level, const sq__ready_t *entry);
bool sq__ready_find(const sq__ready_list_t *list, const sq__ready_t *entry, sq__level_t *level);

/* The level of the entry that is taken next; the list is not empty. */
sq__level_t sq__ready_next_level(const sq__ready_list_t *list);

/* An entry of this level is taken. */
void sq__ready_overtake(sq__ready_list_t *list, sq__level_t level);

/* The pools of this process, of all kinds but a target, for a dump */

/* The first field of what is in the list. */
typedef struct sq__pool_listed {
    sq__runner_object_t runner;    /* fixed */
    struct sq__pool_listed *next;  /* under the lock of the list */
    struct sq__pool_listed **link; /* the same; NULL: it is not in the list */
    uint32_t process;              /* fixed: process.h */
    const char *label;             /* fixed */
} sq__pool_listed_t;

/* Called when a pool is complete, and before it is freed. */
void sq__pools_add(sq__pool_listed_t *pool);
void sq__pools_remove(sq__pool_listed_t *pool);

typedef struct sq__pool_view {
    char label[64];
    bool is_loop;
    bool lacks_owner;      /* it is a loop, its lock was held, and no thread runs it */
    uint64_t owner;        /* the same, and the number of the thread that owns it, or was the last one; 0: none yet, or not known */
    bool is_locked;        /* the pool's lock was held while its fields were read */
    unsigned workers, idle, permits, in_use, most;
    unsigned blocked;      /* workers with a permit that the system says do not run, */
    unsigned lent;         /* and those that have lent it, while they sleep in this library in a task */
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

/* A list that a dump visits. */
typedef struct sq__ready_visit {
    sq__ready_list_t *list;
    sq__mutex_t *lock;                   /* the list's, which the caller has; NULL: without the lock, and `list` is a copy */
    const SQ__ATOMIC(uint64_t) *taken;   /* how many entries have ever been taken from the list, from any level and place; changes under the lock */
    size_t waiting;                      /* how many entries it has */
} sq__ready_visit_t;

/* For the kinds: calls `entry` for each one, at most SQ__VISIT_SLICE under one hold of the lock. Returns false if it could not get the lock again. */
bool sq__pool_visit_ready(const sq__ready_visit_t *visit, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view);

/* The list of pools, what all kinds have, what loops and manual pools have, and what only loops have. */
extern const sq__layout_t sq__pools_layout[], sq__hosted_layout[], sq__loop_layout[];
