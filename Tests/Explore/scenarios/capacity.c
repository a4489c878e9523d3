/* capacity.c: queues of limited capacity: submissions that wait for room, with and without a deadline. */
#include "scenario.h"

#include <errno.h>

#define STOPPED .may = ERROR_BIT(ESHUTDOWN)

const scenario_t capacity_scenarios[] = {
    { "bound_now", "a full queue refuses, and has room again when a turn comes", "async async | async sync", .expect = { .capacity = 1 } },
    { "bound_waits", "room is handed to the one that waits longest", "async_until async_until | async_until sync", .expect = { .capacity = 1 } },
    { "bound_two", "the same with room for two", "async_until async_until async_until | async_until", .expect = { .capacity = 2 } },
    { "bound_from_task", "a task that waits for room in its own queue is refused", "async(async_until) | async_until",
      .expect = { .capacity = 1, .may = ERROR_BIT(EDEADLK), .deadlocks = -1 } },
    { "bound_sync_needs_none", "a sync needs no room", "async_until sync | async_until call", .expect = { .capacity = 1 } },
    { "bound_timeout", "room that comes free against a submitter that times out", "async_until async_until | async_until", .expect = { .capacity = 1 } },
    { "bound_timeout_two", "the same with two that wait: the room goes to the next", "async_until | async_until | async_until", .expect = { .capacity = 1 } },
    { "bound_timeout_close", "the same against a shutdown", "async_until async_until | async_until | discard_until",
      .expect = { .capacity = 1, .may = ERROR_BIT(ESHUTDOWN) } },
    { "bound_faults", "a submission that fails gives its room back", "async_until async_until | async_until", .faults = true, .expect = { .capacity = 1 } },
    { "bound_ever", "a submitter that waits without a limit gets room, even if it comes free just before the wait", "async_ever async_ever | async_ever async_ever",
      .expect = { .capacity = 1 } },
    { "bound_ever_close", "the same with a shutdown: no submitter is left behind", "async_ever async_ever | async_ever | discard_until",
      .expect = { .capacity = 1, STOPPED } },
    { "bound_ever_closed", "a full queue that is shut down, but cannot end yet, refuses at once", "suspend async drain_until async_ever resume",
      .expect = { .capacity = 1, STOPPED } },
    { "bound_ever_parked", "the same for one that is about to wait, when the shutdown comes", "suspend async open0 drain_until pass1 resume | pass0 async_ever open1",
      .expect = { .capacity = 1, STOPPED } },
    { 0 },
};
