/* gate_inline.h: the gate of a concurrent queue: how many readers are inside, and where the baton is.
 *
 * DESIGN. A concurrent queue is a serial queue whose state word is never free, with one more word in front of it. A reader is any task
 * that is not a barrier. The gate counts the running readers, and says whether a new one may enter without a look at the ring. From
 * the low end:
 *
 *     bit 0       BUSY      the baton is not free: a thread holds it, or it lies in the gate, a slot or the state word. No task enters by the gate
 *     bit 1       NEWS      something has changed since the holder of the baton last looked at the ring
 *     bit 2       BARRIER   a barrier runs; its thread holds the baton, and no reader is inside
 *     bit 3       DRAINING  the baton lies here: the barrier at the head of the ring waits for the readers inside
 *     bit 4       FULL      the baton lies here: the async task at the head waits until another one ends
 *     bit 5       ENDING    the baton lies here: the queue is empty and is to end once the readers inside have left
 *     bit 6       KEPT      the baton lies here: an async task is at the head, and the next thread of the pool takes it
 *     bit 7       POSTED    the queue's entry is in the pool's list, or a thread of the pool is on its way with it
 *     bit 8       STRIPED   in an open gate: readers enter and leave by the stripes (stripes.h), and INSIDE does not count them
 *     bits 9-41   ENTERED   how many tasks have entered by the gate; at 2^32 the holder takes them over
 *     bits 42-63  INSIDE    how many readers run now
 *
 *     { INSIDE: n }                       open: a reader enters and leaves with one swap each; if n is 0, so does a barrier
 *     { INSIDE: n, STRIPED }              open to readers by the stripes; a barrier first takes the baton, and gathers
 *     { INSIDE: n, BUSY, STRIPED }        closed: a reader that comes by a stripe withdraws
 *     { INSIDE: n, BUSY }                 closed: a submitter takes a slot in the ring, and sets NEWS
 *     { INSIDE: 0, BUSY, BARRIER }        a barrier runs
 *     { INSIDE: n, BUSY, DRAINING }       the last reader that leaves clears DRAINING, and then holds the baton
 *     { INSIDE: n, BUSY, FULL }           the next async task that ends clears FULL, and then holds the baton
 *     { INSIDE: n, BUSY, ENDING }         as DRAINING; a submission clears it, too
 *     { INSIDE: n, BUSY, KEPT, POSTED }   an async task that ends, or the thread that comes with the entry, clears KEPT and holds the baton
 *
 * POSTED may be set without KEPT: then another thread has taken the baton before the entry came. It is set by the holder, together with
 * KEPT, before the entry is posted, and cleared by the thread that comes with the entry, or by a holder that removes the entry from the
 * list. While it is set the queue does not end.
 *
 * STRIPED is set by a reader in an open gate, and cleared by the holder of the baton, which then counts all readers in INSIDE. It is not set with
 * BARRIER, DRAINING or ENDING.
 *
 * BUSY may be unset only when the ring is empty and the state word has no flag but OWNED. INSIDE may be counted up only by a
 * thread that finds the gate open, in the same swap, or by the holder of the baton. DRAINING, FULL, ENDING and KEPT: at most one of
 * them is set, by the holder only, and the thread that clears it holds the baton.
 *
 * No news is lost: a thread that has changed something (it has filled a slot, set a flag of the state word, withdrawn a wait)
 * comes here afterwards with a swap that takes the baton if it can, or else sets NEWS. The holder clears NEWS before it looks, and lays
 * the baton down, in whatever way, only with a swap that fails if NEWS is set. */
#pragma once

#include "gate/gate.h"
#include "platform/memory.h"
#include "state/state_inline.h"

#define SQ__GATE_BUSY ((sq__gate_word_t)1 << 0)
#define SQ__GATE_NEWS ((sq__gate_word_t)1 << 1)
#define SQ__GATE_BARRIER ((sq__gate_word_t)1 << 2)
#define SQ__GATE_DRAINING ((sq__gate_word_t)1 << 3)
#define SQ__GATE_FULL ((sq__gate_word_t)1 << 4)
#define SQ__GATE_ENDING ((sq__gate_word_t)1 << 5)
#define SQ__GATE_KEPT ((sq__gate_word_t)1 << 6)
#define SQ__GATE_POSTED ((sq__gate_word_t)1 << 7)
#define SQ__GATE_CLOSED ((sq__gate_word_t)0x7F) /* any of the flags but POSTED */
#define SQ__GATE_LAID_DOWN (SQ__GATE_DRAINING | SQ__GATE_FULL | SQ__GATE_ENDING)
#define SQ__GATE_STRIPED ((sq__gate_word_t)1 << 8)
#define SQ__GATE_ENTERED_ONE ((sq__gate_word_t)1 << 9)
/* Tests set a small number, to reach it. */
#ifndef SQ__GATE_MOST_ENTERED
#define SQ__GATE_MOST_ENTERED ((sq__gate_word_t)1 << 32)
#endif
#define SQ__GATE_INSIDE_ONE ((sq__gate_word_t)1 << 42)

