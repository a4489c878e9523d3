/* timer.c: timers and delayed tasks against cancel, release, the end of the queue, and their own firings.
 *
 * One timer T on queue A, and two delayed tasks. Checked: no firing begins after a cancel has returned; one firing at a time, as tasks
 * of the queue; each timer is discarded once, after its last firing, each delayed task has one outcome, and a shutdown that returns 0
 * comes after all that; nothing is left. */
#include "scenario.h"

#include <errno.h>
#include <string.h>

enum { LATES = 2 };

static sq_timer_t *timer;
static sq_queue_t *queue;
static sq_pool_t *pool; /* NULL: the queue has a thread of its own */
static struct { int fired, discarded; bool inside, cancelled, created, ended; uint64_t cell; } seen;
static struct { int ran, discarded; bool accepted; uint64_t cell; } lates[LATES];
static void (*inside)(void);
static uint64_t delay; /* of start_inside */
static bool is_wide; /* the queue is concurrent */

static void touch(uint64_t *cell) {
    ex_caller = (const void *)touch;
    ex_write(cell, sizeof *cell);
}

static void fire(void *context) {
    (void)context;
    if (seen.cancelled || seen.discarded || seen.ended || seen.inside) {
        ex_fail("timer: a firing begins %s", seen.inside ? "inside another" : seen.discarded ? "after the discard"
                : seen.ended ? "after the shutdown" : "after the cancel had returned");
    }
    seen.inside = true;
    touch(&seen.cell);
    EX_TRACE("the timer fires");
    ex_point();
    if (sq_current_queue() != queue) {
        ex_fail("timer: it fires outside of its queue");
    }
    seen.fired += 1;
    if (inside != NULL) {
        inside();
        ex_point();
    }
    touch(&seen.cell);
    seen.inside = false;
}

static void gone(void *context) {
    (void)context;
    EX_TRACE("the timer is discarded");
    if (seen.discarded++ || seen.inside || seen.ended || sq_current_queue() != queue) {
        ex_fail("timer: discarded twice, during a firing, after the shutdown or outside of its queue");
    }
    touch(&seen.cell);
    ex_point();
}

static void late_ran(void *context) {
    unsigned i = (unsigned)(uintptr_t)context;
    touch(&lates[i].cell);
    if (lates[i].ran++ || lates[i].discarded || seen.ended) {
        ex_fail("delayed task %u runs twice, after it was discarded, or after the shutdown", i);
    }
    ex_point();
}

static void late_gone(void *context) {
    unsigned i = (unsigned)(uintptr_t)context;
    touch(&lates[i].cell);
    if (lates[i].ran || lates[i].discarded++ || seen.ended) {
        ex_fail("delayed task %u is discarded twice, after it ran, or after the shutdown", i);
    }
    ex_point();
}

/* Words */

static void allow(int error, int also) {
    if (error && error != also && !(ex_setting.faults && error == ENOMEM)) {
        ex_fail("error: a timer's call returned %s", strerror(error));
    }
}

static void create(void) {
    const sq_task_t task = { .run = fire, .context = NULL, .discard = gone };
    timer = sq_timer_create(queue, &task);
    seen.created = timer != NULL;
    allow(timer == NULL ? errno : 0, ESHUTDOWN);
}

static void start(uint64_t in, uint64_t interval, uint64_t leeway) {
    if (timer != NULL) {
        seen.cancelled = false;
        allow(sq_timer_start(timer, in, interval, leeway), ESHUTDOWN);
    }
}

static void start_inside(void) {
    if (seen.fired < 3) {
        allow(sq_timer_start(timer, delay, 0, 0), ESHUTDOWN);
    }
}

static void release_inside(void) {
    if (seen.fired == 1) {
        sq_timer_release(timer);
    }
}

/* Only if no other thread starts it. A firing that has begun may continue. */
static void cancel(void) {
    if (timer != NULL) {
        allow(sq_timer_cancel(timer), 0);
        seen.cancelled = true;
    }
}

static void cancel_and_wait(sq_time_t deadline, bool alone) {
    int error = timer != NULL ? sq_timer_cancel_and_wait(timer, deadline) : ENOMEM;
    if (error == 0 && alone) {
        if (seen.inside) {
            ex_fail("timer: cancel-and-wait returned during a firing");
        }
        seen.cancelled = true;
        ex_caller = (const void *)cancel_and_wait;
        ex_read(&seen.cell, sizeof seen.cell); /* what the firing wrote is visible */
    }
    if (timer != NULL) {
        allow(error, deadline != SQ_FOREVER ? ETIMEDOUT : 0);
    }
}

