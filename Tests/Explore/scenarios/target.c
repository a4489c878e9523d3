/* target.c: queues that run their tasks on another queue. A is the target of all others. */
#include "scenario.h"

#include <errno.h>

#define ON(...) .expect = { .targets = true, __VA_ARGS__ }
#define WIDE(...) .expect = { .targets = true, .width = SQ_WIDTH_POOL, .pool = { POOL_FIXED, 2 }, .deadlocks = -1, __VA_ARGS__ }
#define STOPPED .may = ERROR_BIT(ESHUTDOWN)
#define REFUSED .may = ERROR_BIT(EDEADLK)

const scenario_t target_scenarios[] = {
    { "target_async", "the tasks of two queues of one target, and its own, exclude each other", "async:B async:C | async async:B", ON() },
    { "target_sync", "the same for syncs", "sync:B | sync:C | sync", ON() },
    { "target_order", "a sync after an async of the same queue", "async:B sync:B | async:B sync:C", ON() },
    { "target_handed_on", "a sync passes the turn to the next task, or to the next sync", "sync:B | sync:B | async:B", ON() },
    { "target_until", "a sync that is withdrawn from one of the two turns never runs", "sync_until:B | async sync:B | sync_until:B", ON() },
    { "target_try", "a sync that does not wait", "try:B | async:B | sync", ON() },
    { "target_call", "a call runs on the target's thread", "call:B | async:B sync", ON() },
    { "target_inside", "submissions from tasks, upwards and downwards", "async(async:B) sync:B | async:B(async)", ON() },
    { "target_suspend", "a suspension of the target holds its queues", "suspend async:B resume | sync:B", ON() },
    { "target_suspend_queue", "a suspended queue does not hold its target", "suspend:B async:B sync resume:B | sync:B", ON() },
    { "target_drain", "after the end of the target its queues run on", "async:B drain | async:B sync:B", ON(STOPPED) },
    { "target_discard", "a discard of the target does not reach its queues", "async:B discard | async:B sync:B", ON(STOPPED) },
    { "target_drain_queue", "the end of a queue before that of its target", "async:B drain:B | sync:B | async", ON(STOPPED) },
    { "target_discard_queue", "what waits in the queue is discarded in a turn of the target", "async:B discard:B | async:B | sync", ON(STOPPED) },
    { "target_released", "the queues keep their target, and end after their tasks", "async:B release:B release:C release | async:C release release:B release:C | async release:C release release:B",
      ON(.each_has_a_reference = true) },
    { "target_deadlock", "a sync in a task of the target is refused", "async(sync:B) | async:B", ON(.may = ERROR_BIT(EDEADLK), .deadlocks = 1) },
    { "target_call_deadlock", "the same for a call, which waits for its runner", "async:C(call:B) | async:B",
      ON(.may = ERROR_BIT(EDEADLK), .deadlocks = 1) },
    { "target_pool", "a target on a pool", "async:B sync:C | async async:B", ON(.pool = { POOL_FIXED, 2 }) },
    { "target_suspend_batch", "a suspension of the target ends a batch", "async:B async:B async:B | suspend resume", ON() },
    { "target_abandoned", "a suspended target that only its queues have is shut down, and they run",
      "suspend async:B release release:B release:C | async:B release release:B release:C", ON(.each_has_a_reference = true) },
    { "target_abandoned_by_task", "the same where a task suspends it", "async:B(suspend) async:B release release:B release:C | release release:B release:C",
      ON(.each_has_a_reference = true) },
    { "target_retained", "a task takes a reference to a target that only its queues have, while another one's suspension is found to be for good",
      "async(pass0 retain resume? release) async(suspend open0) async async:B release release:B release:C",
      .expect = { .targets = true, .width = 2, .pool = { POOL_FIXED, 3 }, .each_has_a_reference = true, .deadlocks = -1 } },
    { "target_until_end", "a deadline that passes while the target ends", "async drain_until | async:B sync_until:B try:B", ON(STOPPED) },
    { "target_reader_behind_barrier", "a reader does not wait for a queue that is behind a barrier which waits for the reader",
      "async(barrier async:B sync:B) | sync:B", WIDE(REFUSED) },
    { "target_reader_and_barrier", "the same where the barrier, or the queue's task, may come first", "async(async:B sync:B) | barrier", WIDE(REFUSED) },
    { "target_reader_and_sync_barrier", "the same where a thread waits in the barrier", "async(sync:B) async:B | sync_barrier", WIDE(REFUSED) },
    { "target_reader_closed", "nor does it wait for one that waits for the end of the target", "async(async:B sync:B) | drain",
      WIDE(.may = ERROR_BIT(EDEADLK) | ERROR_BIT(ESHUTDOWN)) },
    { "target_reader_width", "nor for one that may be kept out by the width",
      "async(async:B sync:B) | async(sync:B)", .expect = { .targets = true, .width = 2, .pool = { POOL_FIXED, 2 }, .deadlocks = -1, REFUSED } },
    { "target_faults", "memory and threads fail", "async:B sync_until:B | async async:C", ON(), .faults = true },
    { 0 },
};
