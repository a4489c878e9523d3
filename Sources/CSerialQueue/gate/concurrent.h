/* concurrent.h: the fields that only a concurrent queue has.
 *
 * DESIGN. It lies directly in front of the queue, in the same block of memory; the queue's control says that it is there. Tasks wait
 * in the same ring. The holder of the baton does not run them, but admits them in order (admit.h): it lets readers in and keeps
 * the baton, and passes the baton to a barrier. */
#pragma once

#include "gate/gate.h"
#include "state/queue.h"

/* The letters are those of state/queue.h; R: under the queue's lock of reader.c. */
typedef struct sq__concurrent {
    _Alignas(16) sq__gate_t gate;     /* A */
    SQ__ATOMIC(uint64_t) entered;     /* A  how many tasks have entered that neither the gate nor a stripe counts any longer */
    SQ__ATOMIC(uint64_t) not_run;     /* A  how many of the tasks that were counted as run turned out to be withdrawn */
    SQ__ATOMIC(sq__token_t *) waiting_barrier; /* O, read by anyone  with DRAINING: the barrier that waits; NULL: an async one */
    struct sq__reader *oldest;        /* R  the watched tasks that run, in the order in which they began */
    struct sq__reader **newest;       /* R */
    void (*drains)(const sq_queue_t *); /* I  sq__deadlock_look_again_at (wait/deadlock.h): a barrier or the end has begun to wait for readers; the queue may be gone */
    SQ__ATOMIC(struct sq__stripes *) stripes; /* A  stripes.h; NULL until readers have overlapped, then fixed */
    SQ__ATOMIC(uint32_t) overlaps;    /* A  a guess: how often readers have overlapped since the gate was last striped, or gathered */
    SQ__ATOMIC(uint32_t) striped_late; /* C  it is striped after SQ__STRIPED_AFTER overlaps, doubled so often */
    SQ__ATOMIC(uint32_t) asyncs;      /* A  how many async readers run; counted up by the holder */
    uint32_t width;                   /* I  how many may; UINT32_MAX: as many as the pool runs */
} sq__concurrent_t;

static inline bool sq__is_concurrent(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__CONCURRENT, 0);
}

static inline sq__concurrent_t *sq__concurrent_of(const sq_queue_t *queue) { return (sq__concurrent_t *)(uintptr_t)queue - 1; }

/* The memory block that contains the queue. */
static inline void *sq__queue_memory(sq_queue_t *queue) {
    return sq__is_concurrent(queue) ? (void *)sq__concurrent_of(queue) : queue;
}

static inline sq__gate_t *sq__gate_of(const sq_queue_t *queue) { return &sq__concurrent_of(queue)->gate; }

/* After a change that the holder of the baton has to see. True: the caller holds the baton now. On a serial queue false: there the
 * change was made in the state word. */
static inline bool sq__concurrent_takes(const sq_queue_t *queue) {
    return sq__is_concurrent(queue) && sq__gate_take(sq__gate_of(queue), SQ__GATE_ENDING);
}

/* The same on a concurrent queue, after a task or a wait was withdrawn that may stand at the head of the ring: what is behind it may go
 * ahead. */
static inline bool sq__concurrent_takes_back(const sq_queue_t *queue) {
    return sq__gate_take(sq__gate_of(queue), SQ__GATE_LAID_DOWN);
}

/* What a barrier for this queue has next to its kind: on a serial queue each task runs alone. */
static inline uint16_t sq__barrier_on(const sq_queue_t *queue) { return sq__is_concurrent(queue) ? SQ__BARRIER : 0; }

/* Called in a task of the queue. True: it is a barrier. */
static inline bool sq__is_in_barrier(const sq_queue_t *queue) {
    sq__gate_t *gate = sq__gate_of(queue);
    return (sq__load_relaxed(gate) & SQ__GATE_BARRIER) != 0;
}
