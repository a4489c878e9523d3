/* trace_event.h: what a trace consists of. */
#pragma once

#include <stdint.h>

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

/* Kinds of tasks that are no kinds of work (state/work.h): a work item, a firing of a timer, what is called when that is released; and a part of a
 * task that has a label of its own. */
enum { SQ__TASK_OF_ITEM = 12, SQ__TASK_OF_TIMER, SQ__END_OF_TIMER, SQ__PART_OF_TASK };

/* In the detail of a START: the task is discarded, and its discard function is called. */
enum { SQ__EVENT_DISCARDS = 0x80 };

/* The same: `where` is the site of a call that runs its function itself. */
enum { SQ__EVENT_CALLS = 0x10 };

/* The rest of it, except the bit of a barrier: the kind. */
enum { SQ__EVENT_KIND = 0x2F };

/* In the detail of a WAITED: another thread has run the task that was waited for. No errno code has this value. */
enum { SQ__EVENT_DONE = 0xFF };

typedef struct sq__entry {
    uint64_t time;  /* nanoseconds of sq__clock_now */
    uint64_t what;  /* sq__entry_what */
    uint64_t where; /* see the kinds */
    uint64_t which;
} sq__entry_t;

static inline uint64_t sq__entry_what(sq__entry_kind_t kind, unsigned detail, uint32_t queue) {
    return (uint64_t)queue << 32 | (uint64_t)(detail & 0xFF) << 8 | (uint64_t)kind;
}

static inline sq__entry_kind_t sq__entry_kind(const sq__entry_t *event) { return (sq__entry_kind_t)(event->what & 0xFF); }
static inline unsigned sq__entry_detail(const sq__entry_t *event) { return (unsigned)(event->what >> 8) & 0xFF; }
static inline uint32_t sq__entry_queue(const sq__entry_t *event) { return (uint32_t)(event->what >> 32); }