static void release(void) { sq_timer_release(timer); }

/* Two firings wait, of which only the second may run. */
static void start_behind_a_cancelled_firing(void) {
    allow(sq_suspend(queue), 0);
    start(10, 0, 0);
    sq_pool_advance(pool, 10);
    cancel();
    start(10, 0, 0);
    sq_pool_advance(pool, 10);
    allow(sq_resume(queue), 0);
}

static void after(unsigned i, uint64_t in) {
    const sq_task_t task = { .run = late_ran, .context = (void *)(uintptr_t)i, .discard = late_gone };
    touch(&lates[i].cell);
    int error = sq_async_task_after(queue, in, &task);
    lates[i].accepted = error == 0;
    allow(error, ESHUTDOWN);
}

static void shut_down(sq_shutdown_mode_t mode) {
    bool before[LATES], had = seen.created;
    for (unsigned i = 0; i < LATES; i += 1) {
        before[i] = lates[i].accepted;
    }
    int error = sq_shutdown(queue, mode, SQ_FOREVER);
    allow(error, 0);
    if (error == 0) {
        seen.ended = true;
        if (had && seen.discarded != 1) {
            ex_fail("shutdown: it returned before the timer was discarded");
        }
        for (unsigned i = 0; i < LATES; i += 1) {
            if (before[i] && lates[i].ran + lates[i].discarded != 1) {
                ex_fail("shutdown: it returned before delayed task %u was over", i);
            }
        }
    }
}

static void never(void *unused) {
    (void)unused;
    ex_fail("a task runs on a queue that is suspended for good");
}

/* Without a task in it a suspended queue would end as soon as it is shut down. */
static void suspend_for_good(void) {
    allow(sq_suspend(queue), 0);
    allow(sq_async(queue, never, NULL), 0);
}

