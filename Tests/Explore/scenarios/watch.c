/* watch.c: watching for stalls. */
#include "scenario.h"

#include <errno.h>

const scenario_t watch_scenarios[] = {
    { "watch_task", "a watcher begins while a task runs", "async | watch unwatch" },
    { "watch_replace", "a watcher is replaced while it may be called", "watch watch unwatch | async" },
    { "watch_two", "two threads watch one queue", "watch | watch | sync" },
    { "watch_sync", "a watched queue under sync", "watch sync | sync" },
    { "watch_suspend", "every thread that sees the flag sees the note, whatever else writes the word", "watch | suspend resume | async" },
    { "watch_discard", "the same with a shutdown (regression: control was stored relaxed)", "watch | async | discard_until",
      .expect = { .may = ERROR_BIT(ESHUTDOWN) } },
    { "watch_goes_while_called", "the last watched queue goes while its watcher is called (regression: the thread slept forever)", "watch async | unwatch | async(pass0) open0" },
    { "watch_idle", "the watching thread rests, and a task stalls: it is woken, whatever was taken and given back in between",
      "watch sync(pass9) | sync" },
    { "watch_idle_async", "the same with an async task", "watch async(pass9) | sync" },
    { "watch_idle_suspended", "the same with a task that waits in a suspended queue", "watch suspend async pass9 resume | sync" },
    { "watch_faults", "no memory or no thread for watching", "watch async unwatch | watch", .faults = true },
    { "watch_waits_for", "a watcher gets what a stalled task waits for, while it stops waiting", "watch sync(sync:B) | sync:B(look look look look)" },
    { "watch_waits_for_ended", "the same, and the task that it waits for releases its queue",
      "watch sync(call:B(release:B)) release | release:B look look look look release", .expect = { .each_has_a_reference = true } },
    { 0 },
};
