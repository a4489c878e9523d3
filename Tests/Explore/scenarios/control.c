/* control.c: suspension and watching. */
#include "scenario.h"

#include <errno.h>

const scenario_t control_scenarios[] = {
    { "suspend_holder", "no task starts once suspend has returned, unless its turn had come", "async async | suspend resume" },
    { "suspend_free", "a free queue is parked at once, and taken up by the resume", "suspend async resume | async" },
    { "suspend_sync", "a sync against suspend and resume", "sync | suspend resume | async" },
    { "suspend_fast_sync", "the fast way back of a sync against suspend", "sync sync | suspend resume" },
    { "suspend_until", "a timed sync gives up while the queue is suspended", "suspend sync_until resume | sync_until" },
    { "suspend_call", "a call waits for the resume", "call | suspend resume" },
    { "suspend_call_until", "a call gives up while the queue is suspended", "call_until | suspend async resume" },
    { "suspend_nested", "two suspenders: the last resume lets go on", "suspend resume | suspend resume | async" },
    { "suspend_in_task", "a task suspends its own queue; another thread resumes", "async(suspend open0) async | pass0 resume" },
    { "resume_in_task", "suspended and resumed within one task", "async(suspend resume) async | sync" },
    { "resume_too_many", "one resume too many changes nothing", "suspend resume? | resume? async" },
    { "resume_parking", "the resume comes while the holder is parking", "async | suspend resume suspend resume | sync" },
    { "suspend_bound", "submitters wait for room in a suspended queue", "suspend async_until async_until resume | async_until", .expect = { .capacity = 1 } },
    { "suspend_faults", "suspension while memory and threads fail", "async sync_until | suspend async resume", .faults = true },
    { "watch_task", "a watcher begins while a task runs", "async | watch unwatch" },
    { "watch_replace", "a watcher is replaced while it may be called", "watch watch unwatch | async" },
    { "watch_two", "two threads watch one queue", "watch | watch | sync" },
    { "watch_sync", "a watched queue under sync", "watch sync | sync" },
    { "watch_suspend", "the note is seen by whoever sees the flag, whatever else writes the word", "watch | suspend resume | async" },
    { "watch_discard", "the same with a shutdown (regression: control was stored relaxed)", "watch | async | discard_until",
      .expect = { .may = ERROR_BIT(ESHUTDOWN) } },
    { "watch_goes_while_called", "the last watched queue goes while its watcher is called (regression: the thread slept for ever)", "watch async | unwatch | async(pass0) open0" },
    { "watch_faults", "no memory or no thread for watching", "watch async unwatch | watch", .faults = true },
    { 0 },
};
