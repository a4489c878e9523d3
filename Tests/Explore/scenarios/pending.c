/* pending.c: what is not due yet, a delayed task and a timer, when its queue is shut down by a thread that has nothing to do with it. */
#include "scenario.h"

#include <string.h>

enum { LATE, FIRING, TASKS };

static int stranger, discarded[TASKS];
static sq_timer_t *timer;

static void gone(void *number) {
    if (ex_current == stranger || sq_current_queue() != stage_queues[0]) {
        ex_fail("what is not due is discarded by the thread that shuts its queue down, or outside of the queue");
    }
    discarded[(uintptr_t)number] += 1;
}

static void never(void *unused) {
    (void)unused;
    ex_fail("what is not due runs");
}

static void shut_down_what_pends(void *unused) {
    const sq_task_t late = { .run = never, .context = (void *)LATE, .discard = gone };
    const sq_task_t firing = { .run = never, .context = (void *)FIRING, .discard = gone };
    (void)unused;
    stranger = ex_current;
    timer = sq_timer_create(stage_queues[0], &firing);
    if (sq_async_task_after(stage_queues[0], UINT64_MAX, &late) != 0 || timer == NULL || sq_timer_start(timer, UINT64_MAX, 0, 0) != 0
        || sq_shutdown(stage_queues[0], SQ_SHUTDOWN_DRAIN, SQ_FOREVER) != 0) {
        ex_fail("a call is refused");
    }
}

static void check_discarded(void *unused) {
    (void)unused;
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(stage_queues[0], &stats);
    if (discarded[LATE] != 1 || discarded[FIRING] != 1 || stats.discarded != TASKS) {
        ex_fail("the delayed task was discarded %d times, the timer %d times, %llu counted", discarded[LATE], discarded[FIRING],
                (unsigned long long)stats.discarded);
    }
    sq_timer_release(timer);
    sq_queue_release(stage_queues[0]);
}

static void after_elsewhere(void) {
    static const expectation_t plain = { .width = 1 };
    memset(discarded, 0, sizeof discarded);
    stage_begin(&plain, 1);
    ex_join(ex_start(shut_down_what_pends, NULL, false));
    ex_join(ex_start(check_discarded, NULL, false)); /* a thread, for at its end it gives its token back */
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

const scenario_t pending_scenarios[] = {
    { "after_elsewhere", "what is not due is discarded where tasks run, not by the thread that shuts down", .body = after_elsewhere },
    { 0 },
};
