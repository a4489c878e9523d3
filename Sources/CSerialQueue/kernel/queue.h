/* queue.h: the queue's fields, and who may touch them.
 *
 * The letters: I fixed after create; O the baton's holder only (it sees what every holder before it wrote);
 * C written by the baton's holder, read by anyone as a count; A atomic, by anyone; L under the queue's lock (lock.h); P under
 * the pool's. */
#ifndef SQ__KERNEL_QUEUE_H
#define SQ__KERNEL_QUEUE_H

#include "include/sq_queue.h"
#include "kernel/state.h"
#include "kernel/work.h"
#include "platform/atomic.h"
#include "platform/memory.h"
#include "pool/runner.h"
#include "thread/process.h"

#include <stddef.h>

/* What the holder does with the next task: not start it (SQ__DISCARD has precedence), discard it, or write a note (cold.h). */
enum { SQ__HOLD = 1, SQ__DISCARD = 2, SQ__WATCHED = 4, SQ__CONCURRENT = 8 }; /* the last one is fixed: kernel/concurrent.h */

/* A capacity, as far as the kernel knows it: the room that a task took is given back when the task is taken. */
typedef struct sq__room {
    void (*give)(sq_queue_t *queue, struct sq__room *room); /* I */
    SQ__ATOMIC(uint32_t) references;                        /* A */
} sq__room_t;

/* The fields stand so that the runner, busy with its tasks, and the submitters, busy with the state word, do not share a cache
 * line: what the one writes for each task, what both read, and the state word are a line apart, wherever malloc puts the
 * queue; what is touched seldom fills the space between. */
struct sq_queue {
    /* Where the runner works. */
    sq__segment_t *head;            /* O  the segment of the next task; NULL: the ring's first */
    SQ__ATOMIC(uint16_t) index;     /* C  the next task's place in it; SQ__SEGMENT_SLOTS: the next segment's first */
    SQ__ATOMIC(uint16_t) lingers;   /* C  a hint: the runner has caught up, and looks for more work; nothing runs */
    uint32_t stack_kib;             /* I  of the worker's thread; 0: the system's default */
    SQ__ATOMIC(uint64_t) ran;       /* C */

    SQ__ATOMIC(uint64_t) entered;   /* C  how many segments the head has entered; 1 before the first, too */
    SQ__ATOMIC(uint64_t) discarded; /* C */
    SQ__ATOMIC(uint64_t) skipped;   /* C  places that the head has passed, minus what ran or was discarded: those that were given up */
    SQ__ATOMIC(uint64_t) highest;   /* C  the highest depth seen */
    sq__ready_t ready;                  /* P  the pool's, while the baton is with it and no thread of it runs the queue */
    SQ__ATOMIC(struct sq__cold *) cold; /* A  NULL until it is first watched, polled or has a timer, then fixed */
    SQ__ATOMIC(uint32_t) references; /* A */
    uint32_t suspensions;           /* L */

    /* What all read, and hardly anybody writes. */
    SQ__ATOMIC(uint16_t) control;      /* L, read by the holder: what it does with the next task; SQ__HOLD, ... */
    SQ__ATOMIC(uint16_t) handoff_kind; /* C  SQ__EMPTY: none */
    uint32_t process;                  /* I  see process.h */
    sq__room_t *room;                  /* I  of a queue of limited capacity; else NULL */
    SQ__ATOMIC(sq__runner_t) runner;   /* A  a worker: from the first async until the queue has ended; a pool: fixed */

    /* Where a submitter that found the queue free leaves the one task for the runner. */
    sq__work_t handoff;                 /* O  a TASK, PAIR or CLAIM, or a thread of a shared slot */
    SQ__ATOMIC(uint64_t) segments;      /* A  how many segments were put into the ring */
    SQ__ATOMIC(uintptr_t) first;        /* A  the link to the first segment; see ring.h */
    SQ__ATOMIC(sq__segment_t *) spare;  /* A  an empty segment for reuse, or NULL */
    SQ__ATOMIC(uint64_t) withdrawn;     /* A */

    /* Where the submitters meet. */
    SQ__ATOMIC(sq__state_t) state;      /* A  see state.h */
    SQ__ATOMIC(uint64_t) rejected;      /* A */
#ifdef SQ_DEBUG
    SQ__ATOMIC(uint64_t) mark; /* A  see handle.h */
#endif
    char label[];                       /* I */
};

/* Two words whose places are so far apart are on two lines at any address. */
#define SQ__APART(one, other) (offsetof(struct sq_queue, other) - offsetof(struct sq_queue, one) >= SQ__LINE)
_Static_assert(SQ__APART(ran, control) && SQ__APART(runner, state), "runner and submitters share a cache line");

/* True: the queue was made before a fork that this process is the child of. */
static inline bool sq__queue_is_stale(const sq_queue_t *queue) { return queue->process != sq__process(); }

/* It had better not linger: others wait for the thread. */
static inline bool sq__queue_is_crowded(const sq_queue_t *queue) {
    const sq__pool_t *pool = sq__runner_pool(sq__load_relaxed(&queue->runner));
    return pool != NULL && sq__pool_is_crowded(pool);
}

/* Others wait for the thread, and time counts: not on a manual pool, where turns must not depend on it. */
static inline bool sq__queue_shares_its_thread(const sq_queue_t *queue) {
    const sq__pool_t *pool = sq__runner_pool(sq__load_relaxed(&queue->runner));
    return pool != NULL && sq__pool_is_crowded(pool) && sq__pool_clock(pool) == NULL;
}

/* The block of memory that the queue is in. */
void *sq__queue_memory(sq_queue_t *queue);

/* Counts a submission that is refused with this error, and returns the error. */
static inline int sq__queue_reject(sq_queue_t *queue, int error) {
    sq__add_relaxed(&queue->rejected, 1);
    return error;
}

#endif
