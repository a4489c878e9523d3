/* search.h: which run comes next: the search for a schedule that fails, and what is done with it.
 *
 * DESIGN.
 *
 *     SEARCH     runs of the strategy, until one fails
 *     REPEAT     the failure twice more, recorded. If it does not fail both times, with the same events, something is not under
 *                control: then the search ends
 *     SHRINK     the failure with some of its unusual decisions put back to the usual one: half of them, a quarter, ..., one
 *     MINIMISE   depth first: is there a failure with fewer unusual decisions?
 *     DRAW       the smallest failure, recorded
 *
 * Behind SEARCH only a run that failed for the same reason (reason.h) counts as a failure. Else the report could be about something else than
 * what was found: without an unusual decision, for instance, a test may have no end.
 *
 * Depth first goes round by round: all schedules with no unusual decision, with one, with two, .... The next schedule of a round
 * differs from the last one in the last decision that permits it, and is usual from there on.
 *
 * Each random schedule has a seed of its own. The first one's is the seed of the search, and each further one's is mixed from the one
 * before. So the seed of any schedule begins a search with it, and searches with neighbouring seeds have no schedule in common. */
#pragma once

#include "explore/extent.h"
#include "explore/run_state.h"
#include "include/sq_explore.h"

typedef enum sq__search_phase {
    SQ__SEARCH_FIRST, SQ__SEARCH_REPEAT, SQ__SEARCH_SHRINK, SQ__SEARCH_MINIMISE, SQ__SEARCH_DRAW, SQ__SEARCH_OVER
} sq__search_phase_t;

/* Depth first. */
typedef struct sq__depth_first {
    size_t unusual;   /* of this round */
    size_t most;      /* of the last round */
    bool was_cut;     /* this round has left out schedules with more */
    bool has_begun;   /* the first schedule of the round was run */
} sq__depth_first_t;

typedef struct sq__search {
    sq_explore_strategy_t strategy;
    uint64_t schedules, seed;
    uint64_t own_seed;     /* of the last schedule of the search */
    unsigned depth;
    bool is_limited;       /* the environment has lowered `schedules` */
    bool is_replay;
    sq__search_phase_t phase;
    uint64_t runs;         /* of the search */
    sq__depth_first_t first;
    sq__extent_t extent;   /* depth first: of the search */
    sq__tape_t best;       /* the smallest failure */
    size_t found_choices;  /* decisions in the one that was found */
    char *found;           /* its message; NULL: no memory */
    char *other;           /* the message of a run that failed for another reason while this failure was repeated or shrunk; NULL: none */
    unsigned repeats;
    sq__record_t repeat;   /* the first repetition's */
    size_t chunk, at;      /* SHRINK: `chunk` unusual decisions, from number `at` on, are put back */
    bool has_shrunk;       /* in this pass */
    uint64_t budget;       /* runs that this phase may still take */
    uint64_t ends_at;      /* when it ends at the latest */
    bool is_minimal;       /* every unusual decision of `best` matters: without it the run does not fail for this reason */
    bool has_failed, is_repeatable;
    char *difference;      /* why it is not */
    bool has_no_memory;
} sq__search_t;

/* Prepares the chooser and the record for the next run. False: there is no further run, or no memory for it (has_no_memory). */
bool sq__search_next(sq__search_t *search, sq__run_t *run);

/* Called after a run that sq__search_next has prepared, before the next one: learns from its result, and may begin another phase. */
void sq__search_see(sq__search_t *search, sq__run_t *run);

void sq__search_free(sq__search_t *search);
