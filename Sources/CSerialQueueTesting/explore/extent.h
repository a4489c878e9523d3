/* extent.h: how much of all schedules a depth-first search has run.
 *
 * DESIGN. Each schedule but the usual one has a parent: the same decisions in front of its last unusual one, and usual ones from there on. So
 * the alternatives behind the last unusual decision of a schedule are as many schedules with one unusual decision more, each counted once. When
 * all schedules with N unusual decisions were run, the number of those with N + 1 is known exactly.
 *
 * The rest is estimated. If each schedule had d decisions with 1 + a answers, there would be (d over N) a^N schedules with N unusual decisions,
 * and N + 1 times the ratio of two such numbers that follow each other would be ad - aN. The estimate takes `a` from the schedules that were run,
 * `ad` from the last two ratios that are known (one alone is too large or too small by turns), and continues from there. */
#pragma once

#include "explore/tape.h"

/* All zero before the first schedule. */
typedef struct sq__extent {
    size_t round;       /* unusual decisions in the schedules that are run now; all with fewer were run */
    uint64_t runs;      /* schedules that were run */
    uint64_t through;   /* how many have at most `round` unusual decisions; exact */
    uint64_t known;     /* how many there are within the limit on unusual decisions, at least */
    uint64_t beyond;    /* and how many have one more than the limit, at least */
    uint64_t sizes[4];  /* how many have round - 2, ..., round + 1 unusual decisions; the last one at least, the others exact */
    double decisions, alternatives; /* in all that were run: the sums of their numbers of decisions, and of other answers */
} sq__extent_t;

/* Counts a schedule that was run for the first time. `most`: the limit on unusual decisions. */
void sq__extent_add(sq__extent_t *extent, const sq__tape_t *tape, size_t most);

/* Whether all schedules of this round were run. */
static inline bool sq__extent_has_round(const sq__extent_t *extent) { return extent->runs == extent->through; }

/* Whether all schedules within the limit on unusual decisions were run. */
static inline bool sq__extent_is_complete(const sq__extent_t *extent) { return extent->runs > 0 && extent->runs == extent->known; }

/* All schedules with so many unusual decisions, or fewer, were run. */
static inline size_t sq__extent_depth(const sq__extent_t *extent) {
    return extent->round - (extent->round > 0 && !sq__extent_has_round(extent));
}

/* How many schedules there are, with any number of unusual decisions. Exact if all were run. Infinite if no double is so large; 0 before the
 * first. */
double sq__extent_estimate(const sq__extent_t *extent);
