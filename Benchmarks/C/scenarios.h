/* scenarios.h: the scenarios, the same lines for every contender.
 *
 * A contender's file includes this at its end, after it has defined
 *
 *     typedef ... contender_queue_t;
 *     static contender_queue_t contender_create(void);
 *     static contender_queue_t contender_create_shared(void);   one of 100,000, which share threads
 *     static void contender_release(contender_queue_t);
 *     static void contender_async(contender_queue_t, const bench_task_t *);   the task stays valid until it has run
 *     static void contender_sync(contender_queue_t, const bench_task_t *);
 *     static const bench_contender_t contender;
 *
 * and, with CONTENDER_HAS_TIMERS,
 *
 *     static void contender_after(contender_queue_t, uint64_t nanoseconds, const bench_task_t *);
 *     typedef ... contender_timer_t;
 *     static contender_timer_t contender_timer_start(contender_queue_t, uint64_t nanoseconds, const bench_task_t *,
 *                                                    const bench_task_t *gone);   one shot
 *     static void contender_timer_end(contender_timer_t);   cancels and releases it; then `gone` is called
 *     static void contender_timers_ended(void);   after the last of them: a loop calls `gone` in here
 *
 * and, with CONTENDER_COPIES, which says that contender_async has copied *task when it returns,
 *
 *     static void contender_async_wait(contender_queue_t, const bench_task_t *);   on the queue's thread, waits for it
 *
 * and, with CONTENDER_HAS_CAPACITY as well,
 *
 *     typedef ... contender_bounded_t;
 *     static contender_bounded_t contender_bounded_create(size_t capacity);
 *     static void contender_bounded_async(contender_bounded_t, const bench_task_t *);   waits while the queue is full
 *
 * All files in scenarios/ are compiled into each contender. Each of them has the rows of the tables that it fills, in a
 * comment that driver/rows.py reads, and registers its scenarios with BENCH_SCENARIO. So a new row, a new scenario and a
 * new operation take one file. An operation that only some contenders have stands in the scenario's file, below
 * CONTENDER_OURS and CONTENDER_LIBDISPATCH; for the others the scenario is not registered, which the tables show as
 * "n/a". See scenarios/async_and_wait.h.
 *
 * This is C11 and C++17 at the same time. */
#include <string.h>

#include "race.h"
#include "all_scenarios.h" /* made by the Makefile: includes the files in scenarios/ */

int main(int argc, char **argv) { return bench_main(argc, argv, &contender); }
