/* gate_word.c: how the holder and other threads change the gate's word. gate.h has the design. */
#include "gate/gate_inline.h"

bool sq__gate_take(sq__gate_t *gate, sq__gate_word_t if_laid_down) {
    bool takes;
    sq__gate_word_t next, word = sq__load_relaxed(gate);
    do {
        takes = !(word & SQ__GATE_BUSY) || (word & if_laid_down);
        next = takes ? (word | SQ__GATE_BUSY) & ~SQ__GATE_LAID_DOWN : word | SQ__GATE_NEWS;
        /* [news] release: what has changed. [baton] acquire: what the holder did that has opened the gate, or laid the
         * baton down. A swap even if nothing changes, so that a holder that sees it sees the change. */
    } while (!sq__cas_acq_rel(gate, &word, next));
    return takes;
}

bool sq__gate_see_news(sq__gate_t *gate) {
    sq__gate_word_t word = sq__load_relaxed(gate);
    /* [news] acquire: what has changed. */
    while ((word & SQ__GATE_NEWS) && !sq__cas_acquire(gate, &word, word & ~SQ__GATE_NEWS)) {
    }
    return (word & SQ__GATE_NEWS) != 0;
}

bool sq__gate_keep(sq__gate_t *gate) {
    /* [baton] release: what we did with it. The next holder looks at the ring: NEWS need not be set. */
    return !(sq__or_acq_rel(gate, SQ__GATE_KEPT | SQ__GATE_POSTED) & SQ__GATE_POSTED);
}

bool sq__gate_come(sq__gate_t *gate) {
    sq__gate_word_t word = sq__load_relaxed(gate);
    /* [baton] acquire: what the holder did that has laid the baton down; release: our use of the queue, which may now end. */
    while (!sq__cas_acq_rel(gate, &word, word & ~(SQ__GATE_KEPT | SQ__GATE_POSTED))) {
    }
    return (word & SQ__GATE_KEPT) != 0;
}

bool sq__gate_leave_end(sq__gate_t *gate) {
    sq__gate_word_t word = sq__load_acquire(gate); /* [baton] acquire: how the thread with the entry used the queue */
    while (word & SQ__GATE_POSTED) {
        /* [baton] release: what we did with it. acquire also if it fails. */
        if (sq__cas_release_or_acquire(gate, &word, word | SQ__GATE_KEPT)) {
            return true;
        }
    }
    return false;
}

void sq__gate_unposted(sq__gate_t *gate) { (void)sq__add_relaxed(gate, -SQ__GATE_POSTED); }

sq__laid_down_t sq__gate_await_readers(sq__gate_t *gate, sq__gate_word_t reason) {
    sq__gate_word_t word = sq__load_acquire(gate); /* [gate] acquire: what the readers did */
    /* Before the end: one of the readers that have left may have submitted a task. */
    while (sq__gate_inside(word) > 0 || (reason == SQ__GATE_ENDING && (word & SQ__GATE_NEWS))) {
        if (word & SQ__GATE_NEWS) {
            return SQ__NEWS;
        }
        /* [baton] release: what we did with it; pairs with sq__gate_leave and sq__gate_take. [gate] acquire if it fails. */
        if (sq__cas_release_or_acquire(gate, &word, word | reason)) {
            return SQ__LAID_DOWN;
        }
    }
    return SQ__STILL_HELD;
}

sq__laid_down_t sq__gate_await_width(sq__gate_t *gate, SQ__ATOMIC(uint32_t) *asyncs, uint32_t width) {
    sq__gate_word_t word = sq__load_acquire(gate); /* [width] acquire: a count without the tasks that have left before */
    while (sq__load_relaxed(asyncs) >= width) {
        if (word & SQ__GATE_NEWS) {
            return SQ__NEWS;
        }
        /* [baton] release: what we did with it. [width] acquire also if it fails. If it succeeds, no task has left since. */
        if (sq__cas_release_or_acquire(gate, &word, word | SQ__GATE_FULL)) {
            return SQ__LAID_DOWN;
        }
    }
    return SQ__STILL_HELD;
}

bool sq__gate_open(sq__gate_t *gate, SQ__ATOMIC(uint64_t) *entered) {
    const sq__gate_word_t most = SQ__GATE_MOST_ENTERED * SQ__GATE_ENTERED_ONE;
    sq__gate_word_t word = sq__load_relaxed(gate);
    if (word & most) { /* it stays so: nobody enters while we hold the baton */
        sq__add_relaxed(entered, SQ__GATE_MOST_ENTERED);
        word = sq__sub_acq_rel(gate, most) - most;
    }
    do {
        if (word & SQ__GATE_NEWS) {
            return false;
        }
        /* [baton] release: what we did with it. */
    } while (!sq__cas_release(gate, &word, word & ~SQ__GATE_BUSY));
    return true;
}
