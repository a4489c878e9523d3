#include "gate/stripes.h"

#include "platform/processors.h"
#include "thread/self.h"

#include <string.h>

/* Two stripes for each processor, so that few threads share one. PAYS: see learn(). */
enum { STRIPES_PER_PROCESSOR = 2, PAYS = 8 };

/* Zeroed stripes: a power of two of them, at most SQ__MOST_STRIPES. NULL: no memory. The caller frees them with sq__memory_free. */
static sq__stripes_t *make(void) {
    uint32_t want = sq__processor_count() * STRIPES_PER_PROCESSOR, count = 1;
    while (count < want && count < SQ__MOST_STRIPES) {
        count *= 2;
    }
    size_t bytes = sizeof(sq__stripes_t) + count * sizeof(sq__stripe_t);
    sq__stripes_t *stripes = sq__memory_lines(bytes);
    if (stripes != NULL) {
        memset(stripes, 0, bytes);
        stripes->mask = count - 1;
    }
    return stripes;
}

/* By a thread that is inside. Makes the stripes if there are none yet; several threads may try at a time. False: no memory. */
static bool has_stripes(sq__concurrent_t *concurrent) {
    if (sq__load_acquire(&concurrent->stripes) != NULL) { /* [striped] acquire: another thread may have made them */
        return true;
    }
    sq__stripes_t *none = NULL, *stripes = make();
    if (stripes == NULL) {
        return false;
    }
    /* [striped] release: the stripes as they were made; acquire if it fails: those of the thread that was first. */
    if (!sq__cas_release_or_acquire(&concurrent->stripes, &none, stripes)) {
        sq__memory_free(stripes);
    }
    return true;
}

void sq__stripes_overlap(sq__concurrent_t *concurrent) {
    uint32_t overlaps = sq__load_relaxed(&concurrent->overlaps) + 1;
    sq__store_relaxed(&concurrent->overlaps, overlaps); /* some may be lost: it is a guess */
    if (overlaps < SQ__STRIPED_AFTER << sq__load_relaxed(&concurrent->striped_late)) {
        return;
    }
    sq__store_relaxed(&concurrent->overlaps, 0);
    if (!has_stripes(concurrent)) {
        return; /* no memory: after as many overlaps it tries again */
    }
    sq__gate_word_t word = sq__load_relaxed(&concurrent->gate);
    /* [striped] release: the stripes. */
    while (!(word & SQ__GATE_CLOSED) && !sq__cas_release(&concurrent->gate, &word, word | SQ__GATE_STRIPED)) {
    }
}

/* By a reader inside that has found the count of its stripe full: moves half of it to concurrent->entered. The other half stays: readers that
 * withdraw subtract themselves again. */
static void take_over(sq__concurrent_t *concurrent, sq__stripe_t *stripe) {
    sq__stripe_word_t word = sq__load_relaxed(&stripe->word);
    while (sq__stripe_entered(word) >= SQ__STRIPE_MOST_ENTERED) {
        if (sq__cas_relaxed(&stripe->word, &word, word - SQ__STRIPE_MOST_ENTERED / 2 * SQ__STRIPE_ENTERED_ONE)) {
            sq__add_relaxed(&concurrent->entered, SQ__STRIPE_MOST_ENTERED / 2);
            return;
        }
    }
}

bool sq__stripes_leave(sq__concurrent_t *concurrent, sq__striped_t mine, uint64_t off) {
    sq__stripe_word_t next;
    bool is_last;
    do {
        next = mine.word - off;
        is_last = (next & SQ__STRIPE_COUNTED) && sq__stripe_inside(next) == 0;
        next &= is_last ? ~SQ__STRIPE_COUNTED : ~(sq__stripe_word_t)0;
        /* [stripe] release: what the reader did; acquire: what the others of this stripe did, for which it leaves the gate. */
    } while (!sq__cas_acq_rel(&mine.stripe->word, &mine.word, next));
    return is_last && sq__gate_leave(&concurrent->gate, sq__load_relaxed(&concurrent->gate), false);
}

