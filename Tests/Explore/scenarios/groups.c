/* groups.c: all scenarios, in the order in which they run. */
#include "scenario.h"

const scenario_t *const scenario_groups[] = { mix_scenarios, NULL };
