/* watch_thread.h: the thread that looks at the watched queues. watch.h tells the whole. */
#ifndef SQ__INSPECT_WATCH_THREAD_H
#define SQ__INSPECT_WATCH_THREAD_H

#include "include/sq_watch.h"
#include "kernel/queue.h"

enum { SQ__LOOKS = 4 };

/* In `began`: the queue is idle, and the thread is to be woken when it gets busy. No clock comes so far. */
#define SQ__WATCH_RESTS UINT64_MAX

/* What the user gave. W under the thread's lock. */
typedef struct sq__watcher {
    sq_watcher_t given;
    uint64_t threshold;
    bool is_being_called;                    /* W */
    bool is_dropped;                         /* W  the thread lets go of it after the call */
    void (*let_go)(struct sq__watcher *);
} sq__watcher_t;

/* One for each queue that was ever watched, had a timer, or was polled while many tasks waited. N written by the baton's holder, W
 * under the thread's lock, L under the queue's. */
typedef struct sq__cold {
    SQ__ATOMIC(uint64_t) began;         /* N  when the task began that runs; 0: none; SQ__WATCH_RESTS: none, and the thread set it */
    SQ__ATOMIC(sq_function_t) function; /* N */
    SQ__ATOMIC(uint64_t) thread_id;     /* N */
    sq_queue_t *queue;                  /* fixed */
    sq__watcher_t *watcher;             /* W  NULL: not watched now */
    uint64_t taken[SQ__LOOKS];          /* W  places taken in all, at the last looks; newest first */
    unsigned looks;                     /* W  how many of them are filled */
    uint64_t last_look;                 /* W */
    uint64_t round;                     /* W  the thread's last round in which it was looked at */
    uint64_t told_running;              /* W  when the task began that was last told of */
    bool told_waiting;                  /* W  the present wait was told of */
    bool rests;                         /* W  the queue is idle; the thread does not look at it before sq__watch_wake */
    struct sq__cold *next;              /* W */
    struct sq__cold **link;             /* W  what points to it; NULL: it is not in the list */
    struct sq__pending_timer *pending_timers;   /* L  see pending_timers.h */
    size_t kept;                        /* L  how many of them have a reference to the queue */
    struct sq__slot *shared;            /* L  a shared slot that the head has not passed, which may be joined; NULL: none. See shared.h */
    SQ__ATOMIC(uint64_t) joined;        /* L, read as a count: how many threads have joined a shared slot that was there */
} sq__cold_t;

void sq__watch_thread_lock(void);
void sq__watch_thread_unlock(void);

/* W. Puts the note into the list, and has the thread look at it in the watcher's time. Returns 0 or ENOMEM. */
int sq__watch_thread_add(sq__cold_t *cold, const sq__watcher_t *watcher);
void sq__watch_thread_remove(sq__cold_t *cold);

/* N. The record has the mark: the thread looks at the queue again. Takes the thread's lock. */
void sq__watch_wake(sq__cold_t *cold);

#endif