bool sq__stripes_enter(sq__concurrent_t *concurrent, sq__striped_t *mine, bool *takes) {
    *takes = false;
    if (!sq__is_striped(sq__load_acquire(&concurrent->gate))) { /* [striped] acquire: the stripes */
        return false;
    }
    sq__stripes_t *stripes = sq__load_relaxed(&concurrent->stripes);
    sq__stripe_t *stripe = &stripes->stripe[sq__self_number() & stripes->mask];
    /* [gathered] acquire: what the thread that gathered did to the gate before. */
    sq__stripe_word_t word = sq__add_acquire(&stripe->word, SQ__STRIPE_INSIDE_ONE + SQ__STRIPE_ENTERED_ONE);
    *mine = (sq__striped_t){ .stripe = stripe, .word = word + SQ__STRIPE_INSIDE_ONE + SQ__STRIPE_ENTERED_ONE };
    if (__builtin_expect(sq__is_striped(sq__load_acquire(&concurrent->gate)), 1)) { /* [gate] acquire: what the last barrier did */
        if (__builtin_expect(sq__stripe_entered(mine->word) >= SQ__STRIPE_MOST_ENTERED, 0)) {
            take_over(concurrent, stripe);
        }
        return true;
    }
    *takes = sq__stripes_leave(concurrent, *mine, SQ__STRIPE_INSIDE_ONE + SQ__STRIPE_ENTERED_ONE);
    return false;
}

/* O. After a gathering: `entered` readers had entered by then. Sets how soon the gate is striped again, and counts overlaps anew. The stripes have
 * paid if PAYS times as many readers have entered by them as gathering has swaps. */
static void learn(sq__concurrent_t *concurrent, uint64_t entered) {
    sq__stripes_t *stripes = sq__load_relaxed(&concurrent->stripes);
    uint32_t late = sq__load_relaxed(&concurrent->striped_late);
    /* Readers that withdraw count themselves off again: there may be fewer than the last time. */
    if (entered > stripes->gathered && entered - stripes->gathered >= (uint64_t)PAYS * (stripes->mask + 1)) {
        late = 0;
    } else if (SQ__STRIPED_AFTER << late < SQ__STRIPED_LATEST) {
        late += 1;
    }
    stripes->gathered = entered;
    sq__store_relaxed(&concurrent->striped_late, late);
    sq__store_relaxed(&concurrent->overlaps, 0);
}

void sq__stripes_gather(sq__concurrent_t *concurrent) {
    sq__stripes_t *stripes = sq__load_relaxed(&concurrent->stripes);
    uint64_t count = stripes->mask + 1, not_counted = 0, entered = sq__load_relaxed(&concurrent->entered);
    /* All of them beforehand: a reader may leave the gate as soon as its stripe says COUNTED. */
    (void)sq__add_relaxed(&concurrent->gate, count * SQ__GATE_INSIDE_ONE - SQ__GATE_STRIPED);
    for (uint64_t i = 0; i < count; i += 1) {
        sq__stripe_t *stripe = &stripes->stripe[i];
        sq__stripe_word_t word = sq__load_relaxed(&stripe->word);
        /* [gathered] release: the gate is closed. [stripe] acquire: what the readers did that have left. */
        while (!sq__cas_acq_rel(&stripe->word, &word, sq__stripe_inside(word) > 0 ? word | SQ__STRIPE_COUNTED : word)) {
        }
        not_counted += sq__stripe_inside(word) == 0 || (word & SQ__STRIPE_COUNTED);
        entered += sq__stripe_entered(word);
    }
    (void)sq__add_relaxed(&concurrent->gate, -(not_counted * SQ__GATE_INSIDE_ONE));
    learn(concurrent, entered);
}

uint64_t sq__stripes_entered(const sq__stripes_t *stripes) {
    uint64_t entered = 0;
    for (uint32_t i = 0; stripes != NULL && i <= stripes->mask; i += 1) {
        entered += sq__stripe_entered(sq__load_relaxed(&stripes->stripe[i].word));
    }
    return entered;
}

uint64_t sq__stripes_not_counted(const sq__stripes_t *stripes) {
    uint64_t inside = 0;
    for (uint32_t i = 0; stripes != NULL && i <= stripes->mask; i += 1) {
        inside += sq__stripe_not_counted(sq__load_relaxed(&stripes->stripe[i].word));
    }
    return inside;
}
