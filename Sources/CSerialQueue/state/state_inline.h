/* state_inline.h: the queue's state word and fields, and which threads may access them.
 *
 * The letters: I fixed after create; O only the baton's holder (it sees the writes of all earlier holders); C written by the
 * baton's holder, read by any thread; A atomic, any thread; L under the queue's lock (queue_lock.c); P under the lock of the runner's list.
 * Before a function, O: only the baton's holder may call it; L: the caller has the lock. A word in brackets names a pair of a
 * release and an acquire; Documentation/MemoryOrdering.md has each pair with the reason.
 *
 * DESIGN. One 64-bit word decides everything that threads can race for: which thread owns the queue, and which slot of the
 * ring each submitter gets. From the low end:
 *
 *     bit 0       OWNED      the queue is not free: a thread holds the baton or is about to get it, or the baton was left in
 *                            an unfilled slot, or it is parked
 *     bit 1       PARKED     the queue is suspended and keeps the baton; the thread that clears this bit gets it
 *     bit 2       SUSPENDED  no task may start
 *     bit 3       CLOSED     shut down: no submission is accepted
 *     bit 4       ENDED      also, the last task is over; the baton no longer exists
 *     bit 5       DISCARDED  with CLOSED: waiting tasks are discarded, suspended or not
 *                 NOT_FREE   without CLOSED: the queue is not free to any thread: a sync must ask its runner first (runner.h). Set
 *                            before the first submission. The swap that sets CLOSED clears it, or makes it DISCARDED
 *     bits 6-47   TAIL       the segment that the next slot is taken from (64-byte aligned); 0: none yet
 *     bits 48-55  TAKEN      how many of its slots have been taken, 0 to SQ__SEGMENT_SLOTS
 *     bits 56-63  RELEASES   the number of times that the last reference was released, minus the number of times that a task
 *                            took a new one afterwards: 1 or 0. Below 0 for a moment, while a releaser has already decremented
 *                            the reference count to zero, but has not updated this word yet
 *
 *     { TAIL: 0, TAKEN: 0 }                 free; has no segment
 *     { TAIL: 0, TAKEN: 0, NOT_FREE }       free, but only to a thread that the runner names, or that then takes a turn in a target
 *     { TAIL: t, TAKEN: n, OWNED }          owned; the waiting tasks are between the head (the holder's) and (t, n)
 *     { ..., OWNED, SUSPENDED }             a thread has the baton or will get it, and will park it; a task may run
 *     { ..., OWNED, SUSPENDED, PARKED }     nothing starts, and nothing runs except the readers inside a concurrent queue; submissions
 *                                           take slots
 *     { ..., OWNED, CLOSED }                shutting down; with SUSPENDED and PARKED it waits for a resume
 *     { ..., OWNED, CLOSED, ENDED }         shut down, permanently
 *     { ..., OWNED, RELEASES: 1 }           released: no references are left; the queue is freed once it is empty. If a task
 *                                           suspends such a queue, its holder ends the suspension and discards what waits
 *                                           (suspension.c)
 *
 * A concurrent queue's word is never free: OWNED is always set, also while its gate is open (gate/gate_inline.h).
 *
 * Free implies empty: OWNED may be clear only while no slot is taken; TAKEN is then 0 and no other flag than NOT_FREE is
 * set. So a thread can take a free queue without looking at the ring. Only the baton's holder clears OWNED or sets PARKED, with one
 * exception: the suspender of a free queue sets PARKED in the swap that takes it. SUSPENDED, CLOSED, DISCARDED and ENDED change under
 * the queue's lock (queue_lock.c). RELEASES is incremented by the thread that releases the last reference, and decremented by a task
 * that then takes a new one (the running task keeps the queue alive). OWNED and RELEASES are in one word, so that word alone decides
 * whether the releaser or the holder frees the queue, whichever comes first.
 *
 * The word contains the segment's address, so that one compare-and-swap takes the slot and verifies that the slot is in this
 * segment. A submitter accesses a segment only after it has a slot there, or the first slot of the next one: then it writes the
 * link. A segment is never recycled while one of its taken slots is not consumed, or before the link that leaves it was followed. A word that returns
 * to an old value (ABA) is harmless: the swap takes the slot that the word names now. */
#pragma once

