/* mutants.c: what the other scenarios left alive of the mutants of the core (Tests/Mutants). */
#include "scenario.h"

#include <errno.h>

#define STOPPED .may = ERROR_BIT(ESHUTDOWN)
#define CYCLE .may = ERROR_BIT(EDEADLK), .deadlocks = 1

const scenario_t mutant_scenarios[] = {
    { "bound_ever", "who waits for room without end gets it, also if it comes free just before the wait", "async_ever async_ever | async_ever async_ever",
      .expect = { .capacity = 1 } },
    { "bound_ever_close", "the same with a shutdown: no submitter is left behind", "async_ever async_ever | async_ever | discard_until",
      .expect = { .capacity = 1, STOPPED } },
    { "bound_ever_closed", "a full queue that is shut down, but cannot end yet, refuses at once", "suspend async drain_until async_ever resume",
      .expect = { .capacity = 1, STOPPED } },
    { "bound_ever_parked", "the same for one that is about to wait, when the shutdown comes", "suspend async open0 drain_until pass1 resume | pass0 async_ever open1",
      .expect = { .capacity = 1, STOPPED } },
    { "cycle_outer", "a cycle through an outer task of a thread", "sync(sync:B(open0 pass1 sync:C)) | sync:C(open1 pass0 sync)", .expect = { CYCLE } },
    { "cycle_claimed_two", "two calls of the cycle have begun: the third wait is the one to be given up", "sync(call:B(call:C(sync)))", .expect = { CYCLE } },
    { "no_cycle_granted", "a sleeper that has what it waited for is not part of a cycle", "async(sync:B) sync:B(async_ever)", .expect = { .capacity = 1 } },
    { "discard_then_suspend", "a suspension after a discard holds nothing back", "async async async | discard_until suspend resume?", .expect = { STOPPED } },
    { "discard_while_suspending", "a suspension and a discard at once: neither flag is lost", "async suspend | discard_until",
      .expect = { STOPPED } },
    { "watch_waits_for", "a watcher is told what a stalled task waits for, while it stops waiting", "watch sync(sync:B) | sync:B(look look look look)" },
    { "release_resumed", "the last release of a suspended queue, which its task resumes just then", "async(open0 pass1 resume?) pass0 suspend open1 release",
      .expect = { .each_has_a_reference = true } },
    { "drain_then_async", "the first async comes when the queue has ended: no worker is started that nobody ends", "drain async | async", .expect = { STOPPED } },
    { "retain_for_another", "a reference taken by a task, while the last one is being released, outlives the task", "async(retain open0) release pass0 release",
      .expect = { .each_has_a_reference = true } },
    { "retain_while_abandoned", "a reference taken by a task, while the last one of a suspended queue is released: what waits is not discarded",
      "async(open1 retain pass0 resume? release) async(1) pass1 suspend release open0", .expect = { .each_has_a_reference = true }, .prints = { "1" } },
    { "release_ending", "the last release of a suspended queue that is shut down, and ends just then", "async(drain) suspend release",
      .expect = { .each_has_a_reference = true, .may = ERROR_BIT(ESHUTDOWN) | ERROR_BIT(EDEADLK), .deadlocks = -1 } },
    { "release_suspended_ended", "the last release of a queue that its task has retained, shut down and suspended, and that has ended", "async(retain drain suspend open0) release pass0 release",
      .expect = { .each_has_a_reference = true, .may = ERROR_BIT(EDEADLK), .deadlocks = -1 } },
    { 0 },
};
