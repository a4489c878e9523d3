/* watch_thread.h: the thread that notices that a watched queue makes no progress.
 *
 * DESIGN. One thread for all watched queues looks at each of them four times per threshold. To find a task that runs too long, it reads
 * what the holder notes before each task (observe/watch_notes.h). To find that the oldest task waits too long, it needs no
 * note: it remembers how many slots had been taken at each of its last looks. Slots are consumed in order, so a task that took its slot a
 * threshold ago still waits if fewer slots than that have been consumed since. The looks go in rounds, with at most one report for each queue
 * in a round: a queue with many reports does not keep the thread from the others. A round goes through all watched queues. So that many queues that become
 * watched or busy, or are due, at different times do not cause as many rounds, there is a gap between two of them, a part of the shortest rest.
 *
 * Unwatched queues pay one branch per task, on a word that the holder reads anyway. The thread ends with the last watched
 * queue.
 *
 * A watcher can be replaced at any time, also while it is being called: then the thread discards it after the call. */
#pragma once

#include "include/sq_watch.h"
#include "observe/observe_inline.h"

/* The user's watcher. W under the thread's lock. */
typedef struct sq__watcher {
    sq_watcher_t given;
    uint64_t threshold;
    bool is_being_called;                     /* W */
    bool is_dropped;                          /* W  the thread discards it after the call */
    void (*discard)(struct sq__watcher *);
} sq__watcher_t;

enum { SQ__LOOKS = 4 }; /* of the watching thread, within a threshold */
enum { SQ__ROUND_PART = 16 }; /* the gap between two rounds is this part of the time between two looks */

/* A watched queue's record. W under the thread's lock. */
typedef struct sq__watched {
    sq__watch_note_t note;         /* first */
    sq_queue_t *queue;             /* I */
    sq__watcher_t *watcher;        /* W  NULL: not watched now */
    uint32_t taken[SQ__LOOKS];     /* W  slots taken in all, at the last looks; newest first. Only differences count */
    unsigned looks;                /* W  how many of them are filled */
    uint64_t last_look;            /* W */
    uint64_t round;                /* W  the thread's last round in which it was looked at */
    uint64_t reported_running;     /* W  when the task began that was last reported */
    bool reported_waiting;         /* W  the present wait was reported */
    bool rests;                    /* W  the queue is idle; the thread does not look at it before `wake` */
    struct sq__watched *next;      /* W */
    struct sq__watched **link;     /* W  what points to it; NULL: it is not in the list */
} sq__watched_t;

/* The thread's lock. */
void sq__watch_lock(void);
void sq__watch_unlock(void);

/* W. Puts the record into the thread's list, to be looked at as often as the watcher asks. Returns 0 or ENOMEM. sq__watch_thread_remove takes it out,
 * if it is there; the thread ends when the list is empty. */
int sq__watch_thread_add(sq__watched_t *watched, const sq__watcher_t *watcher);
void sq__watch_thread_remove(sq__watched_t *watched);

/* N. Called when the record has the mark SQ__WATCH_RESTS: the thread looks at the queue again. Takes the thread's lock. */
void sq__watch_wake(sq__watch_note_t *note);
