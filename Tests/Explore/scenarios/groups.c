/* groups.c: all scenarios, in the order in which they run. */
#include "scenario.h"

const scenario_t *const scenario_groups[] = {
    litmus_scenarios, puzzle_scenarios, order_scenarios, timed_scenarios, control_scenarios, ending_scenarios, cycle_scenarios,
    mutant_scenarios, mutant_depth_scenarios, mutant_late_scenarios, pool_scenarios, pool_end_scenarios,
    alarm_scenarios, timer_scenarios, permit_scenarios, member_scenarios, await_scenarios, mix_scenarios, NULL,
};
