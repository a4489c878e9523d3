/* scheduler.c: threads as coroutines.
 *
 * DESIGN. A thread runs until it reaches a scheduling point; there the next thread is chosen and entered directly. A failure
 * jumps to the driver immediately, wherever it is found: all state of a run is static, and reset before the next. If no thread
 * is runnable and not all have ended, that is a lost wake-up or a deadlock; a run of too many steps is a livelock. */
#include "explore.h"
#include "thread/self.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum { READY, BLOCKED, DONE } standing_t;

typedef struct thread {
    standing_t standing;
    void *stack_pointer;
    void (*body)(void *);
    void *argument;
    const void *on;         /* what it blocks on */
    const uint32_t *until;  /* it can run when this is 0; NULL: when it is woken */
    uint64_t deadline;      /* or at this time */
    bool may_wake_spuriously, expired;
    void (*at_exit)(void *);
    void *exit_argument;
    uint64_t left_at; /* the step at which another thread continued */
    uint32_t lives;   /* 0: it has ended */
    uint32_t is_cold; /* it has no token yet */
    uint32_t is_held; /* its starter starts others */
    int starter;
    bool is_starting; /* it waits for one that gets warm */
    bool is_daemon;   /* of the core */
    bool was_early;   /* a deadline of it has passed before it had to */
    bool awaits_rest; /* it can run when no other one can */
    char own[EX_OWN]; /* what is local to it, while another one runs */
} thread_t;

static thread_t threads[EX_THREADS];
static unsigned count, own_threads;
static void *driver_stack;
static uint64_t now;
static unsigned expiries, spurious, forced;
static ex_result_t *result;
static struct { uint32_t is_shut; } gates[EX_VIEW_END - EX_VIEW_GATE];
int ex_current;
uint64_t ex_step, ex_hash;
ex_setting_t ex_setting;
char ex_stacks[EX_THREADS][EX_STACK] __attribute__((aligned(4096)));

enum { MOST_EXPIRIES = 6, MOST_SPURIOUS = 2, MOST_FORCED = 100 };

__attribute__((naked, noinline)) static void exchange_stacks(__attribute__((unused)) void **from, __attribute__((unused)) void *to) {
    __asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; mov %rsp,(%rdi); mov %rsi,%rsp;"
            "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}

unsigned ex_threads(void) { return count; }
uint64_t ex_now(void) { return ex_reducing ? ex_reduce_now(ex_current) : now; }

_Noreturn static void leave_run(void) {
    void *lost;
    exchange_stacks(&lost, driver_stack);
    __builtin_unreachable();
}

void ex_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
    result->failed = true;
    EX_TRACE("%s", result->message);
    leave_run();
}

static bool is_runnable(const thread_t *thread);

static bool all_others_rest(const thread_t *one) {
    bool rest = true;
    for (unsigned i = 0; i < count && rest; i += 1) {
        rest = &threads[i] == one || threads[i].awaits_rest || !is_runnable(&threads[i]);
    }
    return rest;
}

static bool is_runnable(const thread_t *thread) {
    return thread->awaits_rest ? all_others_rest(thread) : thread->standing == READY || (thread->standing == BLOCKED && thread->until != NULL && *thread->until == 0);
}

static void enter(int next) {
    if (next == ex_current) {
        return;
    }
    thread_t *from = &threads[ex_current], *to = &threads[next];
    ex_core_exchange_own(from->own, to->own);
    from->left_at = ex_step;
    ex_current = next;
    exchange_stacks(&from->stack_pointer, to->stack_pointer);
}

static void fail_stuck(void) {
    char text[300];
    size_t used = 0;
    for (unsigned i = 0; i < count && used < sizeof text; i += 1) {
        if (threads[i].standing != DONE) {
            used += (size_t)snprintf(text + used, sizeof text - used, " T%u at %s;", i, ex_name_of(threads[i].on));
        }
    }
    ex_fail("no thread can run (lost wake-up or deadlock):%s", used ? text : "");
}

