/* loop.c: queues on a loop: the descriptor's write, the owner's waits, other threads' syncs, the next owner. */
#include "scenario.h"

#include <errno.h>

#define LOOP .pool = { POOL_LOOP, 0 }
#define ON(...) .expect = { LOOP, __VA_ARGS__ }
#define OTHERS .may = ERROR_BIT(EPERM)

const scenario_t loop_scenarios[] = {
    { "loop_host", "a post between a run and the poll is not missed", "async async:B async | host3", .expect = { LOOP } },
    { "loop_posters", "two post at once: one of them writes", "async async:B | async:B async | host4", .expect = { LOOP } },
    { "loop_late_write", "what a post announces is run before the post writes", "async | async:B | host2", .expect = { LOOP } },
    { "loop_serve", "a stop is not lost, whenever it comes", "async halt | async:B | serve", .expect = { LOOP } },
    { "loop_serve_inside", "a stop in a task, and the next run", "async(halt) async:B | serve", .expect = { LOOP } },
    { "loop_sync", "a sync of another thread runs on the owner", "sync async sync halt | serve", .expect = { LOOP } },
    { "loop_sync_two", "syncs of two threads, between asyncs", "async sync:B sync open0 | either pass0 halt | serve", .expect = { LOOP } },
    { "loop_sync_until", "a sync that is withdrawn never runs", "sync_until either_until try halt | serve", .expect = { LOOP } },
    { "loop_owner", "the owner's sync while others are in the middle of a submission", "pump sync sync | async async", .expect = { LOOP } },
    { "loop_owner_call", "the same for calls, and for another queue of its own", "pump call sync:B | async async:B", .expect = { LOOP } },
    { "loop_owner_until", "the owner's wait times out", "pump sync_until sync | async", .expect = { LOOP } },
    { "loop_owner_room", "the owner waits for room in its own queue", "pump async_ever async_ever | async_until", ON(.capacity = 1, .may = ERROR_BIT(EAGAIN)) },
    { "loop_owner_drain", "the owner waits for the end of its own queue", "pump async drain | async", ON(.may = ERROR_BIT(ESHUTDOWN)) },
    { "loop_owner_suspended", "the owner sleeps until another thread resumes the queue", "pump suspend open0 sync | pass0 async resume", .expect = { LOOP } },
    { "loop_drain", "another thread waits for the end", "async drain halt | async:B | serve", ON(.may = ERROR_BIT(ESHUTDOWN)) },
    { "loop_discard", "what waits is discarded on the owner", "async async discard halt | sync_until | serve", ON(.may = ERROR_BIT(ESHUTDOWN)) },
    { "loop_suspend", "a suspension of a bound queue", "suspend async resume | host1", .expect = { LOOP } },
    { "loop_nested", "a task runs the rest of the loop", "async(pump async:B pump) async:C | async:B | host1 pump", .expect = { LOOP } },
    { "loop_nested_sync", "a task waits for another queue of the loop, while others post", "async(sync:B) | async:B | host1 pump", .expect = { LOOP } },
    { "loop_cycle", "a wait that comes back to the owner's own task", "async(call:B(sync)) pump",
      ON(.may = ERROR_BIT(EDEADLK), .deadlocks = 1) },
    { "loop_take_over", "an owner ends, and the next thread runs the rest", "pump async | pump async | async pump", ON(OTHERS) },
    { "loop_watch", "an idle queue of a loop, watched", "watch async unwatch | host1", .expect = { LOOP } },
    { "loop_faults", "memory fails", "async async:B halt | async | serve", .expect = { LOOP }, .faults = true },
    { 0 },
};