#include "include/sq_queue.h"
#include "runner/runner_inline.h"
#include "platform/atomic.h"
#include "platform/memory.h"
#include "platform/probe.h"
#include "thread/process.h"
#include "trace/trace.h"
#include "state/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state word */

typedef struct sq__segment sq__segment_t;
typedef uint64_t sq__state_t;

#define SQ__OWNED ((sq__state_t)1 << 0)
#define SQ__PARKED ((sq__state_t)1 << 1)
#define SQ__SUSPENDED ((sq__state_t)1 << 2)
#define SQ__CLOSED ((sq__state_t)1 << 3)
#define SQ__ENDED ((sq__state_t)1 << 4)
#define SQ__DISCARDED ((sq__state_t)1 << 5)
#define SQ__NOT_FREE SQ__DISCARDED /* without SQ__CLOSED */
#define SQ__RELEASES ((sq__state_t)0xFF << 56)
#define SQ__RELEASE_ONE ((sq__state_t)1 << 56)
#define SQ__FLAGS ((sq__state_t)0x3F)
#define SQ__TAIL (((sq__state_t)1 << 48) - 1 - SQ__FLAGS)
#define SQ__TAKEN_ONE ((sq__state_t)1 << 48)

static inline bool sq__state_is_free(sq__state_t state) { return (state & SQ__OWNED) == 0; }

/* A sync takes it, whichever thread makes it. */
static inline bool sq__state_is_free_to_any_thread(sq__state_t state) { return (state & SQ__FLAGS) == 0; }

/* A shutdown discards the tasks that wait. The holder obeys SQ__DISCARD in the control, which is also set without this
 * (sq__suspend_abandon; suspension.c). */
static inline bool sq__state_is_discarded(sq__state_t state) {
    return (state & (SQ__CLOSED | SQ__DISCARDED)) == (SQ__CLOSED | SQ__DISCARDED);
}

static inline sq__segment_t *sq__state_tail(sq__state_t state) { return (sq__segment_t *)(uintptr_t)(state & SQ__TAIL); }

static inline unsigned sq__state_taken(sq__state_t state) { return (unsigned)(state >> 48) & 0xFF; }

/* No reference is left. Only a running task can still take one (queue/reference.c: revive). So for the holder of a serial queue, between two
 * tasks, this is final. */
static inline bool sq__state_is_released(sq__state_t state) { return (state & SQ__RELEASES) == SQ__RELEASE_ONE; }

/* The same state with another tail. */
static inline sq__state_t sq__state_with_tail(sq__state_t state, sq__segment_t *tail, unsigned taken) {
    return (state & (SQ__FLAGS | SQ__RELEASES)) | (sq__state_t)(uintptr_t)tail | taken * SQ__TAKEN_ONE;
}

/* The fields */

/* The flags of `control`. Some say what the holder does with the next task; the others are fixed before the first submission. */
enum {
    SQ__HELD_BACK = 1,  /* do not start it: the queue is suspended. sq__suspension_obey acts on it (kernel/suspension.c) */
    SQ__DISCARD = 2,    /* discard it; has precedence over SQ__HELD_BACK */
    SQ__WATCHED = 4,    /* record its start for a watcher (observe/observe.h) */
    SQ__CONCURRENT = 8, /* fixed: gate/gate_inline.h */
    SQ__TRACED = SQ__SEES_INSIDE ? 16 : 0, /* record it for a trace (observe/observe.h) */
    SQ__MEASURED = 32,  /* measure its times (observe/observe.h) */
    SQ__MOVABLE = 64,   /* until its runner is fixed: it may get a target, or another one (queue/targeted.h) */
    SQ__BOUNDED = 128,  /* fixed: it has a `room` */
    SQ__SERVICE = 256   /* fixed, times a sq_service_t: the class of the threads that it gets from the cache */
};
/* Without these a task is just called; with these it is known where it was submitted (observe/call_sites.c). */
enum { SQ__NOTED = SQ__WATCHED | SQ__TRACED | SQ__MEASURED, SQ__SITED = SQ__SEES_INSIDE ? SQ__WATCHED | SQ__TRACED : 0 };

/* In `references`: one reference, that of all the queues together whose target this is (queue/target.c). The others are the program's. */
#define SQ__PINNED ((uint32_t)1 << 31)

/* The part of a capacity that the kernel knows: the room that a task took is given back when the task leaves the ring. */
typedef struct sq__room {
    void (*give)(sq_queue_t *queue, struct sq__room *room); /* I  sq__async_give_room (queue/async.c) */
    SQ__ATOMIC(uint32_t) references;                        /* A */
} sq__room_t;

