/* cores.c: threads as coroutines, each on a core of its own with a clock of its own.
 *
 * DESIGN. The core that is furthest behind in time continues, up to its next access that others can notice. So accesses happen in the
 * order of time, and two runs with one seed are the same. A blocked thread continues at the time of the thread that woke it, plus the latency of a
 * wake-up. Time passes by sc_spend alone: what costs nothing happens at once. */
#include "explore.h"
#include "scaling.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { READY, BLOCKED, DONE } standing_t;

typedef struct core {
    standing_t standing;
    void *stack_pointer;
    uint64_t clock, deadline; /* UINT64_MAX: none */
    const void *on;           /* what it blocks on */
    bool expired;
    void (*body)(void *);
    void *argument;
    void (*at_exit)(void *);
    void *exit_argument;
    char own[EX_OWN]; /* what is local to it, while another one runs */
} core_t;

static core_t cores[EX_THREADS];
static unsigned count;
static uint64_t horizon = UINT64_MAX; /* the lowest clock of the others that can run */
static void *driver_stack;
static uint64_t random_state = 1;
int ex_current;
uint64_t ex_step, ex_hash;
ex_setting_t ex_setting = { .memory = EX_SC, .lists_threads = true };
char ex_stacks[EX_THREADS][EX_STACK] __attribute__((aligned(4096)));
unsigned ex_processors = 2;
bool ex_tracing;

__attribute__((naked, noinline)) static void exchange_stacks(__attribute__((unused)) void **from, __attribute__((unused)) void *to) {
    __asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; mov %rsp,(%rdi); mov %rsi,%rsp;"
            "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}

void ex_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "scaling: thread %d at %.3f us: ", ex_current, (double)sc_clock() / 1e6);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

uint64_t sc_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

uint64_t sc_clock(void) { return cores[ex_current].clock; }
uint64_t ex_now(void) { return sc_clock() / 1000; }
void sc_clock_at_least(uint64_t time) { cores[ex_current].clock = cores[ex_current].clock < time ? time : cores[ex_current].clock; }

/* A little more or less each time: else cores march in step, which real ones do not. */
void sc_spend(uint64_t picoseconds) { cores[ex_current].clock += picoseconds - picoseconds / 8 + sc_random() % (picoseconds / 4 + 1); }

/* When it could continue. */
static uint64_t next_of(const core_t *core) {
    return core->standing == READY ? core->clock : core->standing == BLOCKED ? core->deadline : UINT64_MAX;
}

static void pick_next(void) {
    unsigned best = 0;
    uint64_t first = UINT64_MAX, second = UINT64_MAX;
    for (unsigned i = 0; i < count; i += 1) {
        uint64_t next = next_of(&cores[i]);
        if (next < first) {
            second = first, first = next, best = i;
        } else if (next < second) {
            second = next;
        }
    }
    if (first == UINT64_MAX) {
        ex_fail("no thread can run");
    }
    core_t *to = &cores[best], *from = &cores[ex_current];
    if (to->standing == BLOCKED) {
        to->expired = true;
        to->clock = to->clock < to->deadline ? to->deadline : to->clock;
        to->standing = READY;
    }
    horizon = second;
    if (to != from) {
        ex_core_exchange_own(from->own, to->own);
        ex_current = (int)best;
        exchange_stacks(&from->stack_pointer, to->stack_pointer);
    }
}

void sc_pass(void) {
    if (cores[ex_current].clock > horizon) {
        pick_next();
    }
}
void ex_point(void) { sc_pass(); }

void ex_point_at(const void *object, ex_touch_t touch) {
    (void)object, (void)touch;
    sc_pass();
}

void ex_point_at_compare(const void *object, unsigned bytes, uint64_t expected) {
    (void)bytes, (void)expected;
    ex_point_at(object, EX_WRITES);
}

bool ex_block(const void *on, const uint32_t *until_zero, uint64_t deadline, bool spurious) {
    (void)until_zero, (void)spurious;
    core_t *me = &cores[ex_current];
    me->standing = BLOCKED;
    me->on = on;
    me->deadline = deadline >= UINT64_MAX / 1000 ? UINT64_MAX : deadline * 1000;
    me->expired = false;
    pick_next();
    return !me->expired;
}

/* The longest sleeper, as the kernel does. */
bool ex_wake(const void *on) {
    core_t *found = NULL;
    for (unsigned i = 0; i < count; i += 1) {
        core_t *core = &cores[i];
        if (core->standing == BLOCKED && core->on == on && (found == NULL || core->clock < found->clock)) {
            found = core;
        }
    }
    if (found == NULL) {
        return false;
    }
    uint64_t then = sc_clock() + sc_costs.latency;
    found->standing = READY;
    found->clock = found->clock < then ? then : found->clock;
    horizon = found->clock < horizon ? found->clock : horizon;
    return true;
}

static void entry(void) {
    core_t *me = &cores[ex_current];
    me->body(me->argument);
    if (me->at_exit != NULL) {
        me->at_exit(me->exit_argument);
    }
    me->standing = DONE;
    while (ex_wake(me)) {
    }
    if (me == &cores[0]) { /* the program ends, whatever its other threads do */
        exchange_stacks(&me->stack_pointer, driver_stack);
    }
    pick_next();
    __builtin_unreachable();
}

int ex_start(void (*body)(void *), void *argument, bool daemon) {
    (void)daemon;
    if (count == EX_THREADS) {
        ex_fail("more than %d threads", EX_THREADS);
    }
    int id = (int)count++;
    cores[id] = (core_t){ .body = body, .argument = argument, .deadline = UINT64_MAX, .clock = id > 0 ? sc_clock() + sc_costs.latency : 0 };
    horizon = cores[id].clock < horizon ? cores[id].clock : horizon;
    ex_core_begin_own(id);
    memcpy(cores[id].own, ex_own[id], EX_OWN);
    void **top = (void **)(ex_stacks[id] + EX_STACK - 64);
    *--top = NULL;
    *--top = (void *)entry;
    cores[id].stack_pointer = top - 6;
    memset(top - 6, 0, 6 * sizeof *top);
    return id;
}

void ex_join(int thread) {
    while (cores[thread].standing != DONE) {
        ex_block(&cores[thread], NULL, UINT64_MAX, false);
    }
}

void ex_at_exit(void (*call)(void *), void *argument) {
    cores[ex_current].at_exit = call;
    cores[ex_current].exit_argument = argument;
}

static void first_thread(void *body) { ((void (*)(void))body)(); }

void sc_run(void (*body)(void), uint64_t seed) {
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    count = 0;
    ex_current = 0;
    horizon = UINT64_MAX;
    ex_core_reset();
    sc_lines_reset();
    ex_start(first_thread, (void *)body, false);
    exchange_stacks(&driver_stack, cores[0].stack_pointer);
}
