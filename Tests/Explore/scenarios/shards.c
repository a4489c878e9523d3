/* shards.c: queues on a pool whose permits are shards of their own, each with a lock, a list and workers (pool/shards.h). */
#include "scenario.h"

#include <errno.h>

#define TWO .pool = { POOL_FIXED, 2 }
#define THREE .pool = { POOL_FIXED, 3 }
#define LENT .pool = { POOL_LENT, 2 }
#define HELPED .pool = { POOL_HELPED, 2 }
#define GROWS .pool = { POOL_GROWS, 2 }
#define CYCLE .may = ERROR_BIT(EDEADLK)
#define STOPPED .may = ERROR_BIT(ESHUTDOWN)
#define ENDS .may = ERROR_BIT(ESHUTDOWN) | ERROR_BIT(EDEADLK), .deadlocks = -1
#define REFERENCES .each_has_a_reference = true
#define SHARDS .has_shards = true

const scenario_t shards_scenarios[] = {
    { "shards_two", "each shard has a queue, or one takes that of the other", "async async:B | async:B async", SHARDS, .expect = { TWO } },
    { "shards_wait", "an entry waits in a shard whose worker is blocked: the other shard takes it", "async(pass0) async:B(open0)", SHARDS, .expect = { TWO } },
    { "shards_wait_two", "the same from two threads, while the other shard goes to sleep", "async(pass0) async:B(open0) | async:C", SHARDS, .expect = { TWO } },
    { "shards_wait_inside", "a task posts to its own shard, and blocks", "async(async:B(open0) pass0) | async:C", SHARDS, .expect = { TWO } },
    { "shards_wait_idle", "the other shard has run something, and is about to rest", "async(pass0) | async:B async:C(open0)", SHARDS, .expect = { TWO } },
    { "shards_three", "three shards, two of them blocked", "async(pass0) async:B(pass0) async:C(open0)", SHARDS, .expect = { THREE } },
    { "shards_overtaken", "a thread comes to a free shard that another one has filled, while a third shard is free", "async(pass0) async:B(pass1) | async:C(pass2) async:D(open0 open1 open2)",
      SHARDS, .expect = { .pool = { POOL_FIXED, 4 } } },
    { "shards_put_back", "a worker puts a queue back, takes another one, and blocks", "async async async(open0) async:B(pass0) | async:C", SHARDS, .expect = { TWO } },
    { "shards_put_back_higher", "the same, where the other one is of a higher priority", "async:C async:C async:C(open0) async:A(pass0) | async:A", SHARDS, .expect = { HELPED } },
    { "shards_limit", "as many workers as there may be sleep in the library, in all shards at a time", "async(call:C(call:D)) async:B(call:C)", SHARDS, .expect = { LENT } },
    { "shards_one_queue", "a queue goes from shard to shard, its tasks one at a time", "async async async | async(async)", SHARDS, .expect = { TWO } },
    { "shards_lends", "a task waits for a task that its shard has, or the other one", "async(call:B) | async:B", SHARDS, .expect = { LENT } },
    { "shards_lends_chain", "two tasks wait, one within the other, and nothing else is free", "async(call:B(call:C)) async:D", SHARDS, .expect = { LENT } },
    { "shards_cycle", "two tasks in two shards wait for each other: one is refused", "async(open0 pass1 sync:B) | async:B(open1 pass0 sync)", SHARDS,
      .expect = { LENT, CYCLE, .deadlocks = -1 } },
    { "shards_helped", "a sync caller is given a queue by whichever shard would append it", "async async sync | async", SHARDS, .expect = { HELPED } },
    { "shards_helped_two", "two callers help two queues", "async async:B sync:B | async:B sync", SHARDS, .expect = { HELPED } },
    { "shards_helped_blocked", "both shards are blocked until a caller has run its queue itself", "async async async sync open0 | async:B(pass0) async:C(pass0)",
      SHARDS, .expect = { HELPED } },
    { "shards_levels", "queues of three priorities in two shards", "async:C async async:B | async:B async:C", SHARDS, .expect = { HELPED } },
    { "shards_grow", "all shards are blocked: one of them gets another permit", "async(pass0) async:B(pass0) async:C(open0)", SHARDS, .expect = { GROWS } },
    { "shards_grow_shared", "entries wait in both shards, and there may be only one permit more", "async(pass0) async:B(pass0) async:C(open0) async:D", SHARDS, .expect = { GROWS } },
    { "shards_shrink", "grown and back: what comes next finds its thread", "async(pass0) async:B(open0) sync | pass0 async async:B", SHARDS, .expect = { GROWS } },
    { "shards_apply", "workers of both shards help with a loop", "apply3 | async", SHARDS, .expect = { TWO } },
    { "shards_concurrent", "a concurrent queue in two shards", "async async async | sync sync_barrier", SHARDS, .expect = { TWO, .width = 2 } },
    { "shards_faults", "a shard that cannot get a thread leaves its entries to the other one", "async async:B | async:B async", .faults = true, SHARDS, .expect = { TWO } },
    { "shards_faults_gate", "the same where the first shard is blocked", "async(pass0) async:B(open0)", .faults = true, SHARDS, .expect = { TWO } },
    { "shards_faults_grow", "the same where the pool grows", "async(pass0) async:B | async:C(open0) open0", .faults = true, SHARDS, .expect = { GROWS } },
    { "shards_suspend", "a suspended queue between the shards", "async async:B | suspend resume async", SHARDS, .expect = { TWO } },
    { "shards_discard", "a queue is discarded while it waits in either shard", "async async async:B | discard async:B", SHARDS, .expect = { TWO, STOPPED } },
    { "shards_first_release", "the pool is released before its queues, while tasks run", "async async:B | release_pool async", SHARDS, .expect = { TWO } },
    { "shards_ends", "queues and pool are released against each other", "async release release_pool | async:B release:B async release release:B", SHARDS, .expect = { TWO, REFERENCES } },
    { "shards_ends_in_task", "queue and pool are freed with the last task", "async(release_pool release) | release", SHARDS, .expect = { TWO, REFERENCES } },
    { "shards_ends_growing", "the pool ends while its growth is checked", "async(pass0) async:B(open0) release release:B release_pool | release release:B", SHARDS,
      .expect = { GROWS, REFERENCES } },
    { "shards_ends_faults", "the same while threads and memory fail", "async release release_pool | async release", .faults = true, SHARDS, .expect = { TWO, REFERENCES } },
    { "mix_shards", "random programs in two shards", "mix plain", SHARDS, .expect = { LENT, CYCLE, .deadlocks = -1 } },
    { "mix_shards_grows", "the same on a pool that grows", "mix bound", SHARDS, .expect = { GROWS, CYCLE, .deadlocks = -1, .capacity = 1 } },
    { "mix_shards_end", "the same with shutdowns", "mix end", SHARDS, .expect = { LENT, ENDS } },
    { "mix_shards_release", "the same with last releases", "mix release", SHARDS, .expect = { LENT, ENDS, REFERENCES } },
    { "mix_shards_faults", "the same while threads and memory fail", "mix end", .faults = true, SHARDS, .expect = { LENT, ENDS } },
    { 0 },
};