/* A slot of the ring: from the low end, 8 bits are its index in its segment, and the others the number of that segment, counted from 1. Index
 * SQ__SEGMENT_SLOTS is the end of that segment: the first slot of the next one, which may not be there yet. */
typedef uint64_t sq__position_t;
#define SQ__NEXT_SEGMENT ((sq__position_t)1 << 8)
static inline unsigned sq__position_index(sq__position_t position) { return position & (SQ__NEXT_SEGMENT - 1); }

/* A bit of `position`, no part of the number: the runner is out of work and spins for more; nothing runs. A hint. */
#define SQ__POSITION_SPINS ((sq__position_t)1 << 63)

/* Counts that any thread changes, and a statistic reads. tally.c has the design. */
typedef enum sq__tally { SQ__TALLY_DISCARDED, SQ__TALLY_WITHDRAWN, SQ__TALLY_REJECTED, SQ__TALLIES } sq__tally_t;

/* `by` is 1, or less than 0 (it wraps) if the caller takes back what it has counted. */
void sq__tally(sq_queue_t *queue, sq__tally_t tally, uint64_t by) __attribute__((cold));

/* The fields are ordered so that the runner and the submitters do not share a cache line. The fields that the runner writes for
 * each task, the fields that both read, and the state word are on different lines, wherever malloc puts the queue.
 * Rarely used fields fill the space between. */
struct sq_queue {
    /* Written by the runner. */
    SQ__ATOMIC(sq__position_t) position; /* C  the next task's slot in the head; one word, as any thread may ask for the depth */
    SQ__ATOMIC(uint64_t) ran;            /* C */

    sq__segment_t *head;              /* O  the segment of the next task; NULL: the ring's first */
    SQ__ATOMIC(uint32_t) highest;     /* C  the highest depth seen */
    SQ__ATOMIC(uint32_t) tallies[SQ__TALLIES]; /* A  see tally.c */
    sq__ready_t ready;                /* P  in the runner's list; a serial queue's, while none of its threads runs it */
    SQ__ATOMIC(uint32_t) skipped;     /* C  consumed slots whose work was withdrawn or refused: it neither ran nor was discarded; and shared
                                       *    slots, less the threads that left them for the hand-off slot. Only differences count: it wraps */
    SQ__ATOMIC(uint32_t) suspensions; /* L  and read by dumps: how many suspensions have not been resumed */
    SQ__ATOMIC(struct sq__extras *) extras; /* A  NULL until an owner makes the first record (state.h), then fixed */

    /* Read by all, rarely written, except handoff_kind. */
    SQ__ATOMIC(uint16_t) control;      /* L, the holder and submitters read it: what to do with the next task; SQ__HELD_BACK, ... */
    SQ__ATOMIC(uint16_t) handoff_kind; /* C, and under the lock a thread that withdraws writes it. SQ__EMPTY: none */
    uint32_t process;                  /* I  the process that made it: see process.h */
    SQ__ATOMIC(sq__runner_t) runner;   /* A  0 until it is fixed, or while it has no client of the cache: from the first async until the end of the queue */

    /* The hand-off slot, for the task of a submitter that found the queue free; and rarely used fields. */
    SQ__ATOMIC(uintptr_t) first_link; /* A  the link to the first segment; see ring.h */
    sq__work_t handoff;               /* O  any asynchronous work, or a thread from a shared slot */
    sq__room_t *room;                 /* I  NULL: the capacity is unlimited. May share a line with the state word: the holder asks SQ__BOUNDED first */

    /* Written by the submitters, and by threads that create or end timers. */
    SQ__ATOMIC(uint32_t) segments;    /* A  how many segments were added to the ring; only differences count: it wraps */
    SQ__ATOMIC(uint32_t) references;  /* A */
    SQ__ATOMIC(sq__state_t) state;      /* A  see above */
#ifdef SQ_DEBUG
    SQ__ATOMIC(uint64_t) mark; /* A  see handle.c */
#endif
    char label[];                       /* I */
};

