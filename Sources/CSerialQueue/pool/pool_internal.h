/* pool_internal.h: the fields of a pool, its parts and its members, for the files of this folder. pool.h has the design. */
#pragma once

#include "platform/mutex.h"
#include "platform/memory.h"
#include "pool/pool.h"
#include "runner/runner.h"
#include "pool/seat.h"
#include "thread/token.h"
#include "thread/worker.h"

/* A pool with more seats at rest than this has several parts (pool.h), at most SQ__MOST_PARTS. */
#ifndef SQ__PART_SEATS
#define SQ__PART_SEATS 2
#endif
enum { SQ__MOST_PARTS = 32 };
typedef struct sq__part sq__part_t;
typedef struct sq__member sq__member_t;

/* What the parts tell each other; a bit for each part. A atomic. */
typedef struct sq__marks {
    SQ__ATOMIC(uint64_t) state; /* A  below: WAITS; above: FREE */
    SQ__ATOMIC(uint64_t) bands; /* A  parts that wait with an entry of the highest band; above: of the middle one. Hints */
} sq__marks_t;

/* F fixed once it is started, L under the lock of its part. */
struct sq__member {
    sq__part_t *part;        /* F */
    sq__worker_t *worker;    /* F */
    sq__member_t *next;      /* L  of all */
    sq__member_t *next_idle; /* L */
    uint64_t thread_id;      /* L  0: it has not run yet */
    uint64_t entry;            /* L  how many entries it has begun, */
    uint64_t entry_seen;       /* L  the same at the last check (growth.c), */
    unsigned checks;         /* L  how many checks in a row have found it in the same entry, */
    unsigned still;          /* L  and how many of them without use of the processor in between */
    uint64_t used;           /* L  processor time that it had used at the last of these; nanoseconds */
    SQ__ATOMIC(bool) is_working;  /* A  it is inside its entry; only the member writes it */
    sq__seat_t seat;         /* L  changes in change_seat (members.c) only */
};

/* Some seats of a pool, with the members that sit there and the entries for them. F fixed after create, L under its lock, C written under
 * the lock, read by anyone as a hint. What a post and a member write while all seats are taken lies in the first two cache lines. */
struct sq__part {
    _Alignas(SQ__LINE) sq__mutex_t lock;
    SQ__ATOMIC(size_t) waiting;     /* C  how many entries are ready */
    uint64_t taken;                 /* L  how many entries have been taken */
    unsigned seats;                 /* L */
    SQ__ATOMIC(unsigned) seated;    /* C  seats that are taken; above `seats` for a moment, see pool.h */
    sq__ready_list_t ready;         /* L */
    sq__pool_t *pool;               /* F */
    unsigned index;                 /* F */
    bool lacks_thread;              /* L  no member could be found for a free seat when this was last tried */
    unsigned turns;                 /* L  parts.c: entries that its members have taken here since they looked at the clock, */
    unsigned visited;               /* L  the index of the part that they took one from last, or called, */
    unsigned visited_in_turn;       /* L  the same, of the visits that time has asked for, and when the last one was, */
    uint64_t visited_at;            /* L */
    uint64_t told_state, told_bands; /* L  and its bits in the pool's marks */
    sq__member_t *all;              /* L */
    sq__member_t *idle;             /* L  the last one on top */
    unsigned members;               /* L  including those that are being started */
    unsigned idle_members;          /* L */
    unsigned leaving;               /* L  dismissed members that have not ended yet */
    unsigned seats_at_rest;         /* F */
    bool has_ended;                 /* L */

    /* growth.c */
    uint64_t seen;         /* L  how many entries had been posted at the last check */
    unsigned checks;       /* L  since idle members were last ended; a slow check counts as many */
    unsigned fewest_idle;  /* L  the fewest since idle members were last ended */
};

/* F fixed after create, A atomic; L under the lock of its first part, S under lists_lock; C written under that lock, read by anyone as a hint. */
struct sq_pool {
    sq__pool_listed_t at;           /* in the list of pools; its first field is the kind */
    sq__part_t *parts;              /* F */
    sq__marks_t *marks;             /* F  NULL: it has one part */
    unsigned count;                 /* F  how many parts it has */
    unsigned seats_at_rest;         /* F  of all parts */
    unsigned most;                  /* F  seats it may grow to, in all parts */
    sq__ready_function_t call;        /* F */
    size_t stack_size;              /* F */
    sq_service_t service;           /* F */
    sq__alarms_t *alarms;  /* F  the process's */

    sq__mutex_t lists_lock;
    struct sq__caller_run *callers; /* S  waiting threads that an entry is given to; caller_runs.h */
    SQ__ATOMIC(size_t) listed;      /* C  how many of these there are */
    bool growth_has_ended;          /* S  see growth_alarm.h */

    /* growth_alarm.c, growth.c */
    sq__alarm_t alarm;              /* S */
    SQ__ATOMIC(bool) checks;        /* C  the alarm is set, */
    SQ__ATOMIC(bool) checks_soon;   /* C  and its call comes soon */
    /* Only checks use these: one thread at a time. */
    unsigned checks_with_surplus;   /* in a row, that found more members not blocked than seats at rest */
    unsigned window_checks;         /* checks in this window (growth.c), */
    uint64_t window_began;          /* when it began, in the time of the alarms, */
    uint64_t window_used;           /* and the processor time that seated members have used since; nanoseconds */

    /* Far from what each post reads. */
    SQ__ATOMIC(uint32_t) references; /* A */
    SQ__ATOMIC(unsigned) members;   /* A  of all parts */
    SQ__ATOMIC(unsigned) seats;     /* A  the same; only growth checks write it, which one thread makes */
    SQ__ATOMIC(unsigned) uses;      /* A  parts that are not deserted yet, threads on the way to one of them, a check of growth */
    char label[];        /* F */
};

/* With the lock. */
static inline bool sq__part_has_ready(const sq__part_t *part) { return sq__load_relaxed(&part->waiting) != 0; }

/* With the lock: no member will use the part again. */
static inline bool sq__part_is_deserted(const sq__part_t *part) {
    return part->has_ended && part->members == 0;
}
