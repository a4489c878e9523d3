/* stage.h: what a scenario does with queues, each call watched by the oracles.
 *
 * DESIGN. A scenario makes its calls through these functions. They keep a record of each submission and check: one outcome
 * for each; order (what was accepted before another call began runs before it; per submitter); one task at a time; what is
 * written before is visible after; the errors that may come; suspension; the end; and, at the end of the run, the counts
 * and that no memory is left.
 *
 * Order, suspension and closing are checked by the order of the steps. That is right in all memory models where the
 * decision is a read-modify-write of the state word, which reads the newest value. What rests on a relaxed read (the
 * holder's look at SQ__HELD_BACK) is checked by happens-before under EX_RA. */
#ifndef STAGE_H
#define STAGE_H

#include "explore.h"
#include "include/serial_queue.h"
#include "include/sq_shutdown.h"
#include "include/sq_stats.h"
#include "include/sq_suspend.h"
#include "include/sq_watch.h"

enum { QUEUES = 4, SUBMISSIONS = 64 };

typedef enum kind {
    ASYNC, ASYNC_PAIR, ASYNC_BARRIER, MEMBER, OWNED_MEMBER, ITEM, ASYNC_UNTIL, SYNC, SYNC_UNTIL, SYNC_OR_RUN, RUN_AND_WAIT, EITHER, SYNC_BARRIER, SYNC_BARRIER_UNTIL
} kind_t;

typedef struct submission {
    kind_t kind;
    int id, queue, submitter, runner;
    void (*inside)(const void *argument); /* what the task does; NULL: nothing more */
    const void *argument;
    bool returned, started, finished;
    uint32_t returned_when;   /* on the submitter's clock */
    uint64_t returned_before; /* a bit for each submission whose call happened before this one */
    uint64_t suspension_before; /* the suspension that it was submitted during; 0: none */
    bool closed_before;
    bool is_inline; /* runs inside a task of the same queue */
    int ran, discarded, error;
} submission_t;

/* The pool that all queues are on. */
typedef enum pool_kind {
    POOL_NONE,   /* each has a thread of its own */
    POOL_FIXED,  /* and no task on it waits for a queue */
    POOL_LENT,   /* the same, but tasks do wait */
    POOL_HELPED, /* of a lower class than the callers, which run what is ahead of them; the queues have different priorities */
    POOL_GROWS,  /* from `permits` to SQ__MOST_WORKERS */
    POOL_MANUAL,
    POOL_LOOP,
} pool_kind_t;
typedef struct pool_plan {
    pool_kind_t kind;
    unsigned permits; /* and processors; 0: two processors */
} pool_plan_t;

/* What a scenario expects. */
typedef struct expectation {
    uint32_t may;       /* errors that may come: a set of ERROR_BIT(...) */
    int deadlocks;      /* how many EDEADLK there must be in all; -1: as may be */
    bool is_free;    /* the queue is, for all tries: none may get EAGAIN */
    bool spares_unlimited; /* no submission without a deadline may get EDEADLK */
    size_t capacity;    /* of the queues */
    size_t width;       /* of the queues; 0: they are serial */
    bool targets;       /* the first queue is the target of the others: the tasks of all exclude each other */
    bool each_has_a_reference; /* each thread holds a reference, and there is no other */
    pool_plan_t pool;
} expectation_t;

#define ERROR_BIT(error) (1u << ((error) % 31))

extern sq_queue_t *stage_queues[QUEUES];

/* Called with the argument of a task that did not and will not run. */
extern void (*stage_instead)(const void *argument, int queue);

void stage_begin(const expectation_t *expectation, unsigned queues);
/* For a scenario that makes its queues itself, with these options: a serial one, or a concurrent one on a pool of two threads. */
void stage_begin_own(sq_queue_options_t *options, bool is_wide);
/* If workers are warm: the queue's own thread runs a task, and sleeps. */
void stage_warm(sq_queue_t *queue);
void stage_many_begin(void); /* makes the group and the item */
void stage_many_end(void);
int stage_submit(kind_t kind, int queue, sq_time_t deadline, void (*inside)(const void *), const void *argument);
void stage_suspend(int queue);
void stage_resume(int queue, bool may_be_too_many);
void stage_shutdown(int queue, sq_shutdown_mode_t mode, sq_time_t deadline);
void stage_retain(int queue);
void stage_release(int queue);
void stage_look(int queue);
void stage_watch(int queue, bool watched);
void stage_dump(void); /* and the dump names the queues by their labels only */
void stage_release_pool(void); /* releases the pool's first reference, if that was not done yet */
void stage_run_rest(void); /* what its threads have left on a pool that they run; they have ended */
void stage_pump(void);   /* runs a manual pool, or what a loop has ready */
void stage_host(unsigned tasks); /* a host's own loop: polls and runs, until so many tasks have run */
void stage_serve(void);  /* runs a loop until it is halted */
void stage_halt(void);
void stage_create(void); /* makes other pools, which may fail, and releases them */
void stage_apply(unsigned count, void (*inside)(const void *), const void *argument);
void stage_enter(void);      /* the group of the members */
void stage_leave(void);
void stage_wait(kind_t kind, sq_time_t deadline); /* for the group (MEMBER), or for the item */
void stage_cancel(void);     /* the item, which was submitted before */
void stage_apart(unsigned most); /* at most this many cache lines were shared by threads since `lines` */
void stage_print(char what);
sq_time_t stage_soon(void);

void stage_rest(unsigned queues);  /* all threads have ended: what is accepted runs, and the counts are right */
void stage_end(void);              /* when no thread is left but the one that calls this */
const char *stage_printed(void);

#endif
