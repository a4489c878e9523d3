/* scheduler.c: threads as coroutines.
 *
 * DESIGN. A thread runs until it reaches a scheduling point (points.c); there the next thread is chosen (next.c) and entered directly. A failure
 * jumps to the driver immediately, wherever it is found: all state of a run is static, and reset before the next. A run of too many steps is
 * a livelock. */
#include "threads.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

thread_t ex_thread[EX_THREADS];
unsigned ex_thread_count;
static unsigned own_threads;
static void *driver_stack;
static ex_result_t *result;
int ex_current;
uint64_t ex_step, ex_hash;
ex_setting_t ex_setting;
char ex_stacks[EX_THREADS][EX_STACK] __attribute__((aligned(4096)));

__attribute__((naked, noinline)) static void exchange_stacks(__attribute__((unused)) void **from, __attribute__((unused)) void *to) {
    __asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; mov %rsp,(%rdi); mov %rsi,%rsp;"
            "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}

_Noreturn void ex_leave_run(void) {
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
    ex_leave_run();
}

void ex_enter(int next) {
    if (next == ex_current) {
        return;
    }
    thread_t *from = &ex_thread[ex_current], *to = &ex_thread[next];
    ex_core_exchange_own(from->own, to->own);
    from->left_at = ex_step;
    ex_current = next;
    exchange_stacks(&from->stack_pointer, to->stack_pointer);
}

static void entry(void) {
    thread_t *me = &ex_thread[ex_current];
    const bool is_warm = ex_setting.is_warm && !me->is_daemon && ex_current > 0; /* the first thread does not wait */
    if (is_warm) {
        ex_warm_up();
    }
    me->body(me->argument);
    ex_return(NULL);
    me->has_returned = true;
    if (me->at_exit != NULL) {
        if (is_warm) { /* those that join it need not wait until it has given its token back */
            ex_point_at(&me->works, EX_ENDS);
            ex_leave_view((unsigned)(EX_VIEW_END + ex_current));
            me->works = 0;
            ex_await_others();
        }
        ex_point();
        me->at_exit(me->exit_argument);
    }
    ex_point_at_both(&me->lives, EX_ENDS, &me->works, EX_ENDS);
    while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {
    }
    ex_leave_view((unsigned)(EX_VIEW_END + ex_current));
    if (ex_setting.lists_threads) {
        ex_end_memory(ex_own[ex_current], EX_OWN);
    }
    me->standing = DONE;
    me->lives = me->works = 0;
    own_threads -= !me->is_daemon;
    EX_TRACE("ends");
    bool all_done = true;
    for (unsigned i = 0; i < ex_thread_count; i += 1) {
        if (ex_thread[i].standing == BLOCKED && ex_thread[i].on == me) {
            ex_thread[i].standing = READY;
        }
        all_done = all_done && ex_thread[i].standing == DONE;
    }
    if (all_done) {
        exchange_stacks(&me->stack_pointer, driver_stack);
    }
    ex_next();
    __builtin_unreachable();
}

bool ex_stack_has(const char *address) {
    size_t thread = (size_t)(address - &ex_stacks[0][0]) / EX_STACK;
    return (int)thread == ex_current || (!ex_thread[thread].has_returned && address >= (const char *)ex_thread[thread].stack_pointer);
}

bool ex_stack_hides(const char *address) {
    size_t offset = (size_t)(address - &ex_stacks[0][0]), thread = offset / EX_STACK;
    return offset < sizeof ex_stacks && (int)thread != ex_current && address < (const char *)ex_thread[thread].point;
}

int ex_start(void (*body)(void *), void *argument, bool daemon) {
    own_threads += !daemon;
    result->own_threads = own_threads > result->own_threads + 1 ? own_threads - 1 : result->own_threads; /* without the first one */
    if (ex_thread_count == EX_THREADS) {
        ex_fail("the explorer itself: more than %d threads", EX_THREADS);
    }
    int id = (int)ex_thread_count++;
    ex_thread[id] = (thread_t){ .body = body, .argument = argument, .deadline = UINT64_MAX, .lives = 1, .works = 1, .is_daemon = daemon };
    ex_reduce_order(ex_current, id);
    ex_memory_thread(id, id > 0 ? ex_current : -1);
    ex_core_begin_own(id);
    void **top = (void **)(ex_stacks[id] + EX_STACK - 64);
    *--top = NULL;
    *--top = (void *)entry;
    ex_thread[id].stack_pointer = top - 6;
    memset(top - 6, 0, 6 * sizeof *top);
    if (ex_setting.is_warm && !daemon && id > 0) {
        ex_await_warm(id);
    }
    return id;
}

static void await_end(int thread, const uint32_t *until_zero) {
    if (!ex_point_until(until_zero, until_zero, EX_AWAITS) && ex_thread[thread].standing != DONE) {
        ex_block(&ex_thread[thread], NULL, UINT64_MAX, false);
    }
    ex_take_view((unsigned)(EX_VIEW_END + thread));
}

void ex_join(int thread) { await_end(thread, ex_setting.is_warm && !ex_thread[thread].is_daemon ? &ex_thread[thread].works : &ex_thread[thread].lives); }

void ex_await_exit(int thread) {
    if (ex_setting.is_warm) {
        await_end(thread, &ex_thread[thread].lives);
    }
}

bool ex_stood_still(int thread, uint64_t since) {
    return thread != ex_current && ex_thread[thread].standing != DONE && ex_thread[thread].left_at <= since;
}

void ex_at_exit(void (*call)(void *), void *argument) {
    ex_thread[ex_current].at_exit = call;
    ex_thread[ex_current].exit_argument = argument;
}

static void first_thread(void *body) { ((void (*)(void))body)(); }

void ex_run(void (*body)(void), ex_result_t *into) {
    result = into;
    *result = (ex_result_t){ 0 };
    ex_thread_count = own_threads = 0;
    ex_step = 0;
    ex_hash = 0;
    ex_current = 0;
    ex_next_reset();
    ex_points_reset();
    ex_reduce_begin_run();
    ex_memory_reset();
    ex_shadow_reset();
    ex_core_reset();
    ex_start(first_thread, (void *)body, false);
    exchange_stacks(&driver_stack, ex_thread[0].stack_pointer);
    result->steps = ex_step;
    result->hash = ex_hash;
    result->threads = ex_thread_count;
}
