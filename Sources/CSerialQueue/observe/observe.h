/* observe.h: the begin and the end of a task, for all that only observes: a watcher, a trace, histograms.
 *
 * DESIGN. The queue's control says whether anything observes it. The kernel looks at it once for each task, together with other flags. Only
 * if it has one of SQ__NOTED does the kernel tell what it runs, and that by this pair alone, whatever observes. */
#pragma once

#include "observe/timings.h"
#include "observe/watch_notes.h"
#include "platform/atomic.h"
#include "trace/trace.h"

/* A task that is about to run. */
typedef struct sq__task_seen {
    sq_function_t function; /* NULL: nothing is called */
    const void *context;    /* the first word of its context */
    unsigned kind;          /* enum sq__work_kind, with its bit */
    bool is_pair;           /* the context may be the code of a closure */
    bool is_call;           /* a call on this thread, which never had a place */
    bool is_discarded;      /* its discard function is called instead */
    uintptr_t where;        /* where it was stored (kernel/ring.h); 0: nowhere, or not known */
    uint64_t submitted;     /* when; SQ__DID_NOT_WAIT; 0: not known, or it is not to be measured */
    const void *site;        /* from where; NULL: not known */
} sq__task_seen_t;

/* What the end needs of the begin. */
typedef struct sq__observed {
    sq__session_t session; /* of the trace; 0: none */
    uint64_t began;        /* for the histograms; 0: it is not counted */
    uint64_t waited;       /* the same: how long before that */
    bool is_watched;
    bool may_not_run;      /* it is known at its end whether it ran: it is counted only then */
} sq__observed_t;

/* O. The task begins on the calling thread, in its innermost frame. `control` is the queue's. */
sq__observed_t sq__observe_begin(sq_queue_t *queue, uint32_t control, const sq__task_seen_t *task);

/* O. Its function has returned. Called before its outcome can be seen. */
void sq__observe_end(sq_queue_t *queue, const sq__observed_t *observed);
