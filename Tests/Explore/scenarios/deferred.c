/* deferred.c: deferred tasks.
 *
 * They are on a queue with room for one, against each other, a withdrawal and a shutdown. Each is called once, or is
 * refused once; nothing is called for one that was withdrawn; its room comes back. On a concurrent queue they are barriers. */
#include "scenario.h"

#include "include/sq_barrier.h"
#include "include/sq_deferred.h"

#include <errno.h>
#include <string.h>

enum { TASKS = 4 };

static struct { sq_deferred_t task; int called, discarded, decided; bool accepted, waits, withdrawn, wanted, cancelled; } all[TASKS];
static bool is_ended;

/* Of a concurrent queue */
static bool is_wide, is_alone;
static int inside;

static unsigned number_of(const sq_deferred_t *task) {
    unsigned i = 0;
    while (&all[i].task != task) {
        i += 1;
    }
    return i;
}

static void call(void *first, void *second, bool runs) {
    unsigned i = (unsigned)(uintptr_t)first;
    (void)second;
    if (all[i].called++ || all[i].discarded || all[i].withdrawn || all[i].cancelled || is_ended) {
        ex_fail("deferred task %u is called twice, after it was withdrawn, or after the shutdown", i);
    }
    all[i].discarded += !runs;
    if (is_wide && runs && (inside > 0 || is_alone)) {
        ex_fail("barrier %u does not run alone", i);
    }
    is_alone = runs;
    ex_point();
    is_alone = false;
}

/* A cancellation that comes before `decided` is done there. The queue must not use the task afterwards. */
static void cancel(unsigned i) {
    all[i].wanted = true;
    if (sq_async_cancel(stage_queues[0], &all[i].task)) {
        if (all[i].called || all[i].cancelled) {
            ex_fail("deferred task %u is cancelled, and was called or cancelled before", i);
        }
        all[i].cancelled = true;
        all[i].task.call = NULL;
    }
}

static void decided(sq_deferred_t *task, int error) {
    unsigned i = number_of(task);
    if (all[i].decided++ || all[i].withdrawn || (error && error != ESHUTDOWN && error != ENOMEM)) {
        ex_fail("deferred task %u is decided twice, after it was withdrawn, or with %s", i, strerror(error));
    }
    all[i].accepted |= error == 0;
    if (error == 0 && all[i].wanted) {
        cancel(i);
    }
}

static void defer(unsigned i) {
    all[i].task = (sq_deferred_t){ .call = call, .first = (void *)(uintptr_t)i, .decided = decided, .is_barrier = is_wide };
    int error = sq_async_cancellable(stage_queues[0], &all[i].task);
    all[i].accepted |= error == 0;
    all[i].waits = error == EINPROGRESS;
    if (error && error != EINPROGRESS && error != ESHUTDOWN && !(ex_setting.faults && error == ENOMEM)) {
        ex_fail("error: sq_async_deferred returned %s", strerror(error));
    }
}

static void withdraw(unsigned i) {
    if (all[i].waits && sq_async_withdraw(stage_queues[0], &all[i].task)) {
        if (all[i].decided || all[i].called) {
            ex_fail("deferred task %u is withdrawn, and was decided", i);
        }
        all[i].withdrawn = true;
    }
}

static void nothing(void *unused) { (void)unused; }