/* The last reference, except those of delayed tasks and of the timer. */
static void shut_down_and_release(void) {
    allow(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    sq_queue_release(queue);
}

/* If no other thread uses it: after all threads. */
static void release_queue(void) {
    sq_queue_t *last = queue;
    for (int i = 0; pool != NULL && i < 4; i += 1) {
        sq_pool_advance(pool, 10000000);
    }
    sq_queue_release(last);
    if (pool != NULL) {
        sq_pool_run(pool);
        sq_pool_release(pool);
    }
}

static void run_threads(void (*const threads[])(void *), void (*first)(void), void (*last)(void), bool manual) {
    static const expectation_t nothing;
    int ids[4];
    bool faults = ex_setting.faults;
    stage_begin(&nothing, 0);
    memset(&seen, 0, sizeof seen);
    memset(lates, 0, sizeof lates);
    timer = NULL;
    ex_setting.faults = false;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    pool = options.pool = manual ? sq_pool_create_manual("P") : NULL;
    options.width = is_wide ? SQ_WIDTH_POOL : 1;
    queue = sq_queue_create("A", &options);
    ex_setting.faults = faults;
    if (first != NULL) {
        first();
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ex_join(ids[i]);
    }
    ex_end_in_one_order();
    ex_setting.faults = false;
    last();
    ex_setting.faults = faults;
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    if (seen.created && seen.discarded != 1) {
        ex_fail("timer: it was not discarded");
    }
    for (unsigned i = 0; i < LATES; i += 1) {
        if (lates[i].accepted && lates[i].ran + lates[i].discarded != 1) {
            ex_fail("delayed task %u has no outcome", i);
        }
    }
    stage_end();
}

static void open_gate(void) { ex_gate_open(0); }
static void release_all(void) { release(); release_queue(); }
static void nothing_more(void) {}

static void touch_cell(void *unused) { (void)unused; touch(&seen.cell); }

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define FIRST(name, ...) static void name(void) { __VA_ARGS__; }
#define BODY(name, what_inside, first, last, manual, ...) \
    static void name(void) { inside = what_inside; is_wide = false; run_threads((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, last, manual); }

#define WIDE_BODY(name, first, last, ...) \
    static void name(void) { inside = open_gate; is_wide = true; run_threads((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, last, true); }

FIRST(created_and_started, create(); start(0, 0, 0))
FIRST(started_periodic, create(); start(0, 50, 0))
FIRST(started_soon, delay = 0; create(); start(0, 0, 0))
FIRST(on_clock, create(); start(10, 10, 0))
FIRST(behind_a_cancelled_firing, create(); start_behind_a_cancelled_firing())
FIRST(delayed_for_good, suspend_for_good(); after(0, 1); after(1, UINT64_MAX))
FIRST(started_for_good, create(); suspend_for_good(); start(0, 50, 0))
THREAD(t_abandon, shut_down_and_release())
THREAD(t_cancel, cancel())
THREAD(t_start_cancel, start(0, 0, 0); cancel())
THREAD(t_start_twice, start(50, 0, 0); start(0, 0, 20))
THREAD(t_cancel_wait, cancel_and_wait(SQ_FOREVER, true))
THREAD(t_cancel_wait_among, cancel_and_wait(SQ_FOREVER, false))
THREAD(t_cancel_wait_until, cancel_and_wait(stage_soon(), true))
THREAD(t_start, start(0, 0, 0))
THREAD(t_release, release())
THREAD(t_drain, shut_down(SQ_SHUTDOWN_DRAIN))
THREAD(t_discard, shut_down(SQ_SHUTDOWN_DISCARD))
THREAD(t_suspend, if (sq_suspend(queue) == 0) { ex_point(); sq_resume(queue); })
THREAD(t_suspend_timer, allow(sq_timer_suspend(timer), 0); ex_point(); allow(sq_timer_resume(timer), 0))
THREAD(t_advance, sq_pool_advance(pool, 10); sq_pool_advance(pool, 10))
THREAD(t_cancel_wait_inside, ex_gate_pass(0); cancel_and_wait(SQ_FOREVER, true))
THREAD(t_run, sq_pool_run(pool))
THREAD(t_intervals, (void)sq_timer_intervals(timer))
THREAD(t_after, after(0, 1))
THREAD(t_after_two, after(0, 1); after(1, 50))
THREAD(t_after_far, after(0, UINT64_MAX); after(1, 1))
THREAD(t_create, create(); start(0, 0, 0))
THREAD(t_sync, sq_sync(queue, touch_cell, NULL))

BODY(timer_cancel, NULL, created_and_started, release_all, false, t_cancel)
BODY(timer_start_cancel, NULL, create, release_all, false, t_start_cancel, t_suspend)
BODY(timer_start_start, NULL, create, release_all, false, t_start_twice, t_sync)
BODY(timer_cancel_wait, NULL, created_and_started, release_all, false, t_cancel_wait, t_cancel_wait)
BODY(timer_cancel_wait_periodic, NULL, started_periodic, release_all, false, t_cancel_wait)
BODY(timer_cancel_wait_until, NULL, created_and_started, release_all, false, t_cancel_wait_until, t_cancel_wait_until)
BODY(timer_cancel_wait_start, NULL, created_and_started, release_all, false, t_cancel_wait_among, t_start)
BODY(timer_suspend, NULL, created_and_started, release_all, false, t_suspend_timer, t_suspend_timer)
BODY(timer_clock_suspend, NULL, on_clock, release_all, true, t_advance, t_suspend_timer)
BODY(timer_intervals, NULL, created_and_started, release_all, false, t_intervals)
WIDE_BODY(timer_skipped, behind_a_cancelled_firing, release_all, t_run, t_run, t_cancel_wait_inside)
BODY(timer_release, NULL, started_periodic, release_queue, false, t_release, t_sync)
BODY(timer_release_inside, release_inside, started_periodic, release_queue, false, t_sync)
BODY(timer_again_inside, start_inside, started_soon, release_all, false, t_cancel_wait_among)
BODY(timer_again_release, start_inside, started_soon, release_queue, false, t_release)
BODY(timer_drain, NULL, created_and_started, release_all, false, t_drain, t_start)
BODY(timer_discard, NULL, started_periodic, release_all, false, t_discard)
BODY(timer_release_drain, NULL, created_and_started, release_queue, false, t_release, t_drain)
BODY(timer_release_discard, NULL, started_periodic, release_queue, false, t_release, t_discard)
BODY(timer_create_drain, NULL, NULL, release_all, false, t_create, t_drain)
BODY(timer_clock_cancel, NULL, on_clock, release_all, true, t_advance, t_cancel)
BODY(timer_clock_release, NULL, on_clock, release_queue, true, t_advance, t_release)
BODY(timer_clock_start, start_inside, on_clock, release_all, true, t_advance, t_start)
BODY(timer_clock_drain, NULL, on_clock, release_all, true, t_advance, t_drain)
BODY(timer_rests_cancel, NULL, on_clock, release_all, true, t_advance, t_advance, t_cancel)
BODY(timer_rests_start, NULL, on_clock, release_all, true, t_advance, t_advance, t_start)
BODY(timer_rests_release, NULL, on_clock, release_queue, true, t_advance, t_advance, t_release)
BODY(timer_rests_drain, NULL, on_clock, release_all, true, t_advance, t_advance, t_drain)
BODY(after_two, NULL, NULL, release_queue, false, t_after_two, t_sync)
BODY(after_drain, NULL, NULL, release_queue, false, t_after, t_drain)
BODY(after_discard, NULL, NULL, release_queue, false, t_after_far, t_discard)
BODY(after_suspend, NULL, NULL, release_queue, false, t_after, t_suspend)
BODY(timer_abandon, NULL, started_for_good, nothing_more, false, t_abandon, t_release)
BODY(after_abandon, NULL, delayed_for_good, nothing_more, false, t_abandon)

const scenario_t timer_scenarios[] = {
    { "timer_cancel", "no firing begins after a cancel has returned", .body = timer_cancel },
    { "timer_start_cancel", "the same, while the queue is suspended and resumed", .body = timer_start_cancel },
    { "timer_start_start", "a start voids what the start before it had set going", .body = timer_start_start },
    { "timer_cancel_wait", "two that wait for one firing", .body = timer_cancel_wait },
    { "timer_cancel_wait_periodic", "the next firing is as void as the one that waits", .body = timer_cancel_wait_periodic },
    { "timer_cancel_wait_until", "one that times out against the end of the firing", .body = timer_cancel_wait_until },
    { "timer_cancel_wait_start", "a start against one that waits", .body = timer_cancel_wait_start },
    { "timer_suspend", "two threads suspend and resume the timer while it fires", .body = timer_suspend },
    { "timer_clock_suspend", "the same while the test's clock moves", .body = timer_clock_suspend },
    { "timer_intervals", "the intervals are read while a firing begins", .body = timer_intervals },
    { "timer_skipped", "a cancelled firing of a concurrent queue is skipped while the next one runs", .body = timer_skipped },
    { "timer_release", "a release against call and firing: one discard, after the last firing", .body = timer_release },
    { "timer_release_inside", "a release by the timer's own task", .body = timer_release_inside },
    { "timer_again_inside", "a start by its own task against a cancel-and-wait", .body = timer_again_inside },
    { "timer_again_release", "the same against a release", .body = timer_again_release },
    { "timer_drain", "a start against a shutdown", .body = timer_drain },
    { "timer_discard", "firings that wait, and the timer, are discarded before the end", .body = timer_discard },
    { "timer_release_drain", "a release against a shutdown: one of them has it discarded", .body = timer_release_drain },
    { "timer_release_discard", "the same with a discard", .body = timer_release_discard },
    { "timer_create_drain", "a timer is made while the queue is closed", .body = timer_create_drain },
    { "timer_clock_cancel", "a manual clock against a cancel", .body = timer_clock_cancel },
    { "timer_clock_release", "the same against a release", .body = timer_clock_release },
    { "timer_clock_start", "the same against starts from inside and outside", .body = timer_clock_start },
    { "timer_clock_drain", "the same against a shutdown", .body = timer_clock_drain },
    { "timer_rests_cancel", "a firing is left out and set again, against a cancel", .body = timer_rests_cancel },
    { "timer_rests_start", "the same against a start", .body = timer_rests_start },
    { "timer_rests_release", "the same against a release", .body = timer_rests_release },
    { "timer_rests_drain", "the same against a shutdown", .body = timer_rests_drain },
    { "after_two", "delayed tasks against a sync", .body = after_two },
    { "after_drain", "a delayed task falls due at the end of the queue", .body = after_drain },
    { "after_discard", "what is not due is discarded before the end", .body = after_discard },
    { "after_suspend", "the last reference goes while a delayed task pends", .body = after_suspend },
    { "timer_abandon", "a suspended queue is shut down, and only a timer, which is released, has a reference to it", .body = timer_abandon },
    { "after_abandon", "the same with delayed tasks: a thread that waits for the end does not prevent it", .body = after_abandon },
    { "timer_faults", "a timer's calls while memory and threads fail", .body = timer_create_drain, .faults = true },
    { "after_faults", "delayed tasks while memory and threads fail", .body = after_two, .faults = true },
    { 0 },
};
