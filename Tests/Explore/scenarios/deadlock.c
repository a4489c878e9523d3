/* deadlock.c: deadlocks across threads. Exactly one wait of each cycle is refused; where there is no cycle, none is. */
#include "scenario.h"

#include <errno.h>

/* The gates see to it that each thread holds its queue before any of them waits. */
#define CYCLE .may = ERROR_BIT(EDEADLK)
#define TIMED .expect = { CYCLE, .deadlocks = -1, .spares_unlimited = true }
#define TWO(first, second) "sync(open0 pass1 " first ") | sync:B(open1 pass0 " second ")"
#define THREE(first, second, third) \
    "sync(open0 pass1 " first ") | sync:B(open1 pass2 " second ") | sync:C(open2 pass0 " third ")"

const scenario_t deadlock_scenarios[] = {
    { "own_queue", "a sync onto the own queue", "sync(sync) | async", .expect = { CYCLE, .deadlocks = 1 } },
    { "own_queue_call", "a call onto the own queue", "async(call) | async", .expect = { CYCLE, .deadlocks = 1 } },
    { "own_outer_queue", "A, B, A on one thread", "sync(sync:B(sync)) | async:B", .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_two", "two threads hold each other's queue: exactly one is refused", TWO("sync:B", "sync"), .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_two_call", "the same with a call: a claimed wait cannot be refused", TWO("call:B", "sync"), .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_two_calls", "both of them calls", TWO("call:B", "call"), .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_claimed", "a call whose task closes the cycle", "sync(call:B(sync)) | async:B", .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_timed", "with a deadline: at most one is refused because of the cycle", TWO("sync_until:B", "sync"), TIMED },
    { "cycle_two_timed", "with two deadlines", TWO("sync_until:B", "sync_until"), TIMED },
    { "cycle_call_timed", "a call with a deadline in a cycle", TWO("call_until:B", "sync"), TIMED },
    { "cycle_three", "three threads", THREE("sync:B", "sync:C", "sync"), .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_three_timed", "three threads, one with a deadline", THREE("sync:B", "sync_until:C", "sync"), TIMED },
    { "cycle_three_call", "three threads, one with a call", THREE("sync:B", "call:C", "sync"), .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_bound", "a wait for room in a cycle", "async:B async:B sync(open0 pass1 async_until:B) | sync:B(open1 pass0 sync)",
      .expect = { CYCLE, .deadlocks = -1, .spares_unlimited = true, .capacity = 1 } },
    { "cycle_shutdown_timed", "a shutdown with a deadline in a cycle", TWO("drain_until:B", "sync"), TIMED },
    { "cycle_claimed_timed", "a call with a deadline that has begun: the sync behind it is refused, or the call came too late",
      "sync(call_until:B(sync))", .expect = { CYCLE, .deadlocks = -1 } },
    { "no_cycle_chain", "a chain that ends is no cycle: no false alarm", "sync(sync:B) | sync:B(sync:C) | sync:C" },
    { "no_cycle_crossing", "waits that cross one after the other are no cycle", "sync(sync:B) | sync:B | async(sync:B)" },
    { "cycle_discard", "a cycle against a shutdown", TWO("sync:B", "sync") " | pass0 discard_until",
      .expect = { .may = ERROR_BIT(EDEADLK) | ERROR_BIT(ESHUTDOWN), .deadlocks = -1 } },
    { "cycle_faults", "no memory for the report", TWO("sync:B", "sync"), .faults = true, .expect = { CYCLE, .deadlocks = -1 } },
    { "cycle_outer", "a cycle through an outer task of a thread", "sync(sync:B(open0 pass1 sync:C)) | sync:C(open1 pass0 sync)", .expect = { CYCLE, .deadlocks = 1 } },
    { "cycle_claimed_two", "two calls of the cycle have begun: the third wait is refused", "sync(call:B(call:C(sync)))", .expect = { CYCLE, .deadlocks = 1 } },
    { "no_cycle_granted", "a sleeper that has what it waited for is not part of a cycle", "async(sync:B) sync:B(async_ever)", .expect = { .capacity = 1 } },
    { 0 },
};
