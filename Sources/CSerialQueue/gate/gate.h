/* gate.h: the gate of a concurrent queue: how many readers are inside, and where the baton is.
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

#include "platform/atomic.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t sq__gate_word_t;
typedef SQ__ATOMIC(sq__gate_word_t) sq__gate_t;

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

/* Enters as a reader. False: the gate is closed. */
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
    return sq__gate_is_open_unstriped(word) && sq__cas_acquire(gate, &word, *mine); /* [gate] acquire: as above */
}

/* Leaves if no other thread has entered or left since. False: *mine is what the gate is now; the caller leaves by sq__gate_leave. */
static inline bool sq__gate_leave_at_once(sq__gate_t *gate, sq__gate_word_t *mine) {
    return sq__cas_release(gate, mine, *mine - SQ__GATE_INSIDE_ONE); /* [gate] release: what the reader did */
}

/* Leaves. `word` is a guess of the gate's value. True: the caller holds the baton now. */
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

/* Enters as a barrier, if no reader is inside. False: the gate is closed or striped, or readers are inside. *mine is for
 * sq__gate_leave_barrier. */
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

/* Called after something has changed. True: the caller holds the baton now, because the gate was open, or because the baton lay there for
 * one of the reasons `if_laid_down`. False: NEWS is set, and the holder will see it. */
bool sq__gate_take(sq__gate_t *gate, sq__gate_word_t if_laid_down);

/* O. Called before the holder concludes that there is nothing to do. Clears NEWS. True: it was set, so the holder looks at the ring again. */
bool sq__gate_see_news(sq__gate_t *gate);

typedef enum sq__laid_down {
    SQ__LAID_DOWN,  /* the caller no longer has the baton, and must not touch the queue again */
    SQ__STILL_HELD, /* there is nothing to wait for: the caller still holds the baton */
    SQ__NEWS        /* the same, and it looks again first */
} sq__laid_down_t;

/* O. Lays the baton down for the last reader that leaves, if one is inside: SQ__GATE_DRAINING or SQ__GATE_ENDING. */
sq__laid_down_t sq__gate_await_readers(sq__gate_t *gate, sq__gate_word_t reason);

/* O. Lays the baton down for the next async task that ends, if `width` of them run. */
sq__laid_down_t sq__gate_await_width(sq__gate_t *gate, SQ__ATOMIC(uint32_t) *asyncs, uint32_t width);

/* O. Lays the baton down for the pool. True: the caller must post the queue's entry; the queue does not end before a thread has taken it.
 * False: the entry is posted already. */
bool sq__gate_keep(sq__gate_t *gate);

/* Called by the thread of the pool that took the entry. False: that thread does not get the baton, and must not touch the queue again. */
bool sq__gate_come(sq__gate_t *gate);

/* O. The queue is to end, but its entry was posted. False: the thread with the entry has already come. True: it ends the queue instead. */
bool sq__gate_leave_end(sq__gate_t *gate);

/* O. The entry was removed from the pool's list. */
void sq__gate_unposted(sq__gate_t *gate);

/* O. Opens the gate; if ENTERED is full, moves its count to *entered. False: there is news, and the gate stays closed. */
bool sq__gate_open(sq__gate_t *gate, SQ__ATOMIC(uint64_t) *entered);
