/* shared.h: a slot that several waiting threads share.
 *
 * DESIGN. A wait that is withdrawn leaves its slot in the ring until the head consumes it. A stalled queue that is polled with short
 * deadlines would grow with every poll. So when the ring is long, the waits that may be withdrawn share a slot: it has a list of
 * waiting threads, in order. A thread joins the list only if the slot is the last one that was taken. So the list is where
 * the thread's own slot would be, and the order of submission is kept. A thread that withdraws removes itself from the list. So
 * the ring grows only with the tasks and threads that stay in it.
 *
 * The head consumes a shared slot once its list is empty. Until then it moves one thread after the other from the list into
 * the hand-off slot, as if that had been in the ring.
 *
 * The lists, and which slot may be joined, are under the queue's lock. In a short ring each thread has its
 * own slot, and no lock is needed. */
#pragma once

#include "kernel/ring.h"
#include "state/extras.h"

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

/* The queue's record of them. L under its lock. */
typedef struct sq__joinable {
    sq__slot_t *slot;            /* L  the shared slot that may be joined, which the head has not consumed; NULL: none */
    SQ__ATOMIC(uint64_t) joined; /* L, read as a count: how many threads have joined a shared slot that was there */
} sq__joinable_t;

/* How many threads have joined a shared slot that was there. */
static inline uint64_t sq__shared_joined(const sq_queue_t *queue) {
    const sq__joinable_t *joinable = sq__extra(queue, SQ__EXTRA_SHARED);
    return joinable != NULL ? sq__load_relaxed(&joinable->joined) : 0;
}

/* With the queue's lock: until it is released no holder takes the thread off the list. Joins the last slot of the ring; or takes a new slot, or
 * the queue if it is free (as sq__ring_reserve). A new slot is filled already: sq__ring_publish publishes it as SQ__SHARED. place->slot is NULL
 * if the thread joined a slot, and if it took the free queue; place->owns tells which. Returns 0, ENOMEM or ESHUTDOWN. */
int sq__shared_enter(sq_queue_t *queue, bool always_a_slot, sq__sharer_t *sharer, sq__reserved_t *place);

/* Called when the wait was withdrawn or refused: takes the thread off the list. */
void sq__shared_leave(sq_queue_t *queue, sq__sharer_t *sharer);

/* O. At a shared slot, while the hand-off slot is empty: moves the first thread of its list there, and consumes the slot if the
 * list is empty then. */
void sq__shared_next(sq_queue_t *queue);
