/* all.c: all scenarios, in the order in which they run. */
#include "scenario.h"

const scenario_t *const scenario_groups[] = {
    litmus_scenarios, puzzle_scenarios, order_scenarios, deadline_scenarios, capacity_scenarios, deferred_scenarios,
    suspend_scenarios, watch_scenarios, dump_scenarios, shutdown_scenarios, release_scenarios, deadlock_scenarios, depth_scenarios, target_scenarios, target_fixed_scenarios,
    pool_scenarios, pool_end_scenarios, parts_scenarios, parts_entry_scenarios, alarm_scenarios, timer_scenarios, pending_scenarios, semaphore_once_scenarios, group_scenarios,
    item_scenarios, item_repeat_scenarios, await_scenarios, concurrent_scenarios, concurrent_puzzle_scenarios, member_scenarios, apply_scenarios, loop_scenarios, loop_wait_scenarios, recording_scenarios,
    store_scenarios, value_scenarios, spare_scenarios, mix_scenarios, NULL,
};
