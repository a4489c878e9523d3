/* kernel.h: which thread may run the next task, and how the baton is handed over.
 *
 * DESIGN. The baton is the right to run a queue's tasks. There is one for each queue; the thread that has it is the holder. The runner is
 * the thread or pool that runs the asynchronous tasks. The thread that completes a task holds the baton and decides where it goes:
 *
 *     next is work for the runner: any kind not listed     to the runner: it runs it; another holder posts the runner
 *       below
 *     next is a CANCELLED                                  skipped, by any holder
 *     next is a SHARED                                     its first thread moves to the hand-off slot, and is then what is next
 *     next is a WAITER                                     to that thread, by a grant of its token
 *     next is a RUN_ANYWHERE                               the runner runs its function; another holder grants it as a WAITER
 *     next is a slot that is taken but not filled          into the slot: the submitter that fills it gets the baton
 *     nothing is queued                                    back to the queue, which becomes free
 *     the queue is suspended, and the next slot is filled  the holder parks it in the queue, until a resume
 *       or nothing is queued
 *     nothing is queued, and the queue is shut down        it stays with the holder, which ends the queue, suspended or not
 *       or has no reference left
 *
 * Work that is to be discarded goes the same ways: asynchronous work to the runner, which discards it; waiters are refused.
 *
 * ring.h has how tasks wait, shared.h how waiting threads share a slot, suspension.c the baton of a suspended queue. */
#pragma once

#include "gate/gate.h"
#include "state/state_inline.h"
#include "thread/self.h"

/* Submitting */

/* What a submitter has taken. */
typedef struct sq__reserved {
    struct sq__slot *slot; /* the caller fills and publishes it; NULL: the caller took the free queue, or joined a shared slot */
    SQ__ATOMIC(uintptr_t) *link; /* for the first slot of a segment: the link that publishes it; else NULL */
    bool owns;        /* the queue was free, and the caller has the baton */
} sq__reserved_t;

/* Takes the queue if it is free, otherwise a slot. With `always_a_slot` it takes a slot even if the queue is free; then it takes the
 * queue as well. Returns 0, ENOMEM or ESHUTDOWN; on an error nothing has changed. */
int sq__ring_reserve(sq_queue_t *queue, bool always_a_slot, sq__reserved_t *place);

/* Publishes a filled slot with this word. Returns true if the caller now has the baton, because it owned the queue or because the
 * baton was in the slot. Otherwise it must touch neither the slot nor the queue afterwards. */
bool sq__ring_publish(const sq__reserved_t *place, uintptr_t word);

/* How many taken slots, filled or not, the head has not consumed. Exact while no thread submits or takes. */
uint64_t sq__ring_depth(const sq_queue_t *queue);

/* Frees the segment of an empty ring, if it has one. */
void sq__ring_destroy(sq_queue_t *queue);

/* A ring with this many taken slots is long. Tests set a small number. */
#ifndef SQ__SHARED_FROM
#define SQ__SHARED_FROM 32u
#endif

/* On the waiting thread's stack, all zero except what is fixed, and entered once. L under the queue's lock. */
typedef struct sq__sharer {
    uintptr_t kind;           /* fixed: SQ__WAITER (perhaps with SQ__BARRIER), SQ__RUN_ANYWHERE, or SQ__AWAITED */
    sq__waiter_t waiter;      /* fixed */
    sq__shared_t *list;       /* L */
    struct sq__sharer *next;  /* L */
    struct sq__sharer **link; /* L  what points to it; NULL: it is not on a list */
} sq__sharer_t;

/* With the queue's lock: until it is released no holder takes the thread off the list. Joins the last slot of the ring; or takes a new slot, or
 * the queue if it is free (as sq__ring_reserve). A new slot is filled already: sq__ring_publish publishes it as SQ__SHARED. place->slot is NULL
 * if the thread joined a slot, and if it took the free queue; place->owns tells which. Returns 0, ENOMEM or ESHUTDOWN. */
int sq__shared_enter(sq_queue_t *queue, bool always_a_slot, sq__sharer_t *sharer, sq__reserved_t *place);

/* Called when the wait was withdrawn or refused: takes the thread off the list. */
void sq__shared_leave(sq_queue_t *queue, sq__sharer_t *sharer);

/* The place of a CANCELLABLE that is not in the queue: withdraw.h. */
enum { SQ__NOT_SUBMITTED = 0, SQ__OVER = 2, SQ__DELAYED = 4 };

/* Withdraws the CANCELLABLE with this place, and counts it as withdrawn. Call it after the call that submitted the task has returned.
 * Returns false if the task's turn has come, or if it is not queued: never submitted, or delayed. After true the queue has no pointer to the task, and
 * none of its functions will be called. Then *room is the capacity to which the caller must return the task's room, with a
 * reference, or NULL; and if *takes_baton, the caller must pass on the baton of a concurrent queue. If the task is not in the
 * queue, the queue may already be freed; if it was, the queue may be freed from the moment the slot is CANCELLED: the caller does not
 * touch it again unless it has the baton. */
bool sq__withdraw(sq_queue_t *queue, SQ__ATOMIC(uintptr_t) *place, sq__room_t **room, bool *takes_baton);

/* Passing the baton */