static void defer_first(void *unused) { (void)unused; defer(0); }
static void defer_second(void *unused) { (void)unused; defer(1); defer(2); }
static void defer_and_withdraw(void *unused) { (void)unused; defer(1); withdraw(1); }
static void withdraw_or_cancel(unsigned i) {
    withdraw(i);
    if (!all[i].withdrawn) {
        cancel(i);
    }
}
static void defer_and_cancel(void *unused) { (void)unused; defer(1); withdraw_or_cancel(1); }
static void defer_first_and_cancel(void *unused) { (void)unused; defer(0); withdraw_or_cancel(0); }
static void defer_both_and_cancel(void *unused) { (void)unused; defer(0); defer(1); ex_gate_open(0); withdraw_or_cancel(0); }
static void cancel_both(void *unused) { (void)unused; ex_gate_pass(0); withdraw_or_cancel(1); withdraw_or_cancel(0); }
static void resume_after_both(void *unused) { (void)unused; ex_gate_pass(0); sq_resume(stage_queues[0]); }
static void suspend_and_defer(void *unused) { sq_suspend(stage_queues[0]); defer_both_and_cancel(unused); }
static void submit(void *unused) {
    (void)unused;
    const sq_task_t task = { .run = nothing };
    int error = sq_async_until(stage_queues[0], SQ_FOREVER, &task);
    if (error && error != ESHUTDOWN && !ex_setting.faults) {
        ex_fail("error: sq_async_until returned %s", strerror(error));
    }
}
static void read_inside(void *unused) {
    (void)unused;
    if (is_alone) {
        ex_fail("a reader runs at the same time as a barrier");
    }
    inside += 1;
    ex_point();
    inside -= 1;
}
static void read_twice(void *unused) {
    if (sq_sync(stage_queues[0], read_inside, unused) != 0 || sq_sync(stage_queues[0], read_inside, unused) != 0) {
        ex_fail("a reader was refused");
    }
}
static void stay_inside(void *unused) { (void)unused; ex_gate_open(0); ex_gate_pass(1); }
static void end_stay(void *unused) { (void)unused; ex_gate_open(1); }
static void read_until_another(void *unused) { (void)sq_sync(stage_queues[0], stay_inside, unused); }
static void read_behind(void *unused) { ex_gate_pass(0); (void)sq_sync(stage_queues[0], end_stay, unused); }
static void cancel_while_inside(void *unused) { ex_gate_pass(0); defer_first_and_cancel(unused); }
static void read_async(void *unused) {
    const sq_task_t task = { .run = read_inside };
    (void)unused;
    if (sq_async_until(stage_queues[0], SQ_FOREVER, &task) != 0) {
        ex_fail("an async reader was refused");
    }
}
static void jobs_called(void *first, void *second, bool runs) {
    (void)second;
    if (runs && (inside > 0 || is_alone)) {
        ex_fail("a job does not run alone");
    }
    *(int *)first += 1;
}
static void submit_job(void *unused) {
    static int jobs;
    (void)unused;
    jobs = 0;
    if (sq_async_barrier_job(stage_queues[0], jobs_called, &jobs, NULL) != 0
        || sq_sync_barrier(stage_queues[0], nothing, NULL) != 0 || jobs != 1) {
        ex_fail("a job ran %d times", jobs);
    }
}
static void shut_down(void *unused) {
    (void)unused;
    if (sq_shutdown(stage_queues[0], SQ_SHUTDOWN_DRAIN, SQ_FOREVER) == 0) {
        is_ended = true;
    }
}

/* A close ends each wait for room immediately, not when there is room. */
static void close_while_suspended(void *unused) {
    (void)unused;
    sq_suspend(stage_queues[0]);
    for (unsigned i = 0; i < TASKS; i += 1) {
        defer(i);
    }
    withdraw(1);
    bool one_has_room = all[0].accepted && all[1].withdrawn && all[2].waits && all[3].waits && !all[2].decided && !all[3].decided;
    int error = sq_shutdown(stage_queues[0], SQ_SHUTDOWN_DRAIN, SQ_NOW);
    if (!one_has_room || error != ETIMEDOUT || !all[2].decided || !all[3].decided) {
        ex_fail("a full queue that is suspended: %s", one_has_room ? "a waiting task is not refused when it closes" : "not one of four has room");
    }
    sq_resume(stage_queues[0]);
    shut_down(unused);
}

/* After all threads: nothing waits any more, and there is room for one again. */
static void check_outcomes(void *unused) {
    for (unsigned i = 0; !is_ended && i <= TASKS; i += 1) {
        sq_sync_barrier(stage_queues[0], nothing, unused); /* behind what was submitted; the task that gets room from that comes next */
    }
    for (unsigned i = 0; i < TASKS; i += 1) {
        bool runs = all[i].accepted && !all[i].cancelled;
        if (all[i].called != runs || (all[i].waits && all[i].decided != !all[i].withdrawn) || (!all[i].waits && all[i].decided)) {
            ex_fail("deferred task %u: called %d times, decided %d times", i, all[i].called, all[i].decided);
        }
    }
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(stage_queues[0], &stats);
    if (stats.depth != 0 || stats.withdrawn != (uint64_t)all[0].cancelled + all[1].cancelled) {
        ex_fail("depth: %llu, withdrawn: %llu", (unsigned long long)stats.depth, (unsigned long long)stats.withdrawn);
    }
    int error = sq_async(stage_queues[0], nothing, NULL);
    if (error && error != ESHUTDOWN) {
        ex_fail("room: none is left: %s", strerror(error));
    }
    sq_queue_release(stage_queues[0]);
}

