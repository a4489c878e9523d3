/* work.h: what can be submitted to a queue. */
#ifndef SQ__KERNEL_WORK_H
#define SQ__KERNEL_WORK_H

#include "include/sq_async.h"
#include "thread/token.h"

/* The kinds of work, and what else a slot's word can say; ring.h tells more. */
enum {
    SQ__EMPTY,
    SQ__BATON,
    SQ__TASK,   /* an async task */
    SQ__PAIR,   /* the same, with two words of context */
    SQ__JOB,    /* the same, without room taken up in a queue of limited capacity */
    SQ__DUE,    /* a delayed task: a TASK that takes up no room either */
    SQ__CLAIM,  /* a PAIR that can be withdrawn until its turn (withdraw.h) */
    SQ__GONE,   /* a CLAIM that was withdrawn: an empty slot, which the baton's holder passes over */
    SQ__MEMBER, /* a TASK of a group, without a discard function */
    SQ__CALL,   /* a thread in run_and_wait, which waits until the runner has done its call */
    SQ__EITHER, /* a thread in async_and_wait: the runner does its call, any other holder gives it its turn */
    SQ__WAITER, /* a thread in sync, which waits for its turn */
    SQ__BARRIER,        /* a TASK that runs alone, and */
    SQ__BARRIER_WAITER, /* a WAITER that does: in concurrent queues only */
    SQ__SHARED, /* a list of threads that wait (shared.h) */
};

typedef struct sq__pair {
    sq_pair_function_t call;
    void *first;
    void *second;
} sq__pair_t;

/* How a group learns that a member is over. `end` is a part of what the group has for it. */
typedef struct sq__member_end {
    void (*call)(struct sq__member_end *end);
    const void *whose; /* the group */
} sq__member_end_t;

typedef struct sq__member_task {
    sq_function_t run;
    void *context;
    sq__member_end_t *end; /* called when the task is over */
} sq__member_task_t;

/* On the stack of the thread that waits. To be touched only once the wait is claimed. */
typedef struct sq__call {
    sq_task_t task;
    bool is_done; /* the runner has called it */
} sq__call_t;

typedef struct sq__waiter {
    sq__token_t *token;
    sq__wait_id_t wait_id;
    sq__call_t *call; /* of a CALL or EITHER */
} sq__waiter_t;

/* L under the queue's lock. */
typedef struct sq__shared {
    struct sq__sharer *first; /* L */
    struct sq__sharer **end;  /* L */
} sq__shared_t;

typedef struct sq__claim {
    uintptr_t *place;   /* where the task stands; see withdraw.h */
    const void *pair;   /* an sq__pair_t, or what begins like one */
    bool takes_no_room; /* in a queue of limited capacity */
} sq__claim_t;

typedef union sq__work {
    sq_task_t task;
    sq__pair_t pair;
    sq__claim_t claim;
    sq__member_task_t member;
    sq__waiter_t waiter;
    sq__shared_t shared;
} sq__work_t;

#endif
