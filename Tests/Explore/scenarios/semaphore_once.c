/* semaphore_once.c: semaphores and onces: the calls of one against each other.
 *
 * A semaphore with one permit protects a cell, so that a permit given twice is a race; at the end it has as many permits as it
 * was made with and given, minus those taken. A once's function writes a cell, which every call that returned 0 reads. */
#include "scenario.h"

#include <errno.h>
#include <string.h>

static sq_semaphore_t *semaphore;
static long permits; /* that it must have */
static int inside;
static uint64_t cell;
static struct { sq_once_t once; int ran; uint64_t cell; bool is_inside; } jobs[2];
static int refused;

static void touch(uint64_t *word) {
    ex_caller = (const void *)touch;
    ex_write(word, sizeof *word);
}

static void give(void) {
    permits += 1;
    if (sq_semaphore_signal(semaphore) != 0) {
        ex_fail("semaphore: a signal was refused");
    }
}

/* 0, or without a permit. */
static int take(sq_time_t deadline) {
    int error = sq_semaphore_wait(semaphore, deadline);
    permits -= error == 0;
    int may = deadline == SQ_NOW ? EAGAIN : deadline == SQ_FOREVER ? 0 : ETIMEDOUT;
    if (error && error != may && !(ex_setting.faults && error == ENOMEM)) {
        ex_fail("semaphore: a wait returned %s", strerror(error));
    }
    return error;
}

/* One permit, as a mutex. */
static void enter(sq_time_t deadline) {
    if (take(deadline) == 0) {
        if (inside++) {
            ex_fail("semaphore: two have the only permit");
        }
        touch(&cell);
        ex_point();
        inside -= 1;
        give();
    }
}

static void run_threads(void (*const threads[])(void *), long value) {
    static const expectation_t nothing;
    int ids[4];
    bool faults = ex_setting.faults;
    stage_begin(&nothing, 0);
    memset(jobs, 0, sizeof jobs);
    inside = refused = 0;
    permits = value;
    ex_setting.faults = false;
    semaphore = sq_semaphore_create("S", (size_t)value);
    ex_declare_semaphore(semaphore);
    ex_setting.faults = faults;
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ex_join(ids[i]);
    }
    ex_end_in_one_order();
    ex_setting.faults = false;
    for (; semaphore != NULL && permits > 0; permits -= 1) {
        if (sq_semaphore_wait(semaphore, SQ_NOW) != 0) {
            ex_fail("semaphore: a permit is lost");
        }
    }
    if (semaphore != NULL && sq_semaphore_wait(semaphore, SQ_NOW) != EAGAIN) {
        ex_fail("semaphore: a permit too many");
    }
    sq_semaphore_release(semaphore);
    ex_setting.faults = faults;
    stage_end();
}

/* Onces */

static void once_ran(void *context) {
    unsigned i = (unsigned)(uintptr_t)context;
    if (jobs[i].ran++) {
        ex_fail("once: its function runs twice");
    }
    jobs[i].is_inside = true;
    touch(&jobs[i].cell);
    ex_point();
    jobs[i].is_inside = false;
}

static void call(unsigned i, sq_function_t function) {
    int error = sq_once_slow(&jobs[i].once, function, (void *)(uintptr_t)i);
    if (error == 0) {
        if (jobs[i].is_inside || jobs[i].ran != 1) {
            ex_fail("once: a call returned before the function had");
        }
        ex_caller = (const void *)call;
        ex_read(&jobs[i].cell, sizeof jobs[i].cell);
    } else if (error == EDEADLK) {
        refused += 1;
    } else if (!(ex_setting.faults && error == ENOMEM)) {
        ex_fail("once: a call returned %s", strerror(error));
    }
}

static void cross(void *context) {
    unsigned i = (unsigned)(uintptr_t)context;
    once_ran(context);
    jobs[i].is_inside = true;
    call(!i, cross);
    jobs[i].is_inside = false;
}

