/* crew.h: a pool's fields, and its members. What pool.h tells, from the inside. */
#ifndef SQ__THREAD_CREW_H
#define SQ__THREAD_CREW_H

#include "platform/mutex.h"
#include "thread/pool.h"
#include "thread/worker.h"

/* F fixed once it is started, L under the pool's lock. */
struct sq__member {
    sq__pool_t *pool;        /* F */
    sq__worker_t *worker;    /* F */
    sq__member_t *next;      /* L  of all */
    sq__member_t *next_idle; /* L */
    uint64_t thread_id;      /* L  0: it has not been called yet */
    uint64_t job;            /* L  the number of the job that it runs: how many had been taken */
    uint64_t job_seen;       /* L  the same at the last look (oversee.c), */
    unsigned looks;          /* L  how many looks in a row have found it in the call of this job, */
    unsigned still;          /* L  and how many of them without use of the processor in between */
    uint64_t used;           /* L  processor time that it had used at the last of these; nanoseconds */
    SQ__ATOMIC(bool) calls;  /* A  it is in the call of its job, by itself */
    bool is_seated;          /* L  it runs a job, or is called for one, and does not sleep in a call of the library */
    bool is_dismissed;       /* L */
};

/* F fixed after create, L under the lock, A atomic; C written under the lock, read by anyone as a hint. */
struct sq_pool {
    sq__mutex_t lock;
    sq__job_t *first;               /* L  what is ready, */
    sq__job_t **end;                /* L */
    SQ__ATOMIC(size_t) waiting;     /* C  and how much that is */
    uint64_t taken;                 /* L  how many jobs have been taken */
    sq__member_t *all;              /* L */
    sq__member_t *idle;             /* L  the last one on top */
    unsigned members;               /* L  with those that are being started */
    unsigned idle_members;          /* L */
    unsigned leaving;               /* L  members that are dismissed, and have not gone yet */
    unsigned seats;                 /* L */
    unsigned seated;                /* L  seats that are taken; above `seats` for a moment, see pool.h */
    unsigned seats_at_rest;         /* F */
    unsigned most;                  /* F  seats it may grow to */
    bool has_ended;                 /* L */
    sq__job_function_t call;        /* F */
    size_t stack_size;              /* F */
    SQ__ATOMIC(uint32_t) references; /* A */
    uint32_t process;               /* F  see process.h */

    /* oversee.c */
    sq__alarms_t *alarms;  /* F  the process's */
    sq__alarm_t alarm;
    uint64_t seen;         /* L  how many jobs had been posted at the last look */
    unsigned looks;        /* L  since the idle members were last looked at; a slow one counts as many */
    unsigned looks_at_surplus; /* L  that have found more members than at rest that are not blocked, in a row */
    unsigned fewest_idle;  /* L  since the last slow look */
    bool is_overseen;      /* L  the alarm is set, or its call under way */
    bool is_soon;          /* L  the next look comes soon */

    sq__alarms_t *clock; /* F  of a manual pool; else NULL */
    char label[];        /* F */
};

/* Starts the first member. Returns 0 or ENOMEM. */
int sq__crew_begin(sq__pool_t *pool);

/* There is no reference left: ends the members. The last one frees the pool. */
void sq__crew_end(sq__pool_t *pool);

/* With the lock, which it gives back: if a job is ready and a seat is free, has a member take it. The pool may be gone on return. */
void sq__crew_call_and_unlock(sq__pool_t *pool);

/* With the lock, which it gives back: counts one member less. The last one frees the pool. */
void sq__crew_leave_and_unlock(sq__pool_t *pool);

/* Ends up to `members` idle ones: takes them out, with the lock, and tells them, without. */
sq__member_t *sq__crew_pick_idle(sq__pool_t *pool, unsigned members);
void sq__crew_dismiss(sq__member_t *picked);

/* With the lock: has the pool looked after, soon or within a second. */
void sq__pool_oversee(sq__pool_t *pool, bool soon);

/* The list, with the lock. */
void sq__pool_append(sq__pool_t *pool, sq__job_t *job);
sq__job_t *sq__pool_take_first(sq__pool_t *pool);

/* With the lock: nobody is left who would touch the pool. */
static inline bool sq__pool_is_deserted(const sq__pool_t *pool) {
    return pool->has_ended && pool->members == 0 && !pool->is_overseen;
}

void sq__pool_free(sq__pool_t *pool);

#endif
