/* choose.h: which answer a run gets.
 *
 * DESIGN. A chooser first gives the answers of a tape, and then those of its strategy: always 0, random ones, or those of PCT
 * (Burckhardt et al., ASPLOS 2010): each queue or thread that could run has a random priority, and the highest one runs. At a
 * few random steps the one that would run gets the lowest priority of all. The answers are recorded. */
#pragma once

#include "explore/tape.h"

/* One of the ways in which a run may continue. */
typedef enum sq__way_kind {
    SQ__WAY_THREAD, /* a thread that can stop waiting */
    SQ__WAY_ENTRY,  /* a ready queue */
    SQ__WAY_TIMER,  /* a timer that is due */
    SQ__WAY_CLOCK,  /* nothing else is left to do now: the clock moves to the next timer */
    SQ__WAY_BACK,   /* nothing is left to do: the thread that runs the pool returns */
    SQ__WAY_EXPIRY  /* a thread's wait expires */
} sq__way_kind_t;

typedef struct sq__way {
    sq__way_kind_t kind;
    const void *what; /* the thread, entry, alarm or pump */
} sq__way_t;

typedef enum sq__chooses { SQ__CHOOSES_USUAL, SQ__CHOOSES_RANDOM, SQ__CHOOSES_PRIORITY } sq__chooses_t;

enum { SQ__MOST_CHANGES = 16 };

typedef struct sq__priority {
    const void *what;
    uint64_t value;
} sq__priority_t;

/* All zero before the first run. */
typedef struct sq__chooser {
    sq__tape_t given;     /* the answers to give first */
    sq__tape_t taken;     /* the answers that were given */
    bool has_no_memory;   /* the run was not recorded as a whole */
    sq__chooses_t chooses;
    uint64_t seed, random; /* at the beginning; now */
    unsigned depth;
    /* PCT */
    sq__priority_t *priorities;
    size_t priority_count;
    uint64_t lowest;      /* the last priority that was given at a change */
    size_t changes[SQ__MOST_CHANGES];
    unsigned change_count;
} sq__chooser_t;

/* A permutation of the numbers, from SplitMix64: neighbours become unlike each other. */
static inline uint64_t sq__mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Begins a run, of which no decision is taken yet. `given` is set; `depth`: PCT's number of changes. */
void sq__chooser_begin(sq__chooser_t *chooser, sq__chooses_t chooses, uint64_t seed, unsigned depth);

/* Begins the last run again, with the same `given`. */
void sq__chooser_begin_again(sq__chooser_t *chooser);

/* Decides among `count` ways, at least one, and records the answer if there are several. Returns its index. Without memory it is not recorded
 * (has_no_memory). */
size_t sq__choose_way(sq__chooser_t *chooser, const sq__way_t *ways, size_t count);

/* The same among `count` answers, at least one. */
size_t sq__choose(sq__chooser_t *chooser, size_t count);

void sq__chooser_free(sq__chooser_t *chooser);
