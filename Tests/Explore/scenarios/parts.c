/* parts.c: queues on a pool whose seats are parts of their own, each with a lock, a list and members (pool/parts.h). */
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
#define PARTS .has_parts = true

const scenario_t parts_scenarios[] = {
    { "parts_two", "each part has a queue, or one takes that of the other", "async async:B | async:B async", PARTS, .expect = { TWO } },
    { "parts_wait", "an entry waits in a part whose member is blocked: the other part takes it", "async(pass0) async:B(open0)", PARTS, .expect = { TWO } },
    { "parts_wait_two", "the same from two threads, while the other part goes to sleep", "async(pass0) async:B(open0) | async:C", PARTS, .expect = { TWO } },
    { "parts_wait_inside", "a task posts to its own part, and blocks", "async(async:B(open0) pass0) | async:C", PARTS, .expect = { TWO } },
    { "parts_wait_idle", "the other part has run something, and is about to rest", "async(pass0) | async:B async:C(open0)", PARTS, .expect = { TWO } },
    { "parts_three", "three parts, two of them blocked", "async(pass0) async:B(pass0) async:C(open0)", PARTS, .expect = { THREE } },
    { "parts_overtaken", "a thread comes to a free part that another one has filled, while a third part is free", "async(pass0) async:B(pass1) | async:C(pass2) async:D(open0 open1 open2)",
      PARTS, .expect = { .pool = { POOL_FIXED, 4 } } },
    { "parts_put_back", "a member puts a queue back, takes another one, and blocks", "async async async(open0) async:B(pass0) | async:C", PARTS, .expect = { TWO } },
    { "parts_put_back_higher", "the same, where the other one is of a higher priority", "async:C async:C async:C(open0) async:A(pass0) | async:A", PARTS, .expect = { HELPED } },
    { "parts_limit", "as many members as there may be sleep in the library, in all parts at a time", "async(call:C(call:D)) async:B(call:C)", PARTS, .expect = { LENT } },
    { "parts_one_queue", "a queue goes from part to part, its tasks one at a time", "async async async | async(async)", PARTS, .expect = { TWO } },
    { "parts_lends", "a task waits for a task that its part has, or the other one", "async(call:B) | async:B", PARTS, .expect = { LENT } },
    { "parts_lends_chain", "two tasks wait, one within the other, and nothing else is free", "async(call:B(call:C)) async:D", PARTS, .expect = { LENT } },
    { "parts_cycle", "two tasks in two parts wait for each other: one is refused", "async(open0 pass1 sync:B) | async:B(open1 pass0 sync)", PARTS,
      .expect = { LENT, CYCLE, .deadlocks = -1 } },
    { "parts_helped", "a sync caller is given a queue by whichever part would append it", "async async sync | async", PARTS, .expect = { HELPED } },
    { "parts_helped_two", "two callers help two queues", "async async:B sync:B | async:B sync", PARTS, .expect = { HELPED } },
    { "parts_helped_blocked", "both parts are blocked until a caller has run its queue itself", "async async async sync open0 | async:B(pass0) async:C(pass0)",
      PARTS, .expect = { HELPED } },
    { "parts_bands", "queues of three priorities in two parts", "async:C async async:B | async:B async:C", PARTS, .expect = { HELPED } },
    { "parts_grow", "all parts are blocked: one of them gets another seat", "async(pass0) async:B(pass0) async:C(open0)", PARTS, .expect = { GROWS } },
    { "parts_grow_shared", "entries wait in both parts, and there may be only one seat more", "async(pass0) async:B(pass0) async:C(open0) async:D", PARTS, .expect = { GROWS } },
    { "parts_shrink", "grown and back: what comes next finds its thread", "async(pass0) async:B(open0) sync | pass0 async async:B", PARTS, .expect = { GROWS } },
    { "parts_apply", "members of both parts help with a loop", "apply3 | async", PARTS, .expect = { TWO } },
    { "parts_concurrent", "a concurrent queue in two parts", "async async async | sync sync_barrier", PARTS, .expect = { TWO, .width = 2 } },
    { "parts_faults", "a part that cannot get a thread leaves its entries to the other one", "async async:B | async:B async", .faults = true, PARTS, .expect = { TWO } },
    { "parts_faults_gate", "the same where the first part is blocked", "async(pass0) async:B(open0)", .faults = true, PARTS, .expect = { TWO } },
    { "parts_faults_grow", "the same where the pool grows", "async(pass0) async:B | async:C(open0) open0", .faults = true, PARTS, .expect = { GROWS } },
    { "parts_suspend", "a suspended queue between the parts", "async async:B | suspend resume async", PARTS, .expect = { TWO } },
    { "parts_discard", "a queue is discarded while it waits in either part", "async async async:B | discard async:B", PARTS, .expect = { TWO, STOPPED } },
    { "parts_first_release", "the pool is released before its queues, while tasks run", "async async:B | release_pool async", PARTS, .expect = { TWO } },
    { "parts_ends", "queues and pool are released against each other", "async release release_pool | async:B release:B async release release:B", PARTS, .expect = { TWO, REFERENCES } },
    { "parts_ends_in_task", "queue and pool are freed with the last task", "async(release_pool release) | release", PARTS, .expect = { TWO, REFERENCES } },
    { "parts_ends_growing", "the pool ends while its growth is checked", "async(pass0) async:B(open0) release release:B release_pool | release release:B", PARTS,
      .expect = { GROWS, REFERENCES } },
    { "parts_ends_faults", "the same while threads and memory fail", "async release release_pool | async release", .faults = true, PARTS, .expect = { TWO, REFERENCES } },
    { "mix_parts", "random programs in two parts", "mix plain", PARTS, .expect = { LENT, CYCLE, .deadlocks = -1 } },
    { "mix_parts_grows", "the same on a pool that grows", "mix bound", PARTS, .expect = { GROWS, CYCLE, .deadlocks = -1, .capacity = 1 } },
    { "mix_parts_end", "the same with shutdowns", "mix end", PARTS, .expect = { LENT, ENDS } },
    { "mix_parts_release", "the same with last releases", "mix release", PARTS, .expect = { LENT, ENDS, REFERENCES } },
    { "mix_parts_faults", "the same while threads and memory fail", "mix end", .faults = true, PARTS, .expect = { LENT, ENDS } },
    { 0 },
};
