/* state.h: what is stored about a queue: kinds of work, its lock, its records. state_inline.h has its fields and its state word.
 *
 * The designs stand in queue_lock.c, extras.c and handle.c. */
#pragma once

#include "include/sq_async.h"
#include "platform/atomic.h"
#include "platform/memory.h"
#include "thread/token.h"

#include <stddef.h>

/* What can be submitted to a queue */

/* The kinds of work, and the other values of a slot's word (ring.h). */
enum sq__work_kind {
    SQ__EMPTY,
    SQ__BATON,
    SQ__TASK,   /* an async task */
    SQ__PAIR,   /* an async task with two words of context */
    SQ__JOB,    /* a PAIR that does not count towards the capacity */
    SQ__DUE,    /* a delayed task: a TASK that does not count towards the capacity */
    SQ__MEMBER, /* a TASK of a group */
    SQ__AWAITED, /* a thread in run_and_wait, which waits until the runner has run its function */
    SQ__RUN_ANYWHERE, /* a thread in async_and_wait: the runner runs its function; any other holder passes it the baton */
    SQ__WAITER, /* a thread in sync, which waits for the baton, or as a reader to be let in */
    SQ__SHARED, /* a list of waiting threads (kernel/shared.h) */
    SQ__NOTIFICATION, /* of a group: as DUE */
    SQ__CLEANUP = 14, /* what a released timer leaves: as DUE, but its one function is called in any case, and counts as run. Between: trace/trace.h */
    /* `kind & SQ__CANCELLABLE` finds these two, with or without SQ__BARRIER. */
    SQ__CANCELLABLE = 0x20, /* a PAIR that can be withdrawn until its turn (kernel/withdraw.h) */
    SQ__CANCELLED = 0x21,  /* a withdrawn CANCELLABLE: the baton's holder skips the slot */
};

/* A bit of the kind, of a TASK, PAIR, JOB, DUE, CANCELLABLE, MEMBER, NOTIFICATION or WAITER of a concurrent queue: it is a barrier, and runs alone. */
enum { SQ__BARRIER = 0x40 };

enum { SQ__KIND_BITS = 8 }; /* of a slot's word: a kind and the bit */

typedef struct sq__pair {
    sq_pair_function_t call;
    void *first;
    void *second;
} sq__pair_t;

/* The members of a group on one queue. */
typedef struct sq__members {
    const void *group;
    SQ__ATOMIC(uint32_t) started; /* how many a concurrent queue has started, or discarded; written by the holder of its baton */
} sq__members_t;

/* What is called when a member of a group has ended. It is embedded in the group's record of the member, or of all on a queue. If not
 * `leaves`, the member has forked, and this is the child: it frees the record only, because the member is the parent's. */
typedef struct sq__member_end {
    void (*call)(struct sq__member_end *end, bool leaves);
    sq_function_t discard; /* called with the task's context if the task is discarded; NULL: none */
    sq__members_t *members;
} sq__member_end_t;

typedef struct sq__member_task {
    sq_function_t run;
    void *context;
    sq__member_end_t *end; /* called when the task is over */
} sq__member_task_t;

/* A call that waits for its turn: what a sync becomes when it leaves its fast path. On the waiting thread's stack. Other threads may access it
 * only while the wait is claimed. */
typedef struct sq__call {
    sq_task_t task;
    uint32_t kind;      /* SQ__WAITER, perhaps with SQ__BARRIER, SQ__RUN_ANYWHERE or SQ__AWAITED */
    bool is_brief;      /* the deadline has passed: it waits for a moment, without a sleep */
    sq_time_t deadline;
    const void *site;   /* the call site; NULL: not known */
    bool is_done;       /* the runner has run the function */
    uint64_t submitted; /* when, if the queue is measured (observe/timings.h); else 0 */
    bool has_baton; /* of a reader of a concurrent queue: it was let in, and admits the next ones (concurrent/admit.h) */
} sq__call_t;

typedef struct sq__waiter {
    sq__token_t *token;
    sq__wait_id_t wait_id;
    sq__call_t *call;
} sq__waiter_t;

/* L under the queue's lock. */
typedef struct sq__shared {
    struct sq__sharer *first; /* L */
    struct sq__sharer **end;  /* L */
} sq__shared_t;