static inline uint64_t sq__gate_inside(sq__gate_word_t word) { return word / SQ__GATE_INSIDE_ONE; }

static inline uint64_t sq__gate_entered(sq__gate_word_t word) {
    return word % SQ__GATE_INSIDE_ONE / SQ__GATE_ENTERED_ONE;
}

static inline bool sq__gate_is_open(sq__gate_word_t word) {
    return (word & (SQ__GATE_CLOSED | SQ__GATE_MOST_ENTERED * SQ__GATE_ENTERED_ONE)) == 0;
}

static inline bool sq__gate_is_open_unstriped(sq__gate_word_t word) {
    return (word & (SQ__GATE_CLOSED | SQ__GATE_STRIPED | SQ__GATE_MOST_ENTERED * SQ__GATE_ENTERED_ONE)) == 0;
}

/* True: no flag closes the gate, but ENTERED is full, so the holder of the baton must take the count over first. */
static inline bool sq__gate_has_counted_most(sq__gate_word_t word) {
    return (word & (SQ__GATE_CLOSED | SQ__GATE_MOST_ENTERED * SQ__GATE_ENTERED_ONE)) == SQ__GATE_MOST_ENTERED * SQ__GATE_ENTERED_ONE;
}

/* True: between these two values, other readers have entered or left. */
static inline bool sq__gate_has_overlapped(sq__gate_word_t before, sq__gate_word_t now) { return (before ^ now) >= SQ__GATE_ENTERED_ONE; }

/* Enters as a reader that INSIDE counts. False: the gate is closed, or ENTERED is full. */
static inline bool sq__gate_enter(sq__gate_t *gate) {
    sq__gate_word_t word = sq__load_relaxed(gate);
    while (sq__gate_is_open(word)) {
        /* [gate] acquire: what the last barrier wrote. */
        if (__builtin_expect(sq__cas_acquire(gate, &word, word + (SQ__GATE_INSIDE_ONE + SQ__GATE_ENTERED_ONE)), 1)) {
            return true;
        }
    }
    return false;
}

/* The same, but tries only once, and fails if the gate is striped. *mine is for sq__gate_leave_at_once. */
static inline bool sq__gate_enter_at_once(sq__gate_t *gate, sq__gate_word_t *mine) {
    sq__gate_word_t word = sq__load_relaxed(gate);
    *mine = word + (SQ__GATE_INSIDE_ONE + SQ__GATE_ENTERED_ONE);
    return sq__gate_is_open_unstriped(word) && sq__cas_acquire(gate, &word, *mine); /* [gate] acquire: what the last barrier wrote */
}

/* Leaves if no other thread has entered or left since. False: *mine is what the gate is now; the caller leaves by sq__gate_leave. */
static inline bool sq__gate_leave_at_once(sq__gate_t *gate, sq__gate_word_t *mine) {
    return sq__cas_release(gate, mine, *mine - SQ__GATE_INSIDE_ONE); /* [gate] release: what the reader did */
}

/* Leaves as a reader that INSIDE of the gate counts. `word`: a guess of the gate's value. `is_async`: it was a task of the pool. True: the caller
 * holds the baton now. False: it must not touch the queue again without a reference. */
static inline bool sq__gate_leave(sq__gate_t *gate, sq__gate_word_t word, bool is_async) {
    bool takes;
    sq__gate_word_t next;
    do {
        next = word - SQ__GATE_INSIDE_ONE;
        sq__gate_word_t ends = sq__gate_inside(next) == 0 ? SQ__GATE_DRAINING | SQ__GATE_ENDING : 0;
        takes = (word & (ends | (is_async ? SQ__GATE_FULL | SQ__GATE_KEPT : 0))) != 0;
        next &= takes ? ~(SQ__GATE_LAID_DOWN | SQ__GATE_KEPT) : ~(sq__gate_word_t)0;
        /* [gate] release: what the reader did. [baton] acquire: what the holder did that has laid the baton down. */
    } while (__builtin_expect(!sq__cas_acq_rel(gate, &word, next), 0));
    return takes;
}

/* Enters as a barrier, if no reader is inside. True: the caller holds the baton, with BARRIER set; *mine is for sq__gate_leave_barrier. False: the
 * gate is closed or striped, or readers are inside. */
static inline bool sq__gate_enter_barrier(sq__gate_t *gate, sq__gate_word_t *mine) {
    sq__gate_word_t word = sq__load_relaxed(gate);
    while (sq__gate_is_open_unstriped(word) && sq__gate_inside(word) == 0) {
        *mine = (word + SQ__GATE_ENTERED_ONE) | SQ__GATE_BUSY | SQ__GATE_BARRIER;
        /* [gate] acquire: what the readers and the last barrier did. */
        if (__builtin_expect(sq__cas_acquire(gate, &word, *mine), 1)) {
            return true;
        }
    }
    return false;
}

