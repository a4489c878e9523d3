/* dump.c: a dump meets the end of what it looks at. */
#include "scenario.h"

#include <errno.h>

const scenario_t dump_scenarios[] = {
    { "dump_suspend", "a queue is suspended and resumed while a dump walks the list", "suspend resume suspend resume | dump" },
    { "dump_suspended_twice", "two threads suspend and resume", "suspend resume | suspend resume | dump" },
    { "dump_release", "the last release of a suspended queue while a dump looks at it", "suspend async release | dump release",
      .expect = { .each_has_a_reference = true } },
    { "dump_task_suspends", "a task suspends its queue, whose last reference is gone", "async(suspend) release | dump release",
      .expect = { .each_has_a_reference = true } },
    { "dump_shutdown", "a suspended queue is shut down", "suspend async discard_until | dump", .expect = { .may = ERROR_BIT(ESHUTDOWN) } },
    { "dump_ready", "a queue that is ready on its pool is taken and freed while a dump looks at it", "async release | dump release",
      .expect = { .pool = { POOL_FIXED, 1 }, .each_has_a_reference = true } },
    { "dump_ready_many", "queues that are ready on their pool are taken and freed between two holds of its lock", "async async:B async:C | dump",
      .expect = { .pool = { POOL_FIXED, 1 } } },
    { "dump_pool", "a pool ends while a dump looks at it", "create | dump", .expect = { .pool = { POOL_FIXED, 1 } } },
    { "dump_manual", "a manual pool", "async pump | dump pump", .expect = { .pool = { POOL_MANUAL, 0 } } },
    { "dump_thread_ends", "a thread that has run a task ends while a dump looks at it", "sync | dump", .lists_threads = true },
    { "dump_threads_end", "two threads end, and join the list, around one that stands still in a task",
      "sync | sync:B(open1 pass0) | sync | pass1 dump open0", .lists_threads = true },
    { "dump_wait_ends", "a thread gets its turn, and ends, while a dump looks at its wait", "sync | sync | dump", .lists_threads = true },
    { "dump_group_wait_ends", "a wait for a group ends while a dump looks at its members",
      "sync(enter member:B open0 wait_group) | pass0 leave | pass0 dump", .lists_threads = true },
    { 0 },
};