/* Fields this far apart are on different cache lines at any address of the queue that malloc returns: a multiple of 16. */
#define SQ__APART(one, other) (offsetof(struct sq_queue, other) / 16 - offsetof(struct sq_queue, one) / 16 >= SQ__LINE / 16)
_Static_assert(SQ__APART(position, control) && SQ__APART(ran, control) && SQ__APART(control, state) && SQ__APART(runner, state)
                   && SQ__APART(ran, references), "runner and submitters share a cache line");
#ifndef SQ_DEBUG
_Static_assert(offsetof(struct sq_queue, label) + 48 <= 3 * SQ__LINE - sizeof(size_t), "malloc takes more than three lines for a queue with a label of 47");
#endif

/* The queue on which its tasks run; NULL: it has no target, or that may still be moved: sq__targeted_fix comes first (queue/targeted.h). */
static inline sq_queue_t *sq__queue_target(const sq_queue_t *queue) { return sq__runner_target(sq__load_relaxed(&queue->runner)); }

/* The last of its targets; the queue itself, if it has none. *above: the queue whose target that is; unchanged if there is none. */
static inline const sq_queue_t *sq__queue_root_and_above(const sq_queue_t *queue, const sq_queue_t **above) {
    for (const sq_queue_t *target; (target = sq__queue_target(queue)) != NULL;) {
        *above = queue;
        queue = target;
    }
    return queue;
}
static inline const sq_queue_t *sq__queue_root(const sq_queue_t *queue) {
    const sq_queue_t *above;
    return sq__queue_root_and_above(queue, &above);
}

/* The runner on which its tasks run in the end. */
static inline sq__runner_t sq__queue_root_runner(const sq_queue_t *queue) {
    queue = sq__queue_root(queue);
    return sq__load_relaxed(&queue->runner);
}

/* The runner that runs the queue's tasks, if that has no threads; else 0. *entry: the one that it runs for them, which is that of the last target. */
static inline sq__runner_t sq__queue_threadless_runner(const sq_queue_t *queue, sq__ready_t **entry) {
    sq__runner_t runner = sq__queue_root_runner(queue);
    *entry = (sq__ready_t *)(uintptr_t)&sq__queue_root(queue)->ready;
    return sq__runner_is_threadless(runner) ? sq__runner(sq__runner_object(runner), SQ__LEVEL_NORMAL) : 0;
}

/* True: the queue was created before a fork, and this process is the child. */
static inline bool sq__queue_is_stale(const sq_queue_t *queue) {
    return queue->process != sq__process();
}

/* The level of its ready entry; not while it has no runner, or is a client of the cache. */
static inline sq__level_t sq__queue_level(const sq_queue_t *queue) { return sq__runner_level(sq__load_relaxed(&queue->runner)); }

typedef struct sq__extras {
    SQ__ATOMIC(void *) records[SQ__EXTRAS]; /* A  each NULL until its owner makes it, then fixed */
} sq__extras_t;

/* The owner's record as it was made; NULL: there is none. */
static inline void *sq__extra(const sq_queue_t *queue, sq__extra_t owner) {
    const sq__extras_t *extras = sq__load_acquire(&queue->extras); /* [extras] acquire: the table as it was made */
    return extras != NULL ? sq__load_acquire(&extras->records[owner]) : NULL; /* [extras] acquire: the record as it was made */
}

/* What tally.c counts in a record. */
typedef struct sq__tallies {
    SQ__ATOMIC(uint64_t) tallies[SQ__TALLIES]; /* A */
} sq__tallies_t;

static inline uint64_t sq__tallied(const sq_queue_t *queue, sq__tally_t tally) {
    const sq__tallies_t *rest = sq__extra(queue, SQ__EXTRA_TALLIES);
    return sq__load_relaxed(&queue->tallies[tally]) + (rest != NULL ? sq__load_relaxed(&rest->tallies[tally]) : 0);
}

/* Changes queue->control; with the queue's lock. */
static inline void sq__control(sq_queue_t *queue, uint32_t clear, uint32_t set) {
    /* [watch] release: the note, for the holder that sees SQ__WATCHED, whichever change it sees. [control] comes with
     * the swap of the state word that follows. */
    sq__store_release(&queue->control, (uint16_t)((sq__load_relaxed(&queue->control) & ~clear) | set));
}

/* The size of its threads' stacks; 0: the system's default. */
static inline size_t sq__queue_stack_size(const sq_queue_t *queue) {
    const size_t *record = sq__extra(queue, SQ__EXTRA_STACK);
    return record != NULL ? *record : 0;
}
