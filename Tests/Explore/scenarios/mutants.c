/* mutants.c: what the other scenarios left alive of the mutants of the core (Tests/Mutants). */
#include "scenario.h"

#include <errno.h>

#define STOPPED .may = ERROR_BIT(ESHUTDOWN)

const scenario_t mutant_scenarios[] = {
    { "bound_ever", "who waits for room without end gets it, also if it comes free just before the wait", "async_ever async_ever | async_ever async_ever",
      .expect = { .capacity = 1 } },
    { "bound_ever_close", "the same with a shutdown: no submitter is left behind", "async_ever async_ever | async_ever | discard_until",
      .expect = { .capacity = 1, STOPPED } },
    { "bound_ever_closed", "a full queue that is shut down, but cannot end yet, refuses at once", "suspend async drain_until async_ever resume",
      .expect = { .capacity = 1, STOPPED } },
    { "bound_ever_parked", "the same for one that is about to wait, when the shutdown comes", "suspend async open0 drain_until pass1 resume | pass0 async_ever open1",
      .expect = { .capacity = 1, STOPPED } },
    { 0 },
};