typedef enum sq__next {
    SQ__NEXT_TASK, /* something for the runner is next; the caller still holds the baton, and takes it or posts the runner */
    SQ__NEXT_GONE, /* the caller no longer has the baton, and must not touch the queue again */
    SQ__NEXT_END,  /* the queue is empty and to end: the caller ends it (queue/end.h) */
    SQ__NEXT_FORKED /* only from sq__run_tasks: a task has forked, and this is the child: the rest is the parent's */
} sq__next_t;

/* O. Finds out what is next, and passes the baton, unless it is work for the runner or the queue is to end. `by_runner`: the caller is the
 * runner, and not inside a task of a target: it lingers before it makes the queue free, and runs a RUN_ANYWHERE itself, which is otherwise
 * granted as a WAITER. Serial queues only; concurrent/admit.h does this for a concurrent queue. */
sq__next_t sq__baton_next(sq_queue_t *queue, bool by_runner);

/* O. Takes the waiting thread that sq__baton_find has found, and grants its wait. `as`: what the gate of a concurrent queue counts it as; 0: the
 * queue is serial. `with_baton`: it is a reader, which gets the baton, too. True: it may run, and is counted; the baton is with it, unless it is a
 * reader without `with_baton`. False: it had withdrawn, or was refused: counted as skipped; the caller holds the baton. */
bool sq__baton_grant(sq_queue_t *queue, uint32_t control, sq__gate_word_t as, bool with_baton);

typedef enum sq__rest {
    SQ__REST_EMPTY,  /* nothing is queued; the queue has no flag except OWNED and is not released */
    SQ__REST_MORE,   /* the slot at the head is filled by now; or nothing is queued, but a flag is set, or it is released. *state as in ring.h */
    SQ__REST_PLACED, /* the baton was left in the slot at the head, which is not filled */
} sq__rest_t;

/* O. As sq__ring_give_back (ring.h), for a concurrent queue, which is never free: only resets the ring. The caller holds the baton, unless
 * SQ__REST_PLACED. */
sq__rest_t sq__ring_rest(sq_queue_t *queue, sq__state_t *state);

/* O. Parks the baton if the queue is suspended and its word is still `state`. If the queue is also released, nobody can resume it: then this takes
 * the lock, ends the suspension, lets the waiting work be discarded, and returns false. The same if only queues whose target it is have a reference
 * (queue/target.c); then it also closes the queue. True: the caller must not touch the queue again. False: it still has the baton. */
bool sq__suspension_park(sq_queue_t *queue, sq__state_t state);

/* L. Clears flags of the state word. Returns the word as it was: if PARKED was set and is cleared, the caller has the baton. */
sq__state_t sq__suspension_clear(sq_queue_t *queue, sq__state_t flags);

/* Running */

/* O, by the runner. Runs async tasks and calls (AWAITED, RUN_ANYWHERE) while the caller has the baton, until a batch of `most` is over (sq__batch_t):
 * after SQ__NEXT_TASK the caller still has it. Adds their number to *ran, discarded and withdrawn work included; not after SQ__NEXT_FORKED. Serial
 * queues only; concurrent/run_async.c does this for a concurrent queue. */
sq__next_t sq__run_tasks(sq_queue_t *queue, size_t most, size_t *ran);

/* The same for a queue that has a target: called in a task of the target, which is the current queue again when this returns. */
sq__next_t sq__run_tasks_inside(sq_queue_t *queue, size_t most, size_t *ran);

/* Calls frame->function(context) as a task, with the baton or as a reader, and reports its begin and its end. The caller has set the frame's owner
 * and function; the frame is the thread's innermost one meanwhile. `control` is the queue's. `submitted`, `site`: as sq__run_turn has them. */
void sq__run_observed(sq_queue_t *queue, uint32_t control, sq__frame_t *frame, uint64_t submitted, void *context, const void *site);

/* O. Takes the work that sq__baton_find has found, counts it and gives its room back. Returns its kind; SQ__EMPTY: there is nothing to call. The wait
 * of an AWAITED or RUN_ANYWHERE is claimed then: sq__run_taken grants it. `control` is the queue's, read with acquire. */
uintptr_t sq__run_take(sq_queue_t *queue, uint32_t control, sq__work_t *work);

/* The function of this work, for reports; NULL: it has none. */
sq_function_t sq__run_function_of(uintptr_t kind, uint32_t control, const sq__work_t *work);

/* Where and when work was stored. `where`: 0 unless the queue is traced or watched. `submitted`: 0 unless it is measured. */
typedef struct sq__origin {
    uintptr_t where;
    uint64_t submitted;
} sq__origin_t;

/* Calls what sq__run_take has taken, of whatever kind, as a task of the queue, which is the current one; or discards it, if `control` says so. */
void sq__run_taken(sq_queue_t *queue, uintptr_t kind, sq__origin_t origin, uint32_t control, const sq__work_t *work);

/* How many tasks wait, how many have begun, and how many wait no longer */

/* How many tasks have begun. */
uint64_t sq__depth_ran(const sq_queue_t *queue);

/* Called in the running task, which was counted as run, but had been withdrawn: counts it as skipped instead. */
void sq__depth_not_run(sq_queue_t *queue);

/* How many accepted tasks wait now. */
uint64_t sq__depth(const sq_queue_t *queue);

/* How many tasks have begun, were discarded, or were withdrawn and skipped; only differences count: it wraps. *waiting: how many slots are taken now,
 * the hand-off slot and those of withdrawn tasks included; but 0 if there are only withdrawn ones. */
uint32_t sq__depth_consumed(const sq_queue_t *queue, uint64_t *waiting);