/* Opens the gate again. False: there is news, and the caller still holds the baton, with BARRIER set. */
static inline bool sq__gate_leave_barrier(sq__gate_t *gate, sq__gate_word_t mine) {
    /* [gate] release: what the barrier did. */
    return sq__cas_release(gate, &mine, mine & ~(SQ__GATE_BUSY | SQ__GATE_BARRIER));
}

/* The stripes (stripes.h) */

typedef uint64_t sq__stripe_word_t;

#define SQ__STRIPE_COUNTED ((sq__stripe_word_t)1 << 0)
#define SQ__STRIPE_INSIDE_ONE ((sq__stripe_word_t)1 << 1)
#define SQ__STRIPE_ENTERED_ONE ((sq__stripe_word_t)1 << 21)
/* Tests set a small number, to reach it. */
#ifndef SQ__STRIPE_MOST_ENTERED
#define SQ__STRIPE_MOST_ENTERED ((sq__stripe_word_t)1 << 42)
#endif

/* After how many overlaps a queue is striped, first and at most. Tests set a small number. */
#ifndef SQ__STRIPED_AFTER
#define SQ__STRIPED_AFTER 64u
#endif
enum { SQ__STRIPED_LATEST = 1 << 20, SQ__MOST_STRIPES = 128 };

typedef struct sq__stripe {
    _Alignas(SQ__LINE) SQ__ATOMIC(sq__stripe_word_t) word; /* A */
} sq__stripe_t;

/* The letters are those of state/state_inline.h. */
struct sq__stripes {
    uint32_t mask;     /* I  how many there are, a power of two, less one */
    uint64_t gathered; /* O  how many readers had entered at the last gathering */
    sq__stripe_t stripe[];
};

static inline uint64_t sq__stripe_inside(sq__stripe_word_t word) {
    return word % SQ__STRIPE_ENTERED_ONE / SQ__STRIPE_INSIDE_ONE;
}

/* How many readers of this stripe the gate does not count. */
static inline uint64_t sq__stripe_not_counted(sq__stripe_word_t word) {
    return sq__stripe_inside(word) - ((word & SQ__STRIPE_COUNTED) != 0);
}

/* A reader has entered by this stripe. */
struct sq__striped {
    sq__stripe_t *stripe;
    sq__stripe_word_t word; /* what the stripe probably is */
};

static inline bool sq__is_striped(sq__gate_word_t word) { return (word & (SQ__GATE_CLOSED | SQ__GATE_STRIPED)) == SQ__GATE_STRIPED; }

/* Leaves, as the first or the only reader that does. False: *mine is what the stripe is now; the caller leaves by sq__stripes_leave. */
static inline bool sq__stripes_leave_at_once(sq__striped_t *mine) {
    sq__stripe_word_t next = mine->word - SQ__STRIPE_INSIDE_ONE;
    return sq__cas_release(&mine->stripe->word, &mine->word, next); /* [stripe] release: what the reader did */
}

/* The fields that only a concurrent queue has. They lie directly in front of the queue, in the same block of memory; the queue's control says that
 * they are there. The letters are those of state/state_inline.h; R: under the queue's lock of reader.c. */
struct sq__concurrent {
    _Alignas(16) sq__gate_t gate;     /* A */
    SQ__ATOMIC(uint64_t) entered;     /* A  how many tasks have entered that neither the gate nor a stripe counts any longer */
    SQ__ATOMIC(uint64_t) not_run;     /* A  how many of the tasks that were counted as run turned out to be withdrawn */
    SQ__ATOMIC(sq__token_t *) waiting_barrier; /* O, read by anyone  with DRAINING: the barrier that waits; NULL: an async one */
    struct sq__reader *oldest;        /* R  the watched tasks that run, in the order in which they began */
    struct sq__reader **newest;       /* R */
    void (*drains)(const sq_queue_t *); /* I  sq__deadlock_look_again_at (wait/wait.h): a barrier or the end has begun to wait for readers; the
                                              queue may be gone */
    SQ__ATOMIC(struct sq__stripes *) stripes; /* A  stripes.h; NULL until readers have overlapped, then fixed */
    SQ__ATOMIC(uint32_t) overlaps;    /* A  a guess: how often readers have overlapped since the gate was last striped, or gathered */
    SQ__ATOMIC(uint32_t) striped_late; /* C  it is striped after SQ__STRIPED_AFTER overlaps, doubled so often */
    SQ__ATOMIC(uint32_t) asyncs;      /* A  how many async readers run; counted up by the holder */
    uint32_t width;                   /* I  how many may; UINT32_MAX: as many as the pool runs */
};

/* O. The gate is STRIPED: clears that. From now on INSIDE of the gate counts all readers, those of one stripe as one. */
void sq__stripes_gather(sq__concurrent_t *concurrent);
static inline void sq__stripes_gather_if_striped(sq__concurrent_t *concurrent) {
    if (__builtin_expect(sq__load_relaxed(&concurrent->gate) & SQ__GATE_STRIPED, 0)) {
        sq__stripes_gather(concurrent);
    }
}

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
