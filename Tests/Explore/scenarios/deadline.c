/* deadline.c: waits with a deadline. Every deadline may pass at any point. */
#include "scenario.h"

#include <errno.h>

const scenario_t deadline_scenarios[] = {
    { "until_grant", "the deadline against the grant: the baton is never lost, the task never runs late", "sync | sync_until" },
    { "until_until", "two that give up beside each other", "sync_until | sync_until | async" },
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
    { 0 },
};
