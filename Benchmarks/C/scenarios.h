/* scenarios.h: the scenarios, the same lines for every contender.
 *
 * A contender's file includes this at its end, after it has defined
 *
 *     typedef ... contender_queue_t;
 *     static contender_queue_t contender_create(void);
 *     static contender_queue_t contender_create_shared(void);   one of 100,000, which share threads
 *     static void contender_release(contender_queue_t);
 *     static void contender_async(contender_queue_t, const bench_task_t *);   the task stays where it is until it ran
 *     static void contender_sync(contender_queue_t, const bench_task_t *);
 *     static const bench_contender_t contender;
 *
 * and, with CONTENDER_HAS_TIMERS,
 *
 *     static void contender_after(contender_queue_t, uint64_t nanoseconds, const bench_task_t *);
 *     typedef ... contender_timer_t;
 *     static contender_timer_t contender_timer_start(contender_queue_t, uint64_t nanoseconds, const bench_task_t *,
 *                                                    const bench_task_t *gone);   makes and starts it; once
 *     static void contender_timer_end(contender_timer_t);   cancels it and lets go of it; then `gone` is called
 *
 * and, with CONTENDER_HAS_ASYNC_AND_WAIT,
 *
 *     static void contender_async_and_wait(contender_queue_t, const bench_task_t *);
 *
 * It is C11 and C++17 at a time. Names and parameters of scenarios: driver/rows.py. */
#include <string.h>

#include "scenario_sync.h"
#include "scenario_async.h"
#include "scenario_life.h"
#include "scenario_growth.h"
#include "scenario_timer.h"
#include "scenario_work.h"

static const bench_scenario_t scenarios[] = {
    { "sync-uncontended", BENCH_SYNC, sync_uncontended },
    { "sync-contended", BENCH_SYNC, sync_contended },          /* threads */
    { "sync-work", BENCH_SYNC, sync_work },                    /* threads */
    { "async-and-wait", BENCH_ASYNC_AND_WAIT, async_and_wait }, /* threads */
    { "async", BENCH_ASYNC, async_to_drain },                  /* producers */
    { "async-sync", BENCH_ASYNC | BENCH_SYNC, async_sync },    /* threads */
    { "ping-pong", BENCH_ASYNC, ping_pong },
    { "wake", BENCH_ASYNC, wake_after_idle },                  /* microseconds idle */
    { "create-release", 0, create_release },
    { "create-sync-release", BENCH_SYNC, create_sync_release },
    { "idle", BENCH_ASYNC, idle_cost },                        /* queues */
    { "memory-unused", 0, memory_unused },
    { "memory-used", BENCH_ASYNC, memory_used },
    { "many", BENCH_MANY, many_queues },                       /* queues */
    { "after", BENCH_TIMER, after_delay },                     /* microseconds */
    { "timers", BENCH_TIMER, timers },                         /* timers */
    { "grow-backlog", BENCH_ASYNC, grow_backlog },             /* tasks */
    { "grow-async", BENCH_ASYNC, async_to_drain },             /* threads */
    { "grow-sync", BENCH_SYNC, sync_contended },               /* threads */
    { "grow-length", BENCH_ASYNC, grow_length },               /* nanoseconds */
};

int main(int argc, char **argv) {
    return bench_main(argc, argv, &contender, scenarios, sizeof scenarios / sizeof *scenarios);
}