/* The options at this point, the current thread first if it can run. */
static unsigned list_options(int who[], ex_cost_t costs[], uint8_t kinds[]) {
    enum { RUN, EXPIRE, WAKE, DRAIN };
    unsigned options = 0;
    bool can_run = is_runnable(&threads[ex_current]);
    if (can_run) {
        who[options] = ex_current, costs[options] = EX_FREE, kinds[options++] = RUN;
    }
    for (unsigned i = 0; i < count; i += 1) {
        if ((int)i != ex_current && is_runnable(&threads[i])) {
            who[options] = (int)i, costs[options] = can_run ? EX_PREEMPT : EX_FREE, kinds[options++] = RUN;
        }
    }
    bool stuck = options == 0;
    for (unsigned i = 0; i < count && options < EX_OPTIONS - 2; i += 1) {
        if (threads[i].standing == BLOCKED && threads[i].deadline != UINT64_MAX && (stuck || expiries < MOST_EXPIRIES)) {
            who[options] = (int)i, costs[options] = stuck ? EX_FREE : EX_EXPIRE, kinds[options++] = EXPIRE;
        }
        if (threads[i].standing == BLOCKED && threads[i].may_wake_spuriously && !stuck && spurious < MOST_SPURIOUS) {
            who[options] = (int)i, costs[options] = EX_DISTURB, kinds[options++] = WAKE;
        }
    }
    for (unsigned i = 0; ex_setting.memory == EX_TSO && !stuck && i < count && options < EX_OPTIONS; i += 1) {
        if (ex_has_buffer((int)i)) {
            who[options] = (int)i, costs[options] = EX_DISTURB, kinds[options++] = DRAIN;
        }
    }
    if (options == 0) {
        fail_stuck();
    }
    if (stuck && ++forced > MOST_FORCED) {
        ex_fail("nothing happens any more but that time passes");
    }
    return options;
}

/* Actors of a reduced search (reduce.h): the threads, and time for those that have a deadline. Each deadline may pass early, the first of a thread. If
 * nothing else can happen, time passes to the next deadline. */
static ex_actors_t list_actors(void) {
    ex_actors_t enabled = 0;
    int next = -1;
    for (unsigned i = 0; i < count; i += 1) {
        bool has_deadline = threads[i].standing == BLOCKED && threads[i].deadline != UINT64_MAX;
        enabled |= (ex_actors_t)is_runnable(&threads[i]) << i;
        enabled |= (ex_actors_t)(has_deadline && !threads[i].was_early) << (EX_THREADS + i);
        next = has_deadline && (next < 0 || threads[i].deadline < threads[next].deadline) ? (int)i : next;
    }
    if (enabled == 0 && next < 0) {
        fail_stuck();
    }
    if (enabled == 0) {
        if (++forced > MOST_FORCED) {
            ex_fail("nothing happens any more but that time passes");
        }
        ex_reduce_order_all(EX_THREADS + next);
        enabled = (ex_actors_t)1 << (EX_THREADS + next);
    }
    return enabled;
}

static void pick_actor(void) {
    int actor;
    while ((actor = ex_reduce_choose(list_actors(), ex_current)) >= EX_THREADS) {
        thread_t *late = &threads[actor - EX_THREADS];
        ex_reduce_pass(actor, late->deadline);
        ex_reduce_order(actor, actor - EX_THREADS);
        ex_reduce_announce(actor - EX_THREADS, (ex_footprint_t){ 0 });
        late->was_early = late->expired = true;
        late->standing = READY;
        EX_TRACE("(time passes: T%d's deadline)", actor - EX_THREADS);
    }
    if (actor < 0) {
        leave_run();
    }
    threads[actor].standing = READY;
    enter(actor);
}

static void pick_next(void) {
    if (ex_reducing) {
        pick_actor();
        return;
    }
    int who[EX_OPTIONS];
    ex_cost_t costs[EX_OPTIONS];
    uint8_t kinds[EX_OPTIONS];
    unsigned options = list_options(who, costs, kinds);
    unsigned value = ex_choose_among(options, costs, who);
    thread_t *thread = &threads[who[value]];
    switch (kinds[value]) {
    case 1:
        expiries += costs[value] != EX_FREE;
        now = thread->deadline > now ? thread->deadline : now;
        thread->expired = true;
        EX_TRACE("(time passes: T%d's deadline)", who[value]);
        break;
    case 2:
        spurious += 1;
        EX_TRACE("(T%d wakes up for no reason)", who[value]);
        break;
    case 3:
        ex_drain_one(who[value]);
        pick_next();
        return;
    default:
        break;
    }
    thread->standing = READY;
    enter(who[value]);
}

