/* deadlock_json.h: a deadlock as JSON, for programs (SQ_DUMP=USR1,reports). Documentation/report.schema.json has its form.
 *
 * DESIGN. The threads of a cycle are known under the lock of the waits, where nothing is written and no file is read. So what is to be written of
 * them is copied next to the report of the refused thread, and that thread writes the line, with no lock. */
#pragma once

#include "wait/edge.h"

enum { SQ__DEADLOCK_THREADS = 24, SQ__DEADLOCK_LABEL = 64 };

/* A thread, what it holds and what it waits for. */
typedef struct sq__deadlock_thread {
    uint64_t id;
    char name[16];
    const sq_queue_t *runs;               /* a number. NULL: it is inside what follows, if anything */
    const char *inside;                   /* a constant */
    char held_label[SQ__DEADLOCK_LABEL];  /* of `runs`, or of what it is inside */
    const void *inside_maker;
    const char *kind;                     /* a constant: what it waits for */
    char label[SQ__DEADLOCK_LABEL];       /* of that */
    const void *maker;
    const sq_queue_t *awaited;            /* a number. NULL: no queue */
    bool is_limited;
} sq__deadlock_thread_t;

/* Those that find no room are left out. */
typedef struct sq__deadlock_threads {
    unsigned count;
    sq__deadlock_thread_t thread[SQ__DEADLOCK_THREADS];
} sq__deadlock_threads_t;

/* M. The threads of the cycle, the refused one first. */
void sq__deadlock_json_cycle(sq__deadlock_threads_t *threads, const sq__edge_t *first);

/* The calling thread, which runs a task of `held` and would wait for `awaited`; or is inside this once, and would wait for it. */
void sq__deadlock_json_own(sq__deadlock_threads_t *threads, const sq_queue_t *held, const sq_queue_t *awaited, sq__aim_t aim);
void sq__deadlock_json_once(sq__deadlock_threads_t *threads, const void *once);

/* With no lock: writes the line. */
void sq__deadlock_json_write(const char *report, const sq__deadlock_threads_t *threads);
