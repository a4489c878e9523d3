/* pool_internal.h: the fields of a pool, its shards and its workers, for the files of this folder. pool.h has the design. */
#pragma once

#include "platform/mutex.h"
#include "platform/memory.h"
#include "pool/pool.h"
#include "runner/runner.h"
#include "pool/permit.h"
#include "thread/token.h"
#include "thread/worker.h"

/* A pool with more base permits than this has several shards (pool.h), at most SQ__MOST_SHARDS. */
#ifndef SQ__SHARD_PERMITS
#define SQ__SHARD_PERMITS 2
#endif
enum { SQ__MOST_SHARDS = 32 };
typedef struct sq__shard sq__shard_t;
typedef struct sq__pool_worker sq__pool_worker_t;

/* What the shards tell each other; a bit for each shard. A atomic. */
typedef struct sq__marks {
    SQ__ATOMIC(uint64_t) state; /* A  below: WAITS; above: FREE */
    SQ__ATOMIC(uint64_t) levels; /* A  shards that wait with an entry of the highest level; above: of the middle one. Hints */
} sq__marks_t;

/* F fixed once it is started, L under the lock of its shard. */
struct sq__pool_worker {
    sq__shard_t *shard;           /* F */
    sq__worker_t *thread;         /* F */
    sq__pool_worker_t *next;      /* L  of all */
    sq__pool_worker_t *next_idle; /* L */
    uint64_t thread_id;           /* L  0: it has not run yet */
    SQ__ATOMIC(uint64_t) entry;   /* A  how many entries it has begun, only the worker writes it */
    uint64_t entry_seen;          /* L  what this was at the last check (growth.c), */
    unsigned checks;              /* L  how many checks in a row have found it in the same entry, */
    unsigned still;               /* L  and how many of them without use of the processor in between */
    uint64_t used;                /* L  processor time that it had used at the last of these; nanoseconds */
    SQ__ATOMIC(bool) is_working;  /* A  it is inside its entry; only the worker writes it */
    sq__permit_t permit;          /* L  changes in change_permit (workers.c) only */
};

/* Some permits of a pool, with the workers that hold them and the entries for them. F fixed after create, L under its lock, C written under
 * the lock, read by anyone as a hint. What a post and a worker write while all permits are taken lies in the first two cache lines. */
struct sq__shard {
    _Alignas(SQ__LINE) sq__mutex_t lock;
    SQ__ATOMIC(size_t) waiting;     /* C  how many entries are ready */
    SQ__ATOMIC(uint64_t) taken;     /* C  how many entries have been taken */
    unsigned permits;               /* L */
    SQ__ATOMIC(unsigned) in_use;    /* C  permits that are taken; above `permits` for a moment, see pool.h */
    sq__ready_list_t ready;         /* L */
    sq__pool_t *pool;               /* F */
    unsigned index;                 /* F */
    sq__pool_worker_t *searcher;    /* L  the worker with a permit that was called, or searches; NULL: none (search.h) */
    bool searcher_is_here;          /* L  false: it was called, and has not come yet */
    bool lacks_thread;              /* L  no worker could be found for a free permit when this was last tried */
    unsigned turns;                 /* L  shards.c: entries that its workers have taken here since they looked at the clock, */
    unsigned visited;               /* L  the index of the shard that they took one from last, or called, */
    unsigned visited_in_turn;       /* L  the same, of the visits that time has asked for, and when the last one was, */
    uint64_t visited_at;            /* L */
    uint64_t published_state, published_levels; /* L  and its bits in the pool's marks */
    sq__pool_worker_t *all;         /* L */
    sq__pool_worker_t *idle;        /* L  the last one on top */
    unsigned workers;               /* L  including those that are being started */
    unsigned idle_workers;          /* L */
    unsigned leaving;               /* L  dismissed workers that have not ended yet */
    unsigned base_permits;          /* F */
    bool has_ended;                 /* L */

    /* growth.c */
    uint64_t seen;         /* L  how many entries had been posted at the last check */
    unsigned checks;       /* L  since idle workers were last ended; a slow check counts as many */
    unsigned fewest_idle;  /* L  the fewest since idle workers were last ended */

    /* search.c */
    _Alignas(SQ__LINE) SQ__ATOMIC(uintptr_t) slot; /* A  an entry that its poster is expected to take; see search.h */
    SQ__ATOMIC(uint64_t) hops;                     /* A  how many were taken from there; a hint: of two at a time one may not be counted */
    _Alignas(SQ__LINE) SQ__ATOMIC(bool) is_called; /* C  the searcher is to end now. It reads this all the time, the rest now and then */
};

/* F fixed after create, A atomic; S under lists_lock; C written under that lock, read by anyone as a hint. */
struct sq_pool {
    sq__pool_listed_t at;           /* in the list of pools; its first field is the kind */
    sq__shard_t *shards;            /* F */
    sq__marks_t *marks;             /* F  NULL: it has one shard */
    unsigned count;                 /* F  how many shards it has */
    unsigned base_permits;          /* F  of all shards */
    unsigned most;                  /* F  permits it may grow to, in all shards */
    sq__ready_function_t call;      /* F */
    size_t stack_size;              /* F */
    sq_service_t service;           /* F */
    sq__alarms_t *alarms;           /* F  the process's */

    sq__mutex_t lists_lock;
    struct sq__caller_run *callers; /* S  waiting threads that an entry is given to; caller_runs.h */
    SQ__ATOMIC(size_t) listed;      /* C  how many of these there are */
    bool growth_has_ended;          /* S  see growth_alarm.h */

    /* growth_alarm.c, growth.c */
    sq__alarm_t alarm;              /* S */
    SQ__ATOMIC(bool) checks;        /* C  the alarm is set, */
    SQ__ATOMIC(bool) checks_soon;   /* C  and its call comes soon */
    /* Only checks use these: one thread at a time. */
    unsigned checks_with_surplus;   /* in a row, that found more workers not blocked than base permits */
    unsigned window_checks;         /* checks in this window (growth.c), */
    uint64_t window_began;          /* when it began, in the time of the alarms, */
    uint64_t window_used;           /* and the processor time that workers with a permit have used since; nanoseconds */

    /* Far from what each post reads. */
    SQ__ATOMIC(uint32_t) references; /* A */
    SQ__ATOMIC(unsigned) workers;   /* A  of all shards */
    SQ__ATOMIC(unsigned) permits;   /* A  the same; only growth checks write it, which one thread makes */
    SQ__ATOMIC(unsigned) uses;      /* A  shards that are not deserted yet, threads on the way to one of them, a check of growth */
    char label[];                   /* F */
};

/* With the lock. */
static inline bool sq__shard_has_ready(const sq__shard_t *shard) { return sq__load_relaxed(&shard->waiting) != 0; }

/* The bits of the slot's word that are no entry's address: its level; of EMPTY, which is none of a queue. */
enum { SQ__SLOT_LEVEL = 3 };

/* A hint: the slot has an entry. */
static inline bool sq__slot_is_filled(const sq__shard_t *shard) { return sq__load_relaxed(&shard->slot) > SQ__SLOT_LEVEL; }

/* With the lock: more entries wait than the searcher takes, so another worker is wanted. */
static inline bool sq__shard_wants_worker(const sq__shard_t *shard) {
    return sq__load_relaxed(&shard->waiting) + sq__slot_is_filled(shard) > (shard->searcher != NULL);
}

/* With the lock: no worker will use the shard again. */
static inline bool sq__shard_is_deserted(const sq__shard_t *shard) {
    return shard->has_ended && shard->workers == 0;
}