/* The threads that this one has started begin when it does something else. */
static void let_begin(void) {
    for (unsigned i = 0; ex_setting.is_warm && !threads[ex_current].is_starting && i < count; i += 1) {
        if (threads[i].is_held && threads[i].starter == ex_current) {
            threads[i].is_held = 0;
            ex_reduce_order(ex_current, (int)i);
        }
    }
}

static void point(ex_footprint_t footprint) {
    let_begin();
    ex_reduce_announce(ex_current, footprint);
    ex_step += 1;
    if (ex_step > EX_STEPS) {
        ex_fail("too many steps: livelock?");
    }
    pick_next();
}

void ex_point(void) { ex_point_at(NULL, EX_NOTHING); }
void ex_point_at(const void *object, ex_touch_t touch) { ex_point_at_both(object, touch, NULL, EX_NOTHING); }

void ex_point_at_both(const void *object, ex_touch_t touch, const void *other, ex_touch_t other_touch) {
    point((ex_footprint_t){ .at = { { object, touch }, { other, other_touch } } });
}

void ex_point_at_compare(const void *object, unsigned bytes, uint64_t expected) {
    point((ex_footprint_t){ .at = { { object, EX_WRITES } }, .compares = (uint8_t)bytes, .expected = expected });
}

bool ex_point_until(const uint32_t *until_zero, const void *object, ex_touch_t touch) {
    if (ex_reducing) {
        thread_t *me = &threads[ex_current];
        me->standing = BLOCKED, me->on = object, me->until = until_zero, me->deadline = UINT64_MAX;
    }
    ex_point_at(object, touch);
    return ex_reducing;
}

static void await_rest(void) {
    threads[ex_current].awaits_rest = true;
    ex_point();
    threads[ex_current].awaits_rest = false;
    ex_reduce_order_all(ex_current);
}

void ex_await_rest(void) {
    if (ex_reducing) {
        await_rest();
        ex_take_all_views();
    }
}

void ex_end_in_one_order(void) {
    if (ex_reducing) {
        ex_await_rest();
        ex_reduce_in_one_order();
    }
}

bool ex_block(const void *on, const uint32_t *until_zero, uint64_t deadline, bool may_wake_spuriously) {
    thread_t *me = &threads[ex_current];
    while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {
    }
    let_begin();
    me->standing = BLOCKED;
    me->on = on;
    me->until = until_zero;
    me->deadline = deadline;
    me->may_wake_spuriously = may_wake_spuriously;
    me->expired = false;
    if (ex_reducing && deadline != UINT64_MAX) {
        ex_reduce_order(ex_current, EX_THREADS + ex_current);
        ex_reduce_announce(EX_THREADS + ex_current, (ex_footprint_t){ .at = { { on, EX_WRITES } } });
    }
    pick_next();
    return !me->expired;
}

bool ex_wake(const void *on) {
    for (unsigned i = 0; i < count; i += 1) {
        if (threads[i].standing == BLOCKED && threads[i].until == NULL && threads[i].on == on) {
            threads[i].standing = READY;
            ex_reduce_order(ex_current, (int)i);
            ex_reduce_announce((int)i, (ex_footprint_t){ 0 });
            EX_TRACE("wakes T%u", i);
            return true;
        }
    }
    return false;
}

/* Threads */

