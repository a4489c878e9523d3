/* suspend.c: suspension and resumption. */
#include "scenario.h"

#include <errno.h>

#define STOPPED .may = ERROR_BIT(ESHUTDOWN)

const scenario_t suspend_scenarios[] = {
    { "suspend_holder", "no task starts once suspend has returned, unless its turn had come", "async async | suspend resume" },
    { "suspend_free", "a free queue is parked at once, and taken up by the resume", "suspend async resume | async" },
    { "suspend_sync", "a sync against suspend and resume", "sync | suspend resume | async" },
    { "suspend_fast_sync", "the fast way back of a sync against suspend", "sync sync | suspend resume" },
    { "suspend_until", "a timed sync times out while the queue is suspended", "suspend sync_until resume | sync_until" },
    { "suspend_call", "a call waits for the resume", "call | suspend resume" },
    { "suspend_call_until", "a call times out while the queue is suspended", "call_until | suspend async resume" },
    { "suspend_nested", "two suspenders: only the last resume resumes", "suspend resume | suspend resume | async" },
    { "suspend_in_task", "a task suspends its own queue; another thread resumes", "async(suspend open0) async | pass0 resume" },
    { "resume_in_task", "suspended and resumed within one task", "async(suspend resume) async | sync" },
    { "resume_too_many", "one resume too many changes nothing", "suspend resume? | resume? async" },
    { "resume_parking", "the resume comes while the holder is parking", "async | suspend resume suspend resume | sync" },
    { "suspend_bound", "submitters wait for room in a suspended queue", "suspend async_until async_until resume | async_until", .expect = { .capacity = 1 } },
    { "suspend_faults", "suspension while memory and threads fail", "async sync_until | suspend async resume", .faults = true },
    { "discard_then_suspend", "a suspension after a discard holds nothing back", "async async async | discard_until suspend resume?", .expect = { STOPPED } },
    { "discard_while_suspending", "a suspension and a discard at once: neither flag is lost", "async suspend | discard_until",
      .expect = { STOPPED } },
    { 0 },
};
