/* await.c: waits without a thread against the calls that end and withdraw them.
 *
 * Each await of a semaphore ends with one permit, or is withdrawn without one: at the end the semaphore has the permits that
 * were given and not taken. Each await of a group ends once, after the members that it waited for, or is withdrawn. An await
 * that no thread withdraws is overwritten as soon as it has ended, so that a later use of it is found. */
#include "scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { AWAITS = 2 };

typedef struct one {
    sq_await_t await;
    unsigned number;
} one_t;

static sq_semaphore_t *semaphore;
static sq_group_t *group;
static long permits;
static one_t *awaits[AWAITS];
static struct { bool waits, ended, withdrawn, is_kept; } states[AWAITS];
static uint64_t cell;
static bool has_left;

static void touch(void) {
    ex_caller = (const void *)touch;
    ex_write(&cell, sizeof cell);
}

static void look(void) {
    ex_caller = (const void *)look;
    ex_read(&cell, sizeof cell);
}

static void end(unsigned i) {
    if (states[i].ended || states[i].withdrawn) {
        ex_fail("await %u: ended twice, or after it was withdrawn", i);
    }
    states[i].ended = true;
}

/* From here on its owner may free it, unless that is about to withdraw it. */
static void forget(unsigned i) {
    if (!states[i].is_kept) {
        memset(awaits[i], 0xff, sizeof *awaits[i]);
    }
}

static void permit_came(sq_await_t *await) {
    unsigned i = ((one_t *)await)->number;
    end(i);
    permits -= 1;
    forget(i);
}

static void group_ended(sq_await_t *await) {
    unsigned i = ((one_t *)await)->number;
    end(i);
    if (!has_left) {
        ex_fail("await %u: ended before the member had left", i);
    }
    look();
    forget(i);
}

static void prepare(unsigned i, bool keeps, void (*ended)(sq_await_t *)) {
    static one_t memory[AWAITS];
    awaits[i] = &memory[i];
    memset(awaits[i], 0, sizeof *awaits[i]);
    awaits[i]->number = i;
    awaits[i]->await.ended = ended;
    states[i].is_kept = keeps;
}

static void await_permit(unsigned i, bool keeps) {
    prepare(i, keeps, permit_came);
    int error = sq_semaphore_await(semaphore, &awaits[i]->await);
    states[i].waits = error == EINPROGRESS;
    if (error == 0) {
        permits -= 1;
        end(i);
    } else if (error != EINPROGRESS) {
        ex_fail("await %u: returned %s", i, strerror(error));
    }
}

static void await_group(unsigned i, bool keeps) {
    prepare(i, keeps, group_ended);
    int error = sq_group_await(group, &awaits[i]->await);
    states[i].waits = error == EINPROGRESS;
    if (error == 0) {
        end(i);
        look();
    } else if (error != EINPROGRESS) {
        ex_fail("await %u: returned %s", i, strerror(error));
    }
}

static void withdraw(unsigned i) {
    if (!states[i].waits) {
        return;
    }
    bool is_withdrawn = semaphore != NULL ? sq_semaphore_withdraw(semaphore, &awaits[i]->await)
                                          : sq_group_withdraw(group, &awaits[i]->await);
    if (is_withdrawn) {
        if (states[i].ended) {
            ex_fail("await %u: withdrawn after it has ended", i);
        }
        states[i].withdrawn = true;
    }
}

static void give(void) {
    permits += 1;
    if (sq_semaphore_signal(semaphore) != 0) {
        ex_fail("semaphore: a signal was refused");
    }
}

static void take(sq_time_t deadline) { permits -= sq_semaphore_wait(semaphore, deadline) == 0; }

static void leave(void) {
    touch();
    has_left = true;
    if (sq_group_leave(group) != 0) {
        ex_fail("group: a leave was refused");
    }
}

static void run_threads(void (*const threads[])(void *)) {
    int ids[4];
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ex_join(ids[i]);
    }
    ex_end_in_one_order();
    for (unsigned i = 0; i < AWAITS; i += 1) {
        if (states[i].waits && !states[i].ended && !states[i].withdrawn) {
            withdraw(i); /* there was nothing to end it */
        }
    }
}

static void with_semaphore(void (*const threads[])(void *)) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    memset(states, 0, sizeof states);
    permits = 0;
    semaphore = sq_semaphore_create("S", 0);
    run_threads(threads);
    for (; permits > 0; permits -= 1) {
        if (sq_semaphore_wait(semaphore, SQ_NOW) != 0) {
            ex_fail("semaphore: a permit is lost");
        }
    }
    if (permits < 0 || sq_semaphore_wait(semaphore, SQ_NOW) != EAGAIN) {
        ex_fail("semaphore: a permit too many");
    }
    sq_semaphore_release(semaphore);
    semaphore = NULL;
    stage_end();
}

static void with_group(void (*const threads[])(void *)) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    memset(states, 0, sizeof states);
    has_left = false;
    group = sq_group_create("G");
    sq_group_enter(group);
    run_threads(threads);
    sq_group_release(group);
    stage_end();
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define BODY(name, with, ...) static void name(void) { with((void (*const[])(void *)){ __VA_ARGS__, NULL }); }

THREAD(t_await, await_permit(0, false))
THREAD(t_await_other, await_permit(1, false))
THREAD(t_await_withdraw, await_permit(0, true); ex_point(); withdraw(0))
THREAD(t_await_both_withdraw, await_permit(0, true); await_permit(1, false); withdraw(0))
THREAD(t_give, give())
THREAD(t_give_two, give(); give())
THREAD(t_take, take(SQ_FOREVER))
THREAD(t_take_until, take(stage_soon()))
THREAD(t_group, await_group(0, false))
THREAD(t_group_other, await_group(1, false))
THREAD(t_group_withdraw, await_group(0, true); ex_point(); withdraw(0))
THREAD(t_leave, leave())
THREAD(t_leave_enter_leave, leave(); sq_group_enter(group); sq_group_leave(group))
THREAD(t_wait, if (sq_group_wait(group, SQ_FOREVER) == 0 && !has_left) ex_fail("group: a wait returned early"))

BODY(await_signal, with_semaphore, t_await, t_give)
BODY(await_withdraw, with_semaphore, t_await_withdraw, t_give)
BODY(await_two, with_semaphore, t_await_withdraw, t_await_other, t_give)
BODY(await_behind, with_semaphore, t_await_both_withdraw, t_give)
BODY(await_and_wait, with_semaphore, t_await_withdraw, t_take, t_give_two)
BODY(await_and_until, with_semaphore, t_await, t_take_until, t_give)
BODY(await_group_leave, with_group, t_group, t_group_other, t_leave_enter_leave)
BODY(await_group_withdraw, with_group, t_group_withdraw, t_leave, t_wait)

const scenario_t await_scenarios[] = {
    { "await_signal", "a signal against an await that begins", .body = await_signal },
    { "await_withdraw", "a signal against an await that is withdrawn: one permit, or none", .body = await_withdraw },
    { "await_two", "the permit of a withdrawn await goes to another one", .body = await_two },
    { "await_behind", "two awaits in line, the first is withdrawn", .body = await_behind },
    { "await_and_wait", "an await and a waiting thread: each gets a permit", .body = await_and_wait },
    { "await_and_until", "an await and a thread that times out, one permit", .body = await_and_until },
    { "await_group_leave", "two awaits against the last leave and the next enter", .body = await_group_leave },
    { "await_group_withdraw", "a withdrawal and a wait against the last leave", .body = await_group_withdraw },
    { 0 },
};