typedef struct sq__cancellable {
    SQ__ATOMIC(uintptr_t) *place; /* where the task is, in one word; see withdraw.h */
    const void *pair;   /* an sq__pair_t, or a struct that begins with the same fields */
    bool is_exempt; /* does not count towards the capacity */
} sq__cancellable_t;

typedef union sq__work {
    sq_task_t task;
    sq__pair_t pair;
    sq__cancellable_t cancellable;
    sq__member_task_t member;
    sq__waiter_t waiter;
    sq__shared_t shared;
} sq__work_t;

/* What one asynchronous call submits. On the caller's stack. */
typedef struct sq__submission {
    sq__work_t work;
    const void *site;    /* the call site; NULL: not known */
    sq_time_t deadline;  /* of the wait for room; 0 is SQ_NOW */
    uint16_t kind;       /* of the work, perhaps with SQ__BARRIER */
} sq__submission_t;

_Static_assert(offsetof(sq__work_t, pair.call) == offsetof(sq__work_t, task.run) && offsetof(sq__work_t, pair.call) == offsetof(sq__work_t, member.run)
                   && offsetof(sq__work_t, pair.call) == offsetof(sq__work_t, cancellable.place), "sq__submission_is_valid looks at one word for all kinds");

/* False: the caller has passed no function. */
static inline bool sq__submission_is_valid(const sq__submission_t *submission) {
    return submission->work.pair.call != NULL; /* whatever the kind: its function comes first, or its place */
}

/* The lock, for what not every task needs */

void sq__lock(const sq_queue_t *queue);
void sq__unlock(const sq_queue_t *queue);

/* Those of all queues. */
void sq__lock_all(void);
void sq__unlock_all(void);

/* Counts a submission that was refused with this error, and returns the error. */
int sq__queue_reject(sq_queue_t *queue, int error) __attribute__((cold));

/* Records that few queues need */

/* The owners. */
typedef enum sq__extra {
    SQ__EXTRA_SITES,     /* observe/call_sites.c */
    SQ__EXTRA_TRACE,     /* observe/trace_hooks.c */
    SQ__EXTRA_TIMINGS,   /* observe/timings.h, made by inspect/histogram.c */
    SQ__EXTRA_CARRIED,   /* observe/timings.c */
    SQ__EXTRA_WATCH,     /* observe/watch_notes.h, made by inspect/watch.c */
    SQ__EXTRA_SUSPENDED, /* observe/suspended_list.c */
    SQ__EXTRA_SHARED,    /* kernel/shared.c */
    SQ__EXTRA_TIMERS,    /* queue/pending_timers.c */
    SQ__EXTRA_AT_END,    /* queue/end.c */
    SQ__EXTRA_AFTER_END, /* queue/after_end.c */
    SQ__EXTRA_VALUES,    /* queue/values.c */
    SQ__EXTRA_TARGET,    /* queue/targeted.h, made by queue/target.c */
    SQ__EXTRA_STACK,     /* queue/make.c */
    SQ__EXTRA_TALLIES,   /* state/tally.c */
    SQ__EXTRAS
} sq__extra_t;

/* The owner's record, made and zeroed if there is none; NULL: no memory. Any thread: what two make at the same time is one record. */
void *sq__extra_make(sq_queue_t *queue, sq__extra_t owner, size_t bytes);

/* For a dump: copies the beginning of the owner's record, by a copy of the queue. False: there is none, or it cannot be read. */
bool sq__extra_peek(const sq_queue_t *copy, sq__extra_t owner, void *record, size_t bytes);

/* The queue, which has a table, is about to be freed. What the records point to is their owners'. */
void sq__extras_free(sq_queue_t *queue);

/* Is this a queue? In builds with SQ_DEBUG only */

#ifdef SQ_DEBUG
void sq__handle_check(const sq_queue_t *queue, const char *call);
void sq__handle_mark(sq_queue_t *queue);
/* Marks the queue as freed, and frees its memory once KEPT (handle.c) more queues were freed. `memory`: the block that contains the queue. Takes a
 * lock of its own. */
void sq__handle_free(sq_queue_t *queue, void *memory);
#define SQ__CHECK_HANDLE(queue) sq__handle_check((queue), __func__)
#else
static inline void sq__handle_mark(sq_queue_t *queue) { (void)queue; }
static inline void sq__handle_free(sq_queue_t *queue, void *memory) { (void)queue, sq__memory_free(memory); }
#define SQ__CHECK_HANDLE(queue) ((void)0)
#endif