static void recurse(void *context) {
    once_ran(context);
    call(0, recurse);
    refused += jobs[0].once.state == SQ_ONCE_DONE; /* not from inside */
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define BODY(name, value, ...) \
    static void name(void) { run_threads((void (*const[])(void *)){ __VA_ARGS__, NULL }, value); }

THREAD(t_enter, enter(SQ_FOREVER))
THREAD(t_enter_until, enter(stage_soon()))
THREAD(t_enter_now, enter(SQ_NOW))
THREAD(t_take, take(SQ_FOREVER))
THREAD(t_take_until, take(stage_soon()))
THREAD(t_take_one_of_two, if (take(SQ_NOW) != 0) ex_fail("semaphore: a permit was there, and not given"))
THREAD(t_give, give())
THREAD(t_give_two, give(); give())
THREAD(t_give_last, sq_semaphore_t *mine = semaphore; permits += 1; sq_semaphore_signal(mine))
THREAD(t_take_and_free, take(SQ_FOREVER); sq_semaphore_release(semaphore); semaphore = NULL)
THREAD(t_once, call(0, once_ran))
THREAD(t_cross_0, call(0, cross))
THREAD(t_cross_1, call(1, cross))
THREAD(t_recurse, call(0, recurse); if (refused != 1) ex_fail("once: a recursion was refused %d times", refused))

BODY(semaphore_two, 1, t_enter, t_enter)
BODY(semaphore_mutex, 1, t_enter, t_enter, t_enter_now)
BODY(semaphore_mutex_until, 1, t_enter, t_enter_until, t_enter_until)
BODY(semaphore_two_permits, 2, t_take_one_of_two, t_take_one_of_two)
BODY(semaphore_signal_wait, 0, t_take, t_give)
BODY(semaphore_signals, 0, t_take, t_take, t_give, t_give)
BODY(semaphore_until, 0, t_take_until, t_take_until, t_give)
BODY(semaphore_until_and_wait, 0, t_take_until, t_take, t_give_two)
THREAD(t_use_and_release, enter(SQ_FOREVER); sq_semaphore_release(semaphore))
BODY(semaphore_freed_by_waiter, 0, t_take_and_free, t_give_last)
BODY(once_two, 0, t_once, t_once)
BODY(once_three, 0, t_once, t_once, t_once)
BODY(once_recursion, 0, t_recurse)

/* Each of two threads has a reference, and there is no other. */
static void semaphore_release(void) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    inside = 0;
    semaphore = sq_semaphore_retain(sq_semaphore_create("S", 1));
    ex_declare_semaphore(semaphore);
    int threads[] = { ex_start(t_use_and_release, NULL, false), ex_start(t_use_and_release, NULL, false) };
    ex_join(threads[0]); /* not by this thread: it would keep a token beyond the end */
    ex_join(threads[1]);
    stage_end();
}

/* A thread that runs both functions is refused by itself, else one of the two is. */
static void once_cross(void) {
    run_threads((void (*const[])(void *)){ t_cross_0, t_cross_1, NULL }, 0);
    if (refused != 1) {
        ex_fail("once: of two that wait for each other %d were refused", refused);
    }
}

const scenario_t semaphore_once_scenarios[] = {
    { "semaphore_two", "one permit, and two that wait for it", .body = semaphore_two, .looks_twice = true },
    { "semaphore_mutex", "one permit: one at a time, and what it wrote is visible to the next", .body = semaphore_mutex },
    { "semaphore_mutex_until", "the same with deadlines: a permit comes as its taker times out", .body = semaphore_mutex_until },
    { "semaphore_two_permits", "two permits, two that do not wait: each gets one", .body = semaphore_two_permits },
    { "semaphore_signal_wait", "a signal against a wait that begins", .body = semaphore_signal_wait },
    { "semaphore_signals", "two signals, two waits: each gets one", .body = semaphore_signals },
    { "semaphore_until", "two waits that time out, one signal: no permit is lost", .body = semaphore_until },
    { "semaphore_until_and_wait", "a signal passes over one that timed out to the next", .body = semaphore_until_and_wait },
    { "semaphore_freed_by_waiter", "the waiter frees the semaphore while the signal is on its way out", .body = semaphore_freed_by_waiter },
    { "semaphore_release", "two release it after use: one frees it, after both", .body = semaphore_release },
    { "semaphore_faults", "no memory for a wait", .body = semaphore_mutex, .faults = true },
    { "once_two", "two calls: one runs, both see what it wrote", .body = once_two, .looks_twice = true },
    { "once_three", "three calls: two wait, both are woken", .body = once_three, .looks_twice = true },
    { "once_recursion", "a call from inside is refused", .body = once_recursion },
    { "once_cross", "two onces that wait for each other: one wait is refused", .body = once_cross },
    { "once_faults", "no memory for a wait", .body = once_three, .faults = true },
    { 0 },
};
