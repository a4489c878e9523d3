/* cache.c: threads that belong to no queue (thread/cache.h). In these scenarios idle threads are taken by other queues, and end when their deadline passes; in
 * all others each queue has one thread. */
#include "scenario.h"

#include <errno.h>

const scenario_t cache_scenarios[] = {
    { "cache_post", "a post while the thread gives up", "async | async", .spares = 2 },
    { "cache_post_again", "a queue loses its thread, is posted, and loses it again", "async async", .spares = 1, .bound = { 0, 2, 3, 1 } },
    { "cache_two", "two queues share the threads of both", "async async | async:B async:B", .spares = 2, .bound = { 0, 1, 2, 1 } },
    { "cache_three", "a thread that idles is taken by two queues", "async | async:B | async:C", .spares = 1, .bound = { 0, 2, 3, 1 } },
    { "cache_started", "a thread is started for a post, as no other one idles", "async async | async:B async:B", .spares = 1, .bound = { 0, 1, 3, 1 } },
    { "cache_famine", "no thread can be started for a task that was accepted: it runs later", "async async | async:B async:B", .spares = 1,
      .faults = true, .bound = { 0, 1, 3, 2 } },
    { "cache_release", "the last release of a queue without a thread", "async release | release", .spares = 2, .expect = { .each_has_a_reference = true } },
    { "cache_release_two", "the last release of a queue without a thread, while another one shares the threads", "async async:B release release:B | release:B release",
      .spares = 1, .bound = { 0, 1, 3, 1 }, .expect = { .each_has_a_reference = true } },
    { "cache_shutdown", "a shutdown of a queue without a thread", "async drain | async", .spares = 2, .expect = { .may = ERROR_BIT(ESHUTDOWN) } },
    { "cache_blocked", "a task of one queue waits for another one, whose thread it may have taken", "async:B async(async_until:B sync:B)", .spares = 1, .bound = { 0, 1, 3, 1 } },
    { "cache_line", "the thread that comes for one queue waits for the other one, which is in the line", "async sync async:B(sync:C) async:C", .spares = 1,
      .bound = { 0, 1, 3, 1 } },
    { "cache_two_come", "on four processors two threads come at a time, and the third queue waits in the line for one of them", "async:B async:C async:D",
      .spares = 1, .bound = { 0, 1, 3, 1 }, .expect = { .pool = { POOL_NONE, 4 } } },
    { "cache_come_famine", "on four processors two threads are to come, and one cannot be started", "async:B async:C | async:B async:C", .spares = 1, .faults = true,
      .bound = { 0, 1, 3, 2 }, .expect = { .pool = { POOL_NONE, 4 } } },
    { 0 },
};
