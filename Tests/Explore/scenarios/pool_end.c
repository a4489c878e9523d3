/* pool_end.c: queues on a pool that are suspended, shut down and released, and pools that are released, in all orders. */
#include "scenario.h"

#include <errno.h>

#define ONE .pool = { POOL_FIXED, 1 }
#define TWO .pool = { POOL_FIXED, 2 }
#define LENT .pool = { POOL_LENT, 1 }
#define GROWS .pool = { POOL_GROWS, 1 }
#define STOPPED .may = ERROR_BIT(ESHUTDOWN)
#define ENDS .may = ERROR_BIT(ESHUTDOWN) | ERROR_BIT(EDEADLK), .deadlocks = -1
#define REFERENCES .each_has_a_reference = true

const scenario_t pool_end_scenarios[] = {
    { "pool_suspend", "a parked baton is not in the list; a resume puts it there", "async async:B | suspend resume async", .expect = { ONE } },
    { "pool_suspend_task", "a task suspends its queue on the pool", "async(suspend open0) async async:B | pass0 resume", .expect = { ONE } },
    { "pool_drain", "a drain while the pool runs another queue", "async async:B | drain | drain:B", .expect = { ONE, STOPPED } },
    { "pool_drain_until", "the deadline at the moment of the end", "async drain_until drain | async:B", .expect = { ONE, STOPPED } },
    { "pool_discard", "a discard while the queue is in the list", "async async:B | discard async:B", .expect = { ONE, STOPPED } },
    { "pool_discard_suspended", "a suspended queue on a pool discards", "suspend async discard | async:B", .expect = { ONE, STOPPED } },
    { "pool_drain_task", "a task shuts down its own queue, and the other one of the pool", "async(drain drain:B) async:B", .expect = { LENT, ENDS } },
    { "pool_release", "the last release of a queue on a pool", "async release | async:B release:B async release release:B", .expect = { ONE, REFERENCES } },
    { "pool_release_task", "a task releases the last reference", "async(release) | release", .expect = { ONE, REFERENCES } },
    { "pool_first_release", "the pool is released before its queues", "release_pool async async:B | async:B", .expect = { ONE } },
    { "pool_first_release_two", "the same on two permits, while tasks run", "async async:B | release_pool async", .expect = { TWO } },
    { "pool_first_release_task", "a task releases the pool's first reference", "async(release_pool) | async:B", .expect = { ONE } },
    { "pool_ends", "queues and pool are released against each other: a member frees the pool, or the releaser", "async release | release_pool release", .expect = { ONE, REFERENCES } },
    { "pool_ends_in_task", "queue and pool are freed with the last task", "async(release_pool release) | release", .expect = { ONE, REFERENCES } },
    { "pool_ends_two", "the same with two members", "async release release_pool | async release", .expect = { TWO, REFERENCES } },
    { "pool_ends_used", "nothing was ever run", "release | release_pool release", .expect = { ONE, REFERENCES } },
    { "pool_ends_growing", "the pool ends while its growth is checked", "async(pass0) async:B(open0) release release:B release_pool | release release:B",
      .expect = { GROWS, REFERENCES } },
    { "pool_ends_lent", "the pool ends after a lent permit brought a second member", "async(call:B release:B) release release_pool | release release:B", .expect = { LENT, REFERENCES } },
    { "pool_ends_drained", "the same after a shutdown", "async drain_until release_pool release | release", .expect = { ONE, REFERENCES, STOPPED } },
    { "pool_ends_faults", "the same while threads and memory fail", "async release release_pool | async release", .faults = true, .expect = { TWO, REFERENCES } },
    { "mix_pool_end", "random programs with shutdowns on a pool", "mix end", .expect = { LENT, ENDS } },
    { "mix_pool_end_grows", "the same on one that grows", "mix end", .expect = { GROWS, ENDS, .capacity = 1 } },
    { "mix_pool_release", "random programs with last releases", "mix release", .expect = { .pool = { POOL_LENT, 2 }, ENDS, REFERENCES } },
    { "mix_pool_faults", "the same while threads and memory fail", "mix end", .faults = true, .expect = { LENT, ENDS } },
    { 0 },
};
