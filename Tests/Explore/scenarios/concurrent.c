/* concurrent.c: readers and barriers on concurrent queues. */
#include "scenario.h"

#include <errno.h>

#define WIDE .width = SQ_WIDTH_POOL, .pool = { POOL_FIXED, 2 }
#define ON(...) .expect = { WIDE, __VA_ARGS__ }
#define CLOSES .may = ERROR_BIT(ESHUTDOWN)

const scenario_t concurrent_scenarios[] = {
    { "readers_and_barrier", "a barrier runs alone, whoever comes first", "sync | sync_barrier | sync", .expect = { WIDE } },
    { "reader_leaves", "the last reader leaves while a barrier comes to the head", "sync sync | sync_barrier | async", .expect = { WIDE } },
    { "two_barriers", "one barrier hands the baton to the next", "sync_barrier | sync_barrier sync | barrier", .expect = { WIDE } },
    { "async_readers", "async readers run together, each started by the one before", "async async barrier | async sync", .expect = { WIDE } },
    { "barrier_between", "what is before a barrier is over, what is after it has not begun", "async barrier async | sync_barrier", .expect = { WIDE } },
    { "barrier_withdraws", "those behind a barrier that gives up go ahead", "async(pass0) barrier_until open0 | sync", .expect = { WIDE } },
    { "barrier_withdraws_late", "a barrier gives up while the last reader leaves", "sync | barrier_until | sync_until", .expect = { WIDE } },
    { "both_withdraw", "a barrier and a reader behind it give up", "sync(pass0) | barrier_until sync_until open0 | sync_until", .expect = { WIDE } },
    { "try_either", "a call that does not wait", "sync try | sync_barrier try_barrier | try", .expect = { WIDE } },
    { "width_two", "two async tasks at a time, and the third when one ends", "async async | async sync | async",
      .expect = { .width = 2, .pool = { POOL_FIXED, 3 } } },
    { "width_behind", "a sync behind an async task that width holds up", "async async async sync | sync_until",
      .expect = { .width = 2, .pool = { POOL_FIXED, 3 } } },
    { "concurrent_suspend", "no reader enters once suspend has returned", "sync | suspend sync_until resume | sync_barrier", .expect = { WIDE } },
    { "concurrent_suspend_async", "an async reader and a barrier against suspend", "async | suspend barrier resume | async", .expect = { WIDE } },
    { "concurrent_suspend_idle", "an open queue is parked, and opened by the resume", "suspend resume sync | suspend resume | sync_barrier", .expect = { WIDE } },
    { "concurrent_drain", "the end waits for the readers inside", "sync | async drain", ON(CLOSES) },
    { "concurrent_drain_barrier", "the same with a barrier on the way", "sync | barrier sync | drain", ON(CLOSES) },
    { "concurrent_discard", "every task has its outcome", "sync async | sync_barrier | barrier discard", ON(CLOSES) },
    { "concurrent_discard_suspended", "what waits in a suspended queue is discarded", "suspend async barrier discard | sync_barrier | resume?",
      ON(CLOSES) },
    { "concurrent_release", "the last release against readers that leave", "sync release | async release | sync_barrier release", ON(.each_has_a_reference = true) },
    { "concurrent_release_inside", "a reader gives up the last reference and submits", "async(retain async release) release | sync release",
      ON(.each_has_a_reference = true) },
    { "concurrent_release_in_task", "a task gives up the reference of its submitter", "async(release) | sync release | call(release)",
      ON(.each_has_a_reference = true) },
    { "concurrent_release_suspended", "the last reference to a suspended queue", "suspend async barrier release | sync_until release",
      ON(.each_has_a_reference = true) },
    { "concurrent_manual", "a manual pool, pumped by one and waited on by another", "async barrier pump | async try pump | pump try_barrier pump",
      .expect = { .width = 2, .pool = { POOL_MANUAL, 0 } } },
    { "concurrent_capacity", "room of a concurrent queue", "async_ever async_ever | barrier async_until", ON(.capacity = 1, .may = ERROR_BIT(EAGAIN)) },
    { "concurrent_call", "a call runs on the pool, beside a sync", "call | sync_barrier call_until | sync", .expect = { WIDE } },
    { "nested_reader", "a sync inside a reader runs while a barrier waits", "sync(sync) | sync_barrier | async(sync_or_run)", .expect = { WIDE } },
    { "nested_suspended", "the same while the queue is suspended", "sync(suspend sync resume) | sync_barrier", .expect = { WIDE } },
    { "upgrade", "a barrier inside a reader is refused", "sync(sync_barrier) | async | sync_barrier", ON(.may = ERROR_BIT(EDEADLK), .deadlocks = 1) },
    { "sync_in_barrier", "every sync inside a barrier is refused", "sync_barrier(sync try) | barrier(sync_or_run)", ON(.may = ERROR_BIT(EDEADLK), .deadlocks = 2) },
    { "barriers_cross", "two readers, each with a barrier on the other's queue", "sync:A(sync_barrier:B) | sync:B(sync_barrier:A)",
      ON(.may = ERROR_BIT(EDEADLK), .deadlocks = -1) },
    { "barriers_meet", "the same with both inside: one is refused", "sync:A(open0 pass1 sync_barrier:B) | sync:B(open1 pass0 sync_barrier:A)",
      ON(.may = ERROR_BIT(EDEADLK), .deadlocks = 1) },
    { "readers_cross", "two readers, each a reader on the other's queue: no cycle", "sync:A(sync:B) | sync:B(sync:A) | async:A", .expect = { WIDE } },
    { "barrier_until_spares", "a barrier with a deadline is refused before those without",
      "sync:A(open0 pass1 sync:B) | pass0 barrier_until:A | sync_barrier:B(open1 pass0 sync:A)",
      ON(.may = ERROR_BIT(EDEADLK), .deadlocks = -1, .spares_unlimited = true) },
    { "concurrent_watch", "a watcher begins and goes while readers run", "watch async unwatch | sync | sync_barrier", .expect = { WIDE } },
    { "concurrent_faults", "memory fails", "sync async | sync_barrier barrier | sync_until", .expect = { WIDE }, .faults = true },
    { "concurrent_lent", "pool threads wait behind a barrier that needs one", "async:A(sync:B) async:A(sync:B) | sync:B barrier:B",
      .expect = { .width = SQ_WIDTH_POOL, .pool = { POOL_LENT, 1 } } },
    { 0 },
};

