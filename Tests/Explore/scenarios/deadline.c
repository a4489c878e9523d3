/* deadline.c: waits with a deadline. Every deadline may pass at any point. */
#include "scenario.h"

#include <errno.h>

const scenario_t deadline_scenarios[] = {
    { "until_grant", "the deadline against the grant: the baton is never lost, the task never runs late", "sync | sync_until" },
    { "until_until", "two that time out at the same time", "sync_until | sync_until | async" },
    { "until_async", "a withdrawn place is passed over on the way to a task", "async sync_until async | async" },
    { "until_again", "a token is used again after a withdrawal: the late grant of the old turn must fail", "sync_until sync_until | sync | async" },
    { "until_segment", "withdrawn places at the border of a segment", "sync_until sync_until sync | async async" },
    { "try_sync", "a try neither waits nor loses the queue", "try | sync | async" },
    { "until_in_task", "a timed wait from within a task: the sleeper's edge is taken back", "sync(sync_until:B) | sync:B" },
    { "either_until", "async_and_wait: the deadline against the claim, and against the grant", "either_until | async | sync" },
    { "call_until_claim", "run_and_wait: the deadline against the claim, and the claim against the finish", "call_until | sync" },
    { "call_until_async", "a withdrawn call is passed over by the runner", "async call_until | async" },
    { "call_until_twice", "the caller's stack is not touched after it has left", "call_until call_until | async" },
    { "until_faults", "no memory for the wait, the place or the segment", "sync_until async | async sync_until", .faults = true },
    { "call_faults", "no thread or no memory for a call", "call_until | async call_until", .faults = true },
    { "shared_until", "threads that share a slot: each is granted once, or leaves the list", "async async async sync_until | sync_until | sync_until" },
    { "shared_order", "a task is submitted while threads join the slot before it", "async async async sync_until async | sync_until sync_until" },
    { "shared_parked", "threads join and leave while the baton is parked", "suspend async async pass0 resume | pass0 sync_until | open0 sync_until sync" },
    { "shared_calls", "calls that share a slot: claimed, granted or withdrawn", "async async async call_until | either_until | call_until" },
    { "shared_discard", "a shared slot against a discarding shutdown", "async async async sync_until | sync_until call_until | discard_until",
      .expect = { .may = ERROR_BIT(ESHUTDOWN) } },
    { "shared_in_tasks", "waits without a deadline, from tasks, share as well: each may be refused", "async async async sync:B(sync) | sync:B(sync) | sync_until" },
    { "shared_last_release", "a call that has joined a shared slot releases the last reference before its thread has looked at the queue",
      "async(pass0) async async sync:B(call) release release:B release:C | sync:C(call(release)) release:B release:C | open0 release release:B release:C",
      .expect = { .each_has_a_reference = true } },
    { "shared_faults", "no memory for the list or its slot", "async async async sync_until | sync_until", .faults = true },
    { 0 },
};
