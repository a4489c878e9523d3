/* trace.h: what other rooms record in a trace, and where they keep call sites.
 *
 * DESIGN. A trace has a number, its session; 0: nothing is recorded. recorder.c has how an event is recorded, session.c how a trace begins and ends,
 * sites.c the table of call sites. */
#pragma once

#include "platform/atomic.h"
#include "platform/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t sq__session_t;

extern SQ__ATOMIC(sq__session_t) sq__trace_session;

static inline bool sq__trace_is_on(void) {
    return SQ__SEES_INSIDE && __builtin_expect(sq__load_relaxed(&sq__trace_session) != 0, 0);
}

/* Events */

typedef enum sq__entry_kind {
    SQ__EVENT_SUBMIT = 1, /* detail: the work's kind. where: its place in the queue; which: the call site */
    SQ__EVENT_START,      /* detail: the work's kind. where: its place; with SQ__EVENT_CALLS its site; which: its function */
    SQ__EVENT_END,        /* of the task that this thread started last. detail: ECANCELED: it did not run, as it was cancelled before */
    SQ__EVENT_WAIT,       /* detail: what for (sq__aim_t). where: its place in the queue, if it waits for its turn; which: as SUBMIT */
    SQ__EVENT_WAITED,     /* detail: the errno code that the wait ended with, or SQ__EVENT_DONE. Of the wait that this thread began last */
    SQ__EVENT_GRANT,      /* where: the place of the waiting thread that may run now, or of the task that this thread starts next */
    SQ__EVENT_WITHDRAWN,  /* where: the place of the task that was withdrawn: it never runs. detail, which, its label: as START */
    SQ__EVENT_SUSPEND,    /* which: how many suspensions there are now */
    SQ__EVENT_RESUME,     /* the same */
    SQ__EVENT_SHUTDOWN,   /* detail: the mode */
    SQ__EVENT_ENDED,      /* the queue has ended */
    SQ__EVENT_POOL,       /* where: how many threads the pool has now; which: how many of them may run. Its label is the text */
    SQ__EVENT_TIMER,      /* a timer is due; its task is submitted next */
    SQ__EVENT_TURN,       /* detail: 1 begins, 0 ends. A turn of a FIFOQueue, whose label is the text. where: the queue; which: the turn */
    SQ__EVENT_MARK,       /* something happened that the text says */
    SQ__EVENT_SHARE,      /* this thread begins to run iterations of an apply. where: how many it has in all; which: its function */
    SQ__EVENT_SHARE_END,  /* of the share that this thread began last. where: how many iterations it has run */

    /* These two belong to the next event of the thread, of another kind. */
    SQ__EVENT_CONTEXT,    /* which: the first word of the context of a task: a closure's code, perhaps */
    SQ__EVENT_TEXT        /* detail: 1: the text begins. where, which: its next 16 bytes */
} sq__entry_kind_t;

/* Kinds of tasks that are no kinds of work (state/state.h): a work item, a firing of a timer; and a part of a task that has a label of its own. */
enum { SQ__TASK_OF_ITEM = 12, SQ__TASK_OF_TIMER = 13, SQ__PART_OF_TASK = 15 };

/* In the detail of a START: the task is discarded, and its discard function is called. */
enum { SQ__EVENT_DISCARDS = 0x80 };

/* The same: `where` is the site of a call that runs its function itself. */
enum { SQ__EVENT_CALLS = 0x10 };

/* The rest of it, except the bit of a barrier: the kind. */
enum { SQ__EVENT_KIND = 0x2F };

/* In the detail of a WAITED: another thread has run the task that was waited for. No errno code has this value. */
enum { SQ__EVENT_DONE = 0xFF };

/* Records an event of the calling thread. */
void sq__trace_event(sq__entry_kind_t kind, unsigned detail, uint32_t queue, uint64_t where, uint64_t which);

/* The same for an event that opens something. Returns the session, for sq__trace_close; 0: it was not recorded. */
sq__session_t sq__trace_open(sq__entry_kind_t kind, unsigned detail, uint32_t queue, uint64_t where, uint64_t which);

/* Closes what this thread opened last, with what sq__trace_open returned: no effect if that was not recorded, or its session is over. `where`: see
 * the kinds. */
void sq__trace_close(sq__session_t session, sq__entry_kind_t kind, unsigned detail, uint64_t where);

/* Records a text of at most 80 bytes, for the next event. */
void sq__trace_text(const char *text);

/* Gives the queue a number in the session, in *traced_as with the session above it, and keeps its address and label. Returns the number, also if it
 * has one already. 0: the session is over, or there is no memory. */
uint32_t sq__recorders_name(sq__session_t session, SQ__ATOMIC(uint64_t) *traced_as, const void *queue, const char *label, bool is_concurrent);

/* Begins a trace if the environment has SQ_TRACE. Called once, when the library is loaded. */
void sq__trace_from_environment(void);

/* Records a mark with this text, and makes a flight recorder write a file, unless it has written many for that. */
void sq__trace_happened(const char *what);

/* Call sites */

typedef uint32_t sq__epoch_t;

/* A return address is behind the call; this is an address of the call itself, which belongs to its function and line. */
static inline uintptr_t sq__site_of_call(const void *site) { return (uintptr_t)site - 1; }

enum { SQ__MAKER = 8 }; /* bytes of an empty label, its end among them */

/* Where the semaphore, group or item with this label was made (sq__made_by); NULL: it has a label, or this is not known. */
const void *sq__maker_of(const char *label);

/* Appends where this call site is to a report, as a member; no effect if that is NULL. Reads files, as sq__site_text. */
struct sq__json;
void sq__site_json(struct sq__json *json, const char *name, const void *site);

/* A number that no queue has used. */
sq__epoch_t sq__sites_new_epoch(void);

/* A task comes to this place of the queue. Before the task can be seen. */
void sq__sites_put(sq__epoch_t epoch, const void *queue, uintptr_t where, const void *site);

/* Returns the site of the task in this place, for a dump; NULL: not known. */
const void *sq__sites_look(sq__epoch_t epoch, const void *queue, uintptr_t where);

/* Removes and returns the site of the task that was in this place; NULL: not known. */
const void *sq__sites_take(sq__epoch_t epoch, const void *queue, uintptr_t where);

/* The call that added the newest member to a group by sq_group_enter: kept, before the member can be seen, and looked up while a trace is under way. */
void sq__sites_put_entered(const void *group, const void *site);
const void *sq__sites_look_entered(const void *group);
