/* ending.c: shutdown and the last reference. */
#include "scenario.h"

#include <errno.h>

#define STOPPED .may = ERROR_BIT(ESHUTDOWN)
#define STOPPED_OR_CYCLE .may = ERROR_BIT(ESHUTDOWN) | ERROR_BIT(EDEADLK), .deadlocks = -1
#define REFERENCES .each_has_a_reference = true

const scenario_t ending_scenarios[] = {
    { "drain_async", "a drain runs what was accepted, and refuses the rest", "async async | drain", .expect = { STOPPED } },
    { "drain_sync", "the fast way back of a sync against the close", "sync | drain", .expect = { STOPPED } },
    { "drain_free", "an idle queue ends at once", "async drain | sync", .expect = { STOPPED } },
    { "drain_drain", "two wait for one end", "async | drain | drain", .expect = { STOPPED } },
    { "drain_until_end", "the deadline at the moment of the end", "async drain_until drain | drain_until", .expect = { STOPPED } },
    { "discard_async", "each accepted task runs or is discarded, not both", "async async | discard", .expect = { STOPPED } },
    { "discard_pair", "work of two words runs or is cleaned up", "pair async pair | discard", .expect = { STOPPED } },
    { "discard_sync", "a waiting sync is refused, or runs", "async sync | discard", .expect = { STOPPED } },
    { "discard_until_sync", "a refusal against a deadline", "async sync_until | discard", .expect = { STOPPED } },
    { "stuck_sync", "a waiting sync is refused although the task never ends", "async(open0 pass1) | pass0 sync open1 | pass0 discard_until",
      .expect = { STOPPED } },
    { "stuck_call", "the same with a call", "async(open0 pass1) | pass0 call open1 | pass0 discard_until", .expect = { STOPPED } },
    { "line_before", "a wait for B is not refused by a discard of A, for which its thread waited before",
      "sync open0 | sync open1 sync:B | sync:B | pass0 pass1 discard" },
    { "discard_call", "a refusal against a claim", "call | async | discard", .expect = { STOPPED } },
    { "discard_call_until", "a refusal against a claim and a deadline", "call_until | discard", .expect = { STOPPED } },
    { "drain_to_discard", "a drain is turned into a discard", "async async drain_until discard | async", .expect = { STOPPED } },
    { "drain_suspended", "a suspended queue drains once it is resumed", "suspend async drain_until resume drain | async", .expect = { STOPPED } },
    { "discard_suspended", "a suspended queue discards", "suspend async discard | async_until", .expect = { STOPPED } },
    { "drain_resume", "the close takes up a parked baton while the resume does", "async | suspend resume? | drain", .expect = { STOPPED } },
    { "end_suspend", "suspend against the end", "async | suspend resume? | drain", .expect = { STOPPED } },
    { "drain_in_task", "a task shuts its own queue down", "async(drain) async | sync", .expect = { STOPPED_OR_CYCLE } },
    { "discard_in_sync", "the same from a sync task", "sync(discard) | async async", .expect = { STOPPED_OR_CYCLE } },
    { "drain_each_other", "two tasks shut down each other's queue", "sync(drain:B) | sync:B(drain)", .expect = { STOPPED_OR_CYCLE } },
    { "drain_bound", "submitters that wait for room are refused", "async_until async_until | drain", .expect = { STOPPED, .capacity = 1 } },
    { "drain_faults", "a shutdown while memory and threads fail", "async drain_until | sync_until", .faults = true, .expect = { STOPPED } },
    { "release_pending", "after the last release the accepted tasks run, then the queue frees itself", "async async release | release", .expect = { REFERENCES } },
    { "release_drain", "the last release while the runner gives the baton back", "async release | async release", .expect = { REFERENCES } },
    { "release_sync", "the last release after a sync, whose way back another one takes", "sync release | sync release", .expect = { REFERENCES } },
    { "release_in_task", "the last release by a task of the queue", "async(release) | sync release", .expect = { REFERENCES } },
    { "release_in_sync", "the last release by a sync task", "sync(release) | async release", .expect = { REFERENCES } },
    { "release_submits", "a task of a queue without references submits to it", "async(async) release", .expect = { REFERENCES } },
    { "retain_in_task", "a task brings back a queue that was released (regression: freed twice)", "async(retain release) release", .expect = { REFERENCES } },
    { "retain_in_task_two", "the same, with tasks behind it", "async(retain async release) async release | async release", .expect = { REFERENCES } },
    { "release_suspended", "the last release of a suspended queue discards what waits", "suspend async release | async release", .expect = { REFERENCES } },
    { "release_parking", "the last release while the holder parks", "async async suspend release", .expect = { REFERENCES } },
    { "suspend_in_last_task", "a task suspends its queue after the last release (regression: parked for ever)", "async(suspend) async release", .expect = { REFERENCES } },
    { "abandon_retain", "a task brings back a queue that was abandoned while suspended", "async(pass0 retain release) suspend release open0", .expect = { REFERENCES } },
    { "release_ended", "the last release against the end of a shutdown", "async drain_until release | release", .expect = { REFERENCES, STOPPED } },
    { "release_watched", "a watched queue frees itself", "watch async release | release", .expect = { REFERENCES } },
    { "release_faults", "the last release while memory and threads fail", "async release | sync_until release", .faults = true, .expect = { REFERENCES } },
    { 0 },
};
