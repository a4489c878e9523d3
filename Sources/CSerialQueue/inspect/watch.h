/* watch.h: noticing that a queue does not get on.
 *
 * DESIGN. One thread for all watched queues looks at each of them four times a threshold. A task that runs too long is told by
 * a note that the holder writes before each task of a watched queue: what runs, where, since when. That the oldest task
 * waits too long needs no note: the thread remembers how many places had been taken at each of its last looks; as places are
 * passed in order, one that was taken a threshold ago still waits if fewer than that many have been passed since. Its looks go
 * in rounds, in which each queue gets at most one report: a queue with many does not keep it from the others.
 *
 * An idle queue costs nothing: the thread marks its note, and does not look at it until the thread that makes the queue busy finds
 * the mark. That wakes it at most once per look.
 *
 * Unwatched queues pay one branch a task, on a word that the holder has at hand. The thread ends with the last watched queue.
 *
 * The note lives as long as the queue, for the holder writes it without a lock. What the user gave, the watcher, can be
 * replaced at any time, also during a call of it: then it is let go of by the thread, after the call. */
#ifndef SQ__INSPECT_WATCH_H
#define SQ__INSPECT_WATCH_H

#include "kernel/queue.h"

/* O. Notes that the calling thread begins, or ends, a task. Only if the queue's control has SQ__WATCHED. */
void sq__watch_begin(sq_queue_t *queue, sq_function_t function);
void sq__watch_end(sq_queue_t *queue);

/* O. The queue was idle, perhaps, and a task may wait in it from now on, though none has begun. */
void sq__watch_wake_for(sq_queue_t *queue);
static inline void sq__watch_busy(sq_queue_t *queue) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__WATCHED, 0)) { /* [watch] acquire: the note */
        sq__watch_wake_for(queue);
    }
}

/* O. The task that has begun calls this function of the user's. The queue has a note. */
void sq__watch_rename(sq_queue_t *queue, sq_function_t function);

/* L. The queue's note, made if there is none; NULL: no memory. */
struct sq__cold *sq__cold_record(sq_queue_t *queue);

/* The queue is about to be freed. */
void sq__watch_forget(sq_queue_t *queue);

/* Around a fork. */
void sq__watch_lock(void);
void sq__watch_unlock(bool in_child);

#endif
