/* pool_internal.h: the fields of a pool and of its members, for the files of this folder. pool.h has the design. */
#ifndef SQ__POOL_POOL_INTERNAL_H
#define SQ__POOL_POOL_INTERNAL_H

#include "platform/event_fd.h"
#include "platform/mutex.h"
#include "pool/pool_types.h"
#include "thread/owner.h"
#include "thread/token.h"
#include "thread/worker.h"

/* F fixed once it is started, L under the pool's lock. */
struct sq__member {
    sq__pool_t *pool;        /* F */
    sq__worker_t *worker;    /* F */
    sq__member_t *next;      /* L  of all */
    sq__member_t *next_idle; /* L */
    uint64_t thread_id;      /* L  0: it has not run yet */
    uint64_t entry;            /* L  the number of the entry or offer that it runs: how many had been taken */
    uint64_t entry_seen;       /* L  the same at the last check (growth.c), */
    unsigned checks;         /* L  how many checks in a row have found it in the same entry, */
    unsigned still;          /* L  and how many of them without use of the processor in between */
    uint64_t used;           /* L  processor time that it had used at the last of these; nanoseconds */
    SQ__ATOMIC(bool) is_working;  /* A  it is inside its entry or offer; only the member writes it */
    bool is_seated;          /* L  it has a seat: it runs an entry, or was woken for one, and does not sleep in the library */
    bool is_dismissed;       /* L */
};

/* The ready entries of a band. */
typedef struct sq__line {
    sq__ready_t *first;
    sq__ready_t **end;
    unsigned overtaken; /* how many entries of higher bands were taken since one of this line was */
} sq__line_t;

/* F fixed after create, L under the lock, A atomic; C written under the lock, read by anyone as a hint. */
struct sq_pool {
    sq__mutex_t lock;
    sq__line_t lines[SQ__BANDS];    /* L  what is ready */
    struct sq__caller_run *caller_run;        /* L  waiting threads that an entry is given to; caller_runs.h */
    SQ__ATOMIC(size_t) listed;      /* C  how many of these there are */
    SQ__ATOMIC(size_t) waiting;     /* C  how many entries are ready */
    uint64_t taken;                 /* L  how many entries have been taken */
    sq__offer_t *helps;              /* L  what members may help with (offers.h) */
    sq__offer_t **helps_end;         /* L */
    uint64_t helped;                /* L  how many times a member has taken an offer */
    bool takes_offer_next;           /* L  the next member that finds an offer and an entry takes the offer */
    sq__member_t *all;              /* L */
    sq__member_t *idle;             /* L  the last one on top */
    unsigned members;               /* L  including those that are being started */
    unsigned idle_members;          /* L */
    unsigned leaving;               /* L  dismissed members that have not ended yet */
    unsigned seats;                 /* L */
    unsigned seated;                /* L  seats that are taken; above `seats` for a moment, see pool.h */
    unsigned seats_at_rest;         /* F */
    unsigned most;                  /* F  seats it may grow to */
    bool has_ended;                 /* L */
    sq__ready_function_t call;        /* F */
    size_t stack_size;              /* F */
    sq_service_t service;           /* F */
    SQ__ATOMIC(uint32_t) references; /* A */
    uint32_t process;               /* F  see process.h */

    /* growth.c */
    sq__alarms_t *alarms;  /* F  the process's */
    sq__alarm_t alarm;
    uint64_t seen;         /* L  how many entries had been posted at the last check */
    unsigned checks;       /* L  since idle members were last ended; a slow check counts as many */
    unsigned checks_with_surplus; /* L  in a row, that found more members not blocked than seats at rest */
    unsigned window_checks; /* L  checks in this window (growth.c), */
    uint64_t window_began;  /* L  when it began, in the time of the alarms, */
    uint64_t window_used;   /* L  and the processor time that seated members have used since; nanoseconds */
    unsigned fewest_idle;  /* L  the fewest since idle members were last ended */
    bool growth_is_scheduled;      /* L  the alarm is set, or its function is running */
    bool is_soon;          /* L  the next check comes soon */

    sq__pool_t *next;    /* under the lock of the list (pool_list.c) */
    sq__pool_t **link;   /* the same; NULL: it is not in the list */
    sq__alarms_t *clock; /* F  of a manual pool; else NULL */
    sq__explorer_t *explorer; /* F  while the pool is in use; NULL: it is not being explored */

    /* loop.c */
    bool is_loop;         /* F */
    sq__event_fd_t event;     /* F  of a loop: its descriptor */
    bool is_rung;         /* L  the descriptor is readable, or a thread is about to make it so */
    bool stops;           /* L  sq_pool_run_forever ends when it reads this next */
    SQ__ATOMIC(sq__owner_t *) owner; /* L, read by anyone  the pool holds a reference; NULL: no thread has run it yet */
    char label[];        /* F */
};

/* With the lock. */
static inline bool sq__pool_has_ready(const sq__pool_t *pool) { return sq__load_relaxed(&pool->waiting) != 0; }

/* With the lock: no member and no growth check will use the pool again. */
static inline bool sq__pool_is_deserted(const sq__pool_t *pool) {
    return pool->has_ended && pool->members == 0 && !pool->growth_is_scheduled;
}

#endif
