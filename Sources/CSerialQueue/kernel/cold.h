/* cold.h: what few queues need, in a record of its own.
 *
 * DESIGN. Most queues are never watched, have no timers, and are not polled while many tasks wait. The others get a cold
 * record, which lives as long as the queue: the baton's holder writes it without a lock. While SQ__WATCHED is set in the queue's control, the holder
 * notes what runs, on which thread and since when, and the watching thread reads that (inspect/watch_thread.c). */
#ifndef SQ__KERNEL_COLD_H
#define SQ__KERNEL_COLD_H

#include "kernel/queue.h"

enum { SQ__LOOKS = 4 }; /* of the watching thread, within a threshold */

/* In `began`: the queue is idle, and the watching thread must be woken when it gets busy. No clock reaches this value. */
#define SQ__WATCH_RESTS UINT64_MAX

/* N written by the baton's holder; W under the watching thread's lock; L under the queue's. */
typedef struct sq__cold {
    SQ__ATOMIC(uint64_t) began;         /* N  when the running task began; 0: none runs; SQ__WATCH_RESTS: none, and the watching thread set it */
    SQ__ATOMIC(sq_function_t) function; /* N */
    SQ__ATOMIC(uint64_t) thread_id;     /* N */
    SQ__ATOMIC(sq__site_t) site;        /* N  where it was submitted; 0: not known */
    SQ__ATOMIC(sq__era_t) era;          /* L, read by any thread  of its sites: trace/sites.h */
    SQ__ATOMIC(uint64_t) traced_as;     /* A  the queue's number in a trace, and above that the session: traced.h */
    sq_queue_t *queue;                  /* I */
    SQ__ATOMIC(struct sq__measured *) measured; /* A  NULL until its histograms are first on, then fixed: measured.h */

    /* inspect/watch.c */
    void (*forget)(struct sq__cold *);  /* L  called before the record is freed; NULL: the queue was never watched */
    void (*wake)(struct sq__cold *);    /* L  called by the holder that finds SQ__WATCH_RESTS; as `forget` */
    struct sq__watcher *watcher;        /* W  NULL: not watched now */
    uint64_t taken[SQ__LOOKS];          /* W  slots taken in all, at the last looks; newest first */
    unsigned looks;                     /* W  how many of them are filled */
    uint64_t last_look;                 /* W */
    uint64_t round;                     /* W  the thread's last round in which it was looked at */
    uint64_t reported_running;              /* W  when the task began that was last reported */
    bool reported_waiting;                  /* W  the present wait was reported */
    bool rests;                         /* W  the queue is idle; the thread does not look at it before `wake` */
    struct sq__cold *next;              /* W */
    struct sq__cold **link;             /* W  what points to it; NULL: it is not in the list */

    /* kernel/suspended.h */
    struct sq__cold *next_suspended;   /* under the lock of its list */
    struct sq__cold **suspended_link;  /* L and the same  what points to it; NULL: it is in no list */

    /* queue/pending_timers.h */
    struct sq__pending_timer *pending_timers; /* L */
    size_t kept;                              /* L  how many of them have a reference to the queue */

    /* queue/end.c */
    struct sq_await_entry *at_end; /* L  the awaits of the end, newest first */

    /* queue/after_end.c */
    sq_queue_t *successor; /* L  runs what comes after the shutdown; NULL: there is none now */
    size_t late_calls;     /* L  how many calls and jobs use it */

    /* kernel/shared.h */
    struct sq__slot *shared;    /* L  a shared slot that the head has not consumed, which may be joined; NULL: none */
    SQ__ATOMIC(uint64_t) joined; /* L, read as a count: how many threads have joined a shared slot that was there */
} sq__cold_t;

/* What a watched queue runs. */
typedef struct sq__running {
    uint64_t began; /* 0: nothing is known to run */
    sq_function_t function;
    uint64_t thread_id;
    sq__site_t site; /* where it was submitted; 0: not known */
} sq__running_t;

/* L. The queue's record, made if there is none; NULL: no memory. */
sq__cold_t *sq__cold_record(sq_queue_t *queue);

/* The queue, which has a record, is about to be freed. */
void sq__cold_free(sq_queue_t *queue);

/* O. Notes that the calling thread begins, or ends, a task. Only if the queue's control has SQ__WATCHED. `site`: see trace/sites.h. In a
 * concurrent queue the site is the reader's. */
void sq__cold_task_begins(sq_queue_t *queue, sq_function_t function, sq__site_t site);
void sq__cold_task_ends(sq_queue_t *queue);

/* O. Called when a task may wait in the queue from now on, though none has begun: the queue may have been idle until now. */
void sq__cold_wake_watcher(sq_queue_t *queue);
static inline void sq__cold_gets_busy(sq_queue_t *queue) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__WATCHED, 0)) { /* [watch] acquire: the record */
        sq__cold_wake_watcher(queue);
    }
}

/* O. The task that has begun calls this function of the user's. The queue has a record. */
void sq__cold_task_calls(sq_queue_t *queue, sq_function_t function);
static inline void sq__cold_task_calls_if_watched(sq_queue_t *queue, sq_function_t function) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__WATCHED, 0)) { /* [watch] acquire: the record */
        sq__cold_task_calls(queue, function);
    }
}

#endif