static void entry(void) {
    thread_t *me = &threads[ex_current];
    const bool is_warm = ex_setting.is_warm && !me->is_daemon && ex_current > 0; /* the first thread does not wait */
    if (is_warm) {
        (void)sq__self_token();
        ex_point_at(&me->is_cold, EX_ENDS);
        me->is_cold = 0;
        (void)ex_point_until(&me->is_held, &me->is_held, EX_AWAITS);
    }
    me->body(me->argument);
    if (me->at_exit != NULL) {
        if (is_warm) {
            await_rest();
        }
        ex_point();
        me->at_exit(me->exit_argument);
    }
    ex_point_at(&me->lives, EX_ENDS);
    while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {
    }
    ex_leave_view((unsigned)(EX_VIEW_END + ex_current));
    if (ex_setting.lists_threads) {
        ex_end_memory(ex_own[ex_current], EX_OWN);
    }
    me->standing = DONE;
    me->lives = 0;
    own_threads -= !me->is_daemon;
    EX_TRACE("ends");
    bool all_done = true;
    for (unsigned i = 0; i < count; i += 1) {
        if (threads[i].standing == BLOCKED && threads[i].on == me) {
            threads[i].standing = READY;
        }
        all_done = all_done && threads[i].standing == DONE;
    }
    if (all_done) {
        exchange_stacks(&me->stack_pointer, driver_stack);
    }
    pick_next();
    __builtin_unreachable();
}

int ex_start(void (*body)(void *), void *argument, bool daemon) {
    own_threads += !daemon;
    result->own_threads = own_threads > result->own_threads + 1 ? own_threads - 1 : result->own_threads; /* without the first one */
    if (count == EX_THREADS) {
        ex_fail("the explorer itself: more than %d threads", EX_THREADS);
    }
    int id = (int)count++;
    threads[id] = (thread_t){ .body = body, .argument = argument, .deadline = UINT64_MAX, .lives = 1, .is_daemon = daemon };
    ex_reduce_order(ex_current, id);
    ex_memory_thread(id, id > 0 ? ex_current : -1);
    ex_core_begin_own(id);
    void **top = (void **)(ex_stacks[id] + EX_STACK - 64);
    *--top = NULL;
    *--top = (void *)entry;
    threads[id].stack_pointer = top - 6;
    memset(top - 6, 0, 6 * sizeof *top);
    if (ex_setting.is_warm && !daemon && id > 0) {
        threads[id].is_cold = threads[id].is_held = 1;
        threads[id].starter = ex_current;
        threads[ex_current].is_starting = true;
        (void)ex_point_until(&threads[id].is_cold, &threads[id].is_cold, EX_AWAITS);
        threads[ex_current].is_starting = false;
    }
    return id;
}

void ex_join(int thread) {
    if (!ex_point_until(&threads[thread].lives, &threads[thread].lives, EX_AWAITS) && threads[thread].standing != DONE) {
        ex_block(&threads[thread], NULL, UINT64_MAX, false);
    }
    ex_take_view((unsigned)(EX_VIEW_END + thread));
}

bool ex_stood_still(int thread, uint64_t since) {
    return thread != ex_current && threads[thread].standing != DONE && threads[thread].left_at <= since;
}

void ex_at_exit(void (*call)(void *), void *argument) {
    threads[ex_current].at_exit = call;
    threads[ex_current].exit_argument = argument;
}

void ex_gate_pass(unsigned gate) {
    (void)ex_point_until(&gates[gate].is_shut, &gates[gate], EX_AWAITS);
    while (gates[gate].is_shut) {
        ex_block(&gates[gate], NULL, UINT64_MAX, false);
    }
    ex_take_view(EX_VIEW_GATE + gate);
}

void ex_gate_open(unsigned gate) {
    ex_point_at(&gates[gate], EX_ENDS);
    ex_leave_view(EX_VIEW_GATE + gate);
    gates[gate].is_shut = false;
    while (ex_wake(&gates[gate])) {
    }
}

static void first_thread(void *body) { ((void (*)(void))body)(); }

void ex_run(void (*body)(void), ex_result_t *into) {
    result = into;
    *result = (ex_result_t){ 0 };
    count = own_threads = 0;
    now = 1000;
    expiries = spurious = forced = 0;
    ex_step = 0;
    ex_hash = 0;
    ex_current = 0;
    for (unsigned i = 0; i < sizeof gates / sizeof gates[0]; i += 1) {
        gates[i].is_shut = true;
    }
    ex_reduce_begin_run();
    ex_memory_reset();
    ex_shadow_reset();
    ex_core_reset();
    ex_start(first_thread, (void *)body, false);
    exchange_stacks(&driver_stack, threads[0].stack_pointer);
    result->steps = ex_step;
    result->hash = ex_hash;
    result->threads = count;
}
