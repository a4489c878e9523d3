/* search.h: one scenario under one search, and what is done with a failure. */
#ifndef SEARCH_H
#define SEARCH_H

#include "scenario.h"

enum { OUTPUTS = 64 };

typedef struct search_outcome {
    uint64_t schedules, steps, redundant, again; /* of a reduced search: abandoned; equivalent to one before */
    double seconds;
    bool failed, complete; /* complete: a depth-first search has seen everything within its bounds */
    bool printed[OUTPUTS];      /* which of the outputs that may come have come */
    char message[512];
    unsigned choices;      /* other than 0, in the shrunk tape */
} search_outcome_t;

static inline bool search_is_whole(ex_search_t search) { return search == EX_WHOLE || search == EX_WARM; }

/* Runs up to `limit` schedules, the random ones from `seed` on. Stops at the first failure, which it shrinks and, if `loud`,
 * prints: what went wrong, the steps, and the tape that replays it. */
void search_run(const scenario_t *scenario, ex_memory_t memory, ex_search_t search, uint64_t seed, uint64_t limit, bool loud,
                search_outcome_t *outcome);

/* Replays a tape as it was printed, twice, and prints the steps. Returns false if the two runs differ. */
bool search_replay(const scenario_t *scenario, ex_memory_t memory, uint64_t seed, const char *tape);

/* The outputs that are allowed under the model and have not come; NULL: all have come, or it prints nothing. */
const char *search_missing(const scenario_t *scenario, ex_memory_t memory, const search_outcome_t *outcome);

double search_now(void);

#endif
