/* all.c: all scenarios, in the order in which they run. */
#include "scenario.h"

#define GROUPS(X)                                                                                                          \
    X(litmus) X(puzzle) X(order) X(deadline) X(capacity) X(deferred) X(suspend) X(watch) X(dump) X(shutdown) X(release)    \
    X(deadlock) X(depth) X(target) X(target_fixed) X(pool) X(pool_end) X(shards) X(shards_entry) X(shards_levels) X(alarm) X(timer) \
    X(pending) X(semaphore_once) X(group) X(item) X(item_repeat) X(await) X(concurrent) X(concurrent_puzzle) X(member) X(apply)       \
    X(loop) X(loop_wait) X(recording) X(store) X(value) X(cache) X(cells) X(mix)
#define LIST(name) name##_scenarios,
#define NAME(name) #name,

const scenario_t *const scenario_groups[] = { GROUPS(LIST) NULL };
const char *const scenario_group_names[] = { GROUPS(NAME) };
