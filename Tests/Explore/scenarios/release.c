/* release.c: the last reference: releases against tasks, suspensions and shutdowns, and tasks that take a new reference. */
#include "scenario.h"

#include <errno.h>

#define STOPPED .may = ERROR_BIT(ESHUTDOWN)
#define REFERENCES .each_has_a_reference = true

const scenario_t release_scenarios[] = {
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
    { "suspend_in_last_task", "a task suspends its queue after the last release (regression: parked forever)", "async(suspend) async release", .expect = { REFERENCES } },
    { "abandon_retain", "a task brings back a queue that was abandoned while suspended", "async(pass0 retain release) suspend release open0", .expect = { REFERENCES } },
    { "release_ended", "the last release against the end of a shutdown", "async drain_until release | release", .expect = { REFERENCES, STOPPED } },
    { "release_watched", "a watched queue frees itself", "watch async release | release", .expect = { REFERENCES } },
    { "release_faults", "the last release while memory and threads fail", "async release | sync_until release", .faults = true, .expect = { REFERENCES } },
    { "release_resumed", "the last release of a suspended queue, which its task resumes just then", "async(open0 pass1 resume?) pass0 suspend open1 release",
      .expect = { .each_has_a_reference = true } },
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
