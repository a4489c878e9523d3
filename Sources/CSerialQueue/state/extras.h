/* extras.h: records that few queues need.
 *
 * DESIGN. Most queues are never watched or traced, have no timers, and are not polled while many tasks wait. What the others need stands in
 * records, one for each owner, which defines, makes and uses it. The queue has one pointer to a table of them, made with the first. The
 * records live as long as the queue: the baton's holder uses some of them without a lock. */
#pragma once

#include "state/queue.h"

/* The owners. */
typedef enum sq__extra {
    SQ__EXTRA_SITES,     /* observe/call_sites.c */
    SQ__EXTRA_TRACE,     /* observe/trace_hooks.c */
    SQ__EXTRA_TIMINGS,   /* observe/timings.h, made by inspect/histogram.c */
    SQ__EXTRA_WATCH,     /* observe/watch_notes.h, made by inspect/watch.c */
    SQ__EXTRA_SUSPENDED, /* observe/suspended_list.c */
    SQ__EXTRA_SHARED,    /* kernel/shared.c */
    SQ__EXTRA_TIMERS,    /* queue/pending_timers.c */
    SQ__EXTRA_AT_END,    /* queue/end.c */
    SQ__EXTRA_AFTER_END, /* queue/after_end.c */
    SQ__EXTRA_VALUES,    /* queue/values.c */
    SQ__EXTRA_TARGET,    /* queue/targeted.h, made by queue/target.c */
    SQ__EXTRAS
} sq__extra_t;

typedef struct sq__extras {
    SQ__ATOMIC(void *) records[SQ__EXTRAS]; /* A  each NULL until its owner makes it, then fixed */
} sq__extras_t;

/* L. The owner's record, made and zeroed if there is none; NULL: no memory. */
void *sq__extra_make(sq_queue_t *queue, sq__extra_t owner, size_t bytes);

/* The owner's record as it was made; NULL: there is none. */
static inline void *sq__extra(const sq_queue_t *queue, sq__extra_t owner) {
    const sq__extras_t *extras = sq__load_acquire(&queue->extras); /* [extras] acquire: the table as it was made */
    return extras != NULL ? sq__load_acquire(&extras->records[owner]) : NULL; /* [extras] acquire: the record as it was made */
}

/* For a dump: copies the beginning of the owner's record, by a copy of the queue. False: there is none, or it cannot be read. */
bool sq__extra_peek(const sq_queue_t *copy, sq__extra_t owner, void *record, size_t bytes);

/* The queue, which has a table, is about to be freed. What the records point to is their owners'. */
void sq__extras_free(sq_queue_t *queue);