static void run(void (*const threads[])(void *), size_t capacity, size_t width, void (*last)(void *)) {
    const expectation_t bounded = { .capacity = capacity, .width = width, .pool = { width > 1 ? POOL_FIXED : POOL_NONE, 2 } };
    int ids[4];
    unsigned count = 0;
    memset(all, 0, sizeof all);
    is_ended = false;
    is_wide = width > 1;
    is_alone = false;
    inside = 0;
    bool faults = ex_setting.faults;
    ex_setting.faults = false;
    stage_begin(&bounded, 1);
    ex_setting.faults = faults;
    for (; threads[count] != NULL; count += 1) {
        ids[count] = ex_start(threads[count], NULL, false);
    }
    for (unsigned i = 0; i < count; i += 1) {
        ex_join(ids[i]);
    }
    ex_end_in_one_order();
    ex_setting.faults = false;
    ex_join(ex_start(last, NULL, false)); /* a thread, for at its end it gives its token back */
    stage_release_pool();
    ex_setting.faults = faults;
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

#define BODY(name, capacity, last, ...) \
    static void name(void) { run((void (*const[])(void *)){ __VA_ARGS__, NULL }, capacity, 1, last); }
#define WIDE_BODY(name, capacity, ...) \
    static void name(void) { run((void (*const[])(void *)){ __VA_ARGS__, NULL }, capacity, SQ_WIDTH_POOL, check_outcomes); }

BODY(deferred_two, 1, check_outcomes, defer_first, defer_second)
BODY(deferred_withdrawn, 1, check_outcomes, defer_first, defer_and_withdraw)
BODY(deferred_among, 1, check_outcomes, defer_first, submit, defer_and_withdraw)
BODY(deferred_close, 1, check_outcomes, defer_first, defer_second, shut_down)
BODY(deferred_parked, 1, check_outcomes, close_while_suspended)
BODY(cancel_one, 0, check_outcomes, defer_first, defer_and_cancel)
BODY(cancel_two, 0, check_outcomes, defer_first_and_cancel, defer_and_cancel)
BODY(cancel_twice, 0, check_outcomes, defer_both_and_cancel, cancel_both)
BODY(cancel_room, 1, check_outcomes, defer_first_and_cancel, defer_and_cancel)
BODY(cancel_room_twice, 1, check_outcomes, defer_both_and_cancel, cancel_both)
BODY(cancel_suspended, 2, check_outcomes, suspend_and_defer, cancel_both, resume_after_both)
BODY(cancel_close, 1, check_outcomes, defer_first_and_cancel, defer_and_cancel, shut_down)
WIDE_BODY(cancel_barrier, 0, read_twice, defer_first_and_cancel, read_async)
WIDE_BODY(cancel_barriers, 0, read_twice, defer_first_and_cancel, defer_and_cancel)
WIDE_BODY(cancel_barrier_behind, 0, read_until_another, cancel_while_inside, read_behind)
WIDE_BODY(cancel_barrier_room, 1, read_twice, defer_first_and_cancel, read_async)
WIDE_BODY(barrier_job, 1, read_twice, defer_first, submit_job)

const scenario_t deferred_scenarios[] = {
    { "deferred_two", "room goes from one deferred task to the next", .body = deferred_two },
    { "deferred_withdrawn", "a withdrawal against the room that comes: one of them has the task", .body = deferred_withdrawn },
    { "deferred_among", "deferred tasks in line with a thread that waits for room", .body = deferred_among },
    { "deferred_close", "a shutdown refuses all that wait, each once", .body = deferred_close },
    { "deferred_parked", "the same while no room can come; one that waits can be withdrawn", .body = deferred_parked },
    { "deferred_faults", "a thread that has room and no memory passes the room on", .body = deferred_two, .faults = true },
    { "cancel_one", "a cancellation against the turn: one of them has the task", .body = cancel_one },
    { "cancel_two", "two tasks, each cancelled, in the hand-off slot and in the ring", .body = cancel_two },
    { "cancel_twice", "two threads cancel the same tasks: each task has one outcome", .body = cancel_twice },
    { "cancel_room", "a cancelled task's room goes to the one that waits, which may be cancelled, too", .body = cancel_room },
    { "cancel_room_twice", "the same by two threads: no cancellation is lost before `decided`", .body = cancel_room_twice },
    { "cancel_suspended", "cancellations against a resume", .body = cancel_suspended },
    { "cancel_close", "cancellations against a shutdown", .body = cancel_close },
    { "cancel_barrier", "a barrier is cancelled while readers enter, leave and wait behind it", .body = cancel_barrier },
    { "cancel_barriers", "one barrier behind the other, each cancelled", .body = cancel_barriers },
    { "cancel_barrier_behind", "a reader inside waits for one behind the cancelled barrier", .body = cancel_barrier_behind },
    { "cancel_barrier_room", "a barrier waits for room, and is cancelled", .body = cancel_barrier_room },
    { "barrier_job", "a barrier that needs no room", .body = barrier_job },
    { 0 },
};
