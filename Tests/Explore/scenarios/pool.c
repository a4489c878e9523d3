/* pool.c: queues on a pool: turns, permits, growth. Three members at most; a turn ends after two tasks. */
#include "scenario.h"

#include <errno.h>

#define ONE .pool = { POOL_FIXED, 1 }
#define TWO .pool = { POOL_FIXED, 2 }
#define LENT .pool = { POOL_LENT, 1 }
#define HELPED .pool = { POOL_HELPED, 1 }
#define GROWS .pool = { POOL_GROWS, 1 }
#define MANUAL .pool = { POOL_MANUAL, 0 }
#define CYCLE .may = ERROR_BIT(EDEADLK)

const scenario_t pool_scenarios[] = {
    { "pool_one", "two queues on one permit: on one thread, never at once", "async async:B | async:B async", .expect = { ONE } },
    { "pool_one_sync", "syncs between a pool's tasks: a queue without a segment while it is free", "async sync async:B | sync:B async", .expect = { ONE } },
    { "pool_two", "two permits: the idle member, or a new one", "async async:B | async:B async", .expect = { TWO } },
    { "pool_two_three", "three queues on two permits", "async async:B | async:C async:B", .expect = { TWO } },
    { "pool_grows_ring", "a ring that comes and goes while the pool runs it", "async async async | async sync", .expect = { ONE } },
    { "pool_call", "run_and_wait on a pool", "call async:B | async call:B", .expect = { ONE } },
    { "pool_until", "waits that are withdrawn on a pool", "async sync_until | call_until async", .expect = { ONE } },
    { "pool_bound", "room in a queue on a pool", "async_until async_until | async_ever", .expect = { ONE, .capacity = 1 } },
    { "pool_fair", "after a batch of two tasks the other queue has its turn", "async(async(1) async(2) async(3 open1) async:B(9)) pass1",
      .expect = { ONE }, .prints = { "1923" } },
    { "pool_fair_flood", "the same while another thread keeps flooding", "async(pass0 async:B(9) async(1) async(2 open1)) async(3) open0 pass1 | pass0 async async",
      .expect = { ONE }, .prints = { "3912" } },
    { "pool_in_turns", "two queues with a backlog take turns", "async(pass0) async(1) async(2) async(3) async:B(7) async:B(8) async:B(9 open1) open0 pass1",
      .expect = { ONE }, .prints = { "178239" } },
    { "pool_lends", "a task waits for a task on the same single permit", "async(call:B)", .expect = { LENT } },
    { "pool_lends_sync", "a task waits behind a task on the same single permit", "async:B async(sync:B) | async:B", .expect = { LENT } },
    { "pool_lends_chain", "two tasks wait, one within the other: the third thread runs", "async(call:B(call:C))", .expect = { LENT } },
    { "pool_lends_two", "two tasks wait for one queue", "async(call:C) async:B(call:C)", .expect = { LENT } },
    { "pool_lends_until", "a wait that is withdrawn takes its permit again", "async(call_until:B) | async:B sync", .expect = { LENT } },
    { "pool_lends_room", "a task waits for room that needs the permit", "async:B async(async_ever:B)", .expect = { LENT, .capacity = 1 } },
    { "pool_lends_drain", "a task waits for the end of a queue that needs the permit", "async:B async(drain:B)",
      .expect = { LENT, .may = ERROR_BIT(ESHUTDOWN) } },
    { "pool_lends_last", "no thread may be added for a lent permit: the next that comes back runs what waits",
      "async(pass0) async:B(pass0) async:C(open1 call:D) pass1 open0", .expect = { .pool = { POOL_LENT, 3 } } },
    { "pool_four", "a pool that was made with more threads than others may have", "async(pass0) async:B(pass0) async:C(pass0) async:D(open0)",
      .expect = { .pool = { POOL_FIXED, 4 } } },
    { "pool_cycle", "two tasks on a pool wait for each other: one is refused", "async(open0 pass1 sync:B) | sync:B(open1 pass0 sync)",
      .expect = { LENT, CYCLE, .deadlocks = 1 } },
    { "pool_helped", "a sync caller runs what is ahead of it, and a member does at the same time", "async async sync | async", .expect = { HELPED } },
    { "pool_helped_two", "two callers help one queue", "async sync | async sync", .expect = { HELPED } },
    { "pool_helped_queues", "two callers help two queues of different priority on one permit", "async async:B sync:B | async:B sync", .expect = { HELPED } },
    { "pool_helped_again", "a helper that finds its queue ready before it sleeps is in no list afterwards", "async sync async | async sync async", .expect = { HELPED } },
    { "pool_helped_until", "the deadline of a helper passes while it is given the queue", "async async sync_until | async", .expect = { HELPED } },
    { "pool_helped_discard", "the queue is shut down while a caller helps it", "async async sync | discard",
      .expect = { HELPED, .may = ERROR_BIT(ESHUTDOWN) } },
    { "pool_helped_suspended", "the queue is suspended while a caller helps it", "async async sync | suspend resume", .expect = { HELPED } },
    { "pool_bands", "queues of three priorities on one permit", "async:C async async:B | async:B async:C", .expect = { HELPED } },
    { "pool_grow", "a task that blocks keeps its permit: the pool gets another one", "async(pass0) async:B(open0)", .expect = { GROWS } },
    { "pool_grow_two", "two that block: from one permit to three", "async(pass0) async:B(pass0) async:C(open0)", .expect = { GROWS } },
    { "pool_grow_late", "the task that has to wait comes while the pool's growth is checked", "async(pass0) | async:B(open0) async:B", .expect = { GROWS } },
    { "pool_grow_lent", "a permit is lent, and another one blocked", "async(pass0) async:B(call:C) | async:C(open0)", .expect = { GROWS } },
    { "pool_shrink", "grown and back: what comes next finds its thread", "async(pass0) async:B(open0) sync | pass0 async async:B", .expect = { GROWS } },
    { "pool_faults", "threads and memory fail when the pool needs them", "async async:B | async:B async", .faults = true, .expect = { TWO } },
    { "pool_faults_gate", "a thread that cannot be started is tried again, because the others are blocked", "async(pass0) async:B(open0)", .faults = true, .expect = { TWO } },
    { "pool_faults_lent", "the same where a permit is lent", "async(call:B) | async:B", .faults = true, .expect = { LENT } },
    { "pool_faults_grow", "the same where the pool grows", "async(pass0) async:B | async:C(open0) open0", .faults = true, .expect = { GROWS } },
    { "pool_faults_create", "a pool that cannot be made leaves nothing behind", "create create", .faults = true },
    { "pool_manual", "a manual pool: a waiting thread runs what is ahead", "async async sync call async:B pump", .expect = { MANUAL } },
    { "pool_manual_two", "one thread leaves tasks, another runs them", "async async:B async | pump async pump", .expect = { MANUAL } },
    { "pool_manual_try", "one thread tries while another runs the pool", "async pump async pump | try try", .expect = { MANUAL } },
    { "pool_manual_nested", "a task waits for a task that only its own thread can run", "async(call:B(sync:C) sync:B) async:B async:C pump", .expect = { MANUAL } },
    { "pool_manual_room", "a thread that waits for room runs what takes it", "async_ever async_ever async_ever drain", .expect = { MANUAL, .capacity = 1 } },
    { "pool_manual_cycle", "a call whose task waits for its caller is refused", "async(call:B(sync)) pump", .expect = { MANUAL, CYCLE, .deadlocks = 1 } },
    { "mix_pool_one", "random programs on a pool of one thread", "mix plain", .expect = { LENT, CYCLE, .deadlocks = -1 } },
    { "mix_pool_timed", "the same with deadlines", "mix timed", .expect = { .pool = { POOL_LENT, 2 }, CYCLE, .deadlocks = -1 } },
    { "mix_pool_grows", "the same on a pool that grows", "mix bound", .expect = { GROWS, CYCLE, .deadlocks = -1, .capacity = 1 } },
    { "mix_pool_suspend", "the same with suspend and resume", "mix suspend", .expect = { LENT, CYCLE, .deadlocks = -1 } },
    { 0 },
};
