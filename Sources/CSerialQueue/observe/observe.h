/* observe.h: the begin and the end of a task, for all that only observes: a watcher, a trace, histograms.
 *
 * DESIGN. The queue's control says whether anything observes it. The kernel looks at it once for each task, together with other flags. Only
 * if it has one of SQ__NOTED does the kernel tell what it runs, and that by this pair alone, whatever observes.
 *
 * What only observes stands in this room, and each thing in a file of its own: call_sites.c, trace_hooks.c, watch_notes.c, timings.c (histograms),
 * wrapper.c (the library's functions in place of the user's), reader.h (the running tasks of a concurrent queue), suspended_list.c. */
#pragma once

#include "platform/mutex.h"
#include "state/state_inline.h"
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
    uint64_t depth;         /* of a queue that is measured: how many other tasks wait */
    const void *site;        /* from where; NULL: not known */
} sq__task_seen_t;

/* What the end needs of the begin. */
typedef struct sq__observed {
    sq__session_t session; /* of the trace; 0: none */
    uint64_t began;        /* for the histograms; 0: it is not counted */
    uint64_t waited;       /* the same: how long before that, */
    uint64_t depth;        /* and how many waited then */
    bool is_watched;
    bool may_not_run;      /* it is known at its end whether it ran: it is counted only then */
} sq__observed_t;

/* O, or inside as a reader. The task begins on the calling thread, in its innermost frame. `control` is the queue's. Returns what the end needs. May
 * take the queue's lock. */
sq__observed_t sq__observe_begin(sq_queue_t *queue, uint32_t control, const sq__task_seen_t *task);

/* O, or inside as a reader. The function of the task has returned, in the same frame. Called before its outcome can be seen. */
void sq__observe_end(sq_queue_t *queue, const sq__observed_t *observed);

/* Call sites */

/* L. The queue is about to be traced or watched: an epoch begins, unless one is under way. False: no memory. */
bool sq__sited_begin(sq_queue_t *queue);

/* Stores the site of a task or call under the place where it waits, before another thread can see the task. The queue is sited. */
void sq__sited_put(const sq_queue_t *queue, uintptr_t where, const void *site);

/* Removes and returns the site of the task that was in this place; NULL: not known. The queue is sited. */
const void *sq__sited_take(const sq_queue_t *queue, uintptr_t where);

/* Traces */

/* If a trace is under way, gives the queue the flag; takes the queue's lock for that. */
void sq__trace_hook_begin(sq_queue_t *queue);

/* The queue's number in this trace; 0: there is none, or no memory. */
uint32_t sq__trace_hook_number(const sq_queue_t *queue);

/* Records an event of the queue, which has the flag. */
void sq__trace_hook_event(const sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t where, uint64_t which);

/* Records a WAIT for this aim, by a call from this site. Returns as sq__trace_open. */
sq__session_t sq__trace_hook_wait(const sq_queue_t *queue, unsigned aim, uint64_t where, const void *site);

/* Records a wait for this aim that was refused at once, because the caller would have waited for itself. `site`: of the call.  */
void sq__trace_hook_refused(sq_queue_t *queue, unsigned aim, const void *site);

/* The same of a wait for something that is no queue. */
void sq__trace_hook_refused_for(const char *what);

/* Records that a task was withdrawn from its place: a pair of this function, whose first word is the context. */
void sq__trace_hook_withdrawn(const sq_queue_t *queue, uint64_t where, sq_pair_function_t call, const void *context);

/* Records that a task of this kind was stored at `where`, and from which site, in a queue that is traced or watched. */
void sq__trace_hook_submit(const sq_queue_t *queue, uintptr_t kind, uint64_t where, const void *site);

/* Watching */

/* What a watched queue runs. */
typedef struct sq__running {
    uint64_t began; /* 0: nothing is known to run */
    sq_function_t function;
    uint64_t thread_id;
    const void *site; /* where it was submitted; NULL: not known */
} sq__running_t;

/* The oldest running task of a concurrent queue, which exists and is watched. `began` 0: none runs. No lock is needed. */
sq__running_t sq__reader_oldest(const sq_queue_t *queue);

/* The queue is about to be freed, and no lock is held: ends its watching, if it was ever watched. */
void sq__watch_forget(sq_queue_t *queue);

/* Histograms */

/* O. Notes that the task in the hand-off slot is submitted now, if the queue is measured. */
void sq__timings_handoff(const sq_queue_t *queue);

/* O. When the task in the hand-off slot was submitted. */
uint64_t sq__timings_submitted_handoff(const sq_queue_t *queue);

/* Wrappers */

/* In place of a byte of the record: it has no such field. */
enum { SQ__NOT_THERE = UINT16_MAX };

/* Fixed once it was added. */
typedef struct sq__wrapper {
    sq_function_t function; /* the library's, of a task or a pair */
    const char *name;       /* what it is, in words, if the record cannot be read */
    uint16_t run, discard;  /* the user's functions: for a task that runs, and for one that is discarded */
    uint16_t context;       /* the context of the user's function, which may be a wrapper, too */
    uint16_t code;          /* a word that is the code of a closure, perhaps */
    uint16_t label;         /* a text within the record, perhaps empty */
    uint8_t kind;           /* what a trace calls the task, in place of its kind of work (trace/trace.h); 0: that */
    struct sq__wrapper *next;
} sq__wrapper_t;

void sq__wrapper_add(sq__wrapper_t *wrapper);

/* The wrapper with this function; NULL: it is not the library's. */
const sq__wrapper_t *sq__wrapper_of(sq_function_t function);

/* Reads a word of the record, which exists; 0: it has no such field. */
uintptr_t sq__wrapper_word(const void *record, uint16_t at);

/* The same of a record that may be gone. */
uintptr_t sq__wrapper_peek(const void *record, uint16_t at);

/* Suspended queues, for a dump */

/* L. Lists a queue that has just been suspended, and is not listed. Without memory for its record it is only counted (sq__suspended_missed). */
void sq__suspended_add(sq_queue_t *queue);

/* L, or the queue is about to be freed. No effect if it is not listed. */
void sq__suspended_remove(sq_queue_t *queue);

/* Calls `visit` for each, under the lock of its list. When its patience with a lock ends, it passes over the queues behind it. Returns how many locks
 * it did not get. The queue is there until `visit` returns. */
unsigned sq__suspended_visit(sq__patience_t *patience, void (*visit)(void *context, const sq_queue_t *queue), void *context);

/* How many queues could not be listed, since the program began. */
uint64_t sq__suspended_missed(void);
