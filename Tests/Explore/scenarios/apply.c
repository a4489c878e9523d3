/* apply.c: sq_apply: the caller, the members that help, and those that come too late. */
#include "scenario.h"

#include <errno.h>

#define ON(permits) .pool = { POOL_LENT, permits }
#define CYCLE .may = ERROR_BIT(EDEADLK)

const scenario_t apply_scenarios[] = {
    { "apply_one_helps", "the caller and one member: each iteration runs once, the member wakes the caller if it ends last", "apply3", .expect = { ON(1) } },
    { "apply_two_help", "the caller and two members", "apply3", .expect = { ON(2) } },
    { "apply_chunks", "each thread takes several iterations at a time", "apply8", .expect = { ON(1) } },
    { "apply_nothing", "no iteration, and one iteration", "apply0 apply1 apply2", .expect = { ON(1) } },
    { "apply_twice", "a member that starts too late for one call helps with the next", "apply2 apply2", .expect = { ON(1) } },
    { "apply_callers", "two callers, one member", "apply2 | apply2", .expect = { ON(1) } },
    { "apply_and_async", "a member alternates between queues and iterations", "apply2 async | async async:B", .expect = { ON(1) } },
    { "apply_leaves", "a member leaves to run a queue, and returns", "apply4(async)", .expect = { ON(1) } },
    { "apply_leaves_two", "two members leave the same loop to run a queue, and return", "apply4(async)", .expect = { ON(2) } },
    { "apply_blocks", "an iteration blocks until another thread opens a gate", "apply2(pass0) | apply2 open0", .expect = { ON(1) } },
    { "apply_nested", "an iteration applies", "apply2(apply2)", .expect = { ON(1) } },
    { "apply_nested_two", "the same with two members", "apply2(apply2)", .expect = { ON(2) } },
    { "apply_in_task", "a member of the pool calls apply: its own permit is taken", "async(apply2) async:B", .expect = { ON(2) } },
    { "apply_full", "all permits are taken until the call is over", "async(pass0) apply2 open0", .expect = { ON(1) } },
    { "apply_manual", "on a manual pool the caller runs all iterations", "async(apply2) apply2 pump", .expect = { .pool = { POOL_MANUAL, 0 } } },
    { "apply_waits_inside", "iterations wait for tasks on the same pool", "apply2(call)", .expect = { ON(2) } },
    { "apply_lends", "the caller waits for its member, and lends its permit to the task that the member waits for", "async(apply2(call:B))",
      .expect = { ON(2) } },
    { "apply_onto_itself", "a sync onto the caller's queue is refused on every thread", "sync(apply2(sync))",
      .expect = { ON(1), CYCLE, .deadlocks = 2 } },
    { "apply_cycle", "an iteration waits for a task that waits for the caller's queue", "sync(apply2(sync:B)) | sync:B(sync)",
      .expect = { ON(1), CYCLE, .deadlocks = -1 } },
    { "apply_spares", "iterations wait for a queue that runs another task: no cycle", "sync(apply2(sync:B)) | sync:B", .expect = { ON(1) } },
    { "apply_in_reader", "iterations of a reader's task, while a barrier waits", "sync(apply2(async)) | sync_barrier",
      .expect = { .width = SQ_WIDTH_POOL, ON(1) } },
    { "apply_pool_released", "the pool is released as soon as the call has returned", "apply2 release_pool", .expect = { ON(1) } },
    { "apply_faults", "memory and threads fail: the caller runs what is left", "apply3 | apply2", .expect = { ON(2) }, .faults = true },
    { "apply_faults_task", "the same in a task", "async(apply2) apply2", .expect = { ON(1) }, .faults = true },
    { 0 },
};