/* The tutorials' puzzles: 1, a task that prints 2, submits another that prints 3, and prints 4; then 5. */
const scenario_t concurrent_puzzle_scenarios[] = {
    { "puzzle_serial_sync_sync", "the inner sync gets EDEADLK", "1 sync(2 sync(3) 4) 5",
      .expect = { .may = ERROR_BIT(EDEADLK), .deadlocks = 1 }, .prints = { "1245" } },
    { "puzzle_serial_sync_async", "3 waits for the task that submits it", "1 sync(2 async(3) 4) 5", .prints = { "12435 12453" } },
    { "puzzle_serial_async_sync", "the inner sync gets EDEADLK", "1 async(2 sync(3) 4) 5",
      .expect = { .may = ERROR_BIT(EDEADLK), .deadlocks = 1 }, .prints = { "1524 1254 1245" } },
    { "puzzle_serial_async_async", "2, 4 and 3 in this order", "1 async(2 async(3) 4) 5", .prints = { "15243 12543 12453 12435" } },
    { "puzzle_concurrent_sync_sync", "all on one thread, at once", "1 sync(2 sync(3) 4) 5", .expect = { WIDE }, .prints = { "12345" } },
    { "puzzle_concurrent_sync_async", "3 and 4 at the same time", "1 sync(2 async(3) 4) 5", .expect = { WIDE }, .prints = { "12345 12435 12453" } },
    { "puzzle_concurrent_async_sync", "2, 3 and 4 in this order", "1 async(2 sync(3) 4) 5", .expect = { WIDE },
      .prints = { "15234 12534 12354 12345" } },
    { "puzzle_concurrent_async_async", "only 2 is before 3 and 4", "1 async(2 async(3) 4) 5", .expect = { WIDE },
      .prints = { "15234 12534 12354 12345 15243 12543 12453 12435" } },
    { "puzzle_barrier", "a barrier keeps 1 and 2 before 4", "async(1) async(2) barrier(3) async(4)", .expect = { WIDE }, .prints = { "1234 2134" } },
    { 0 },
};
