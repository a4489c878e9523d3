/* system.c: the platform layer of the core, on the explorer's threads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* process_vm_readv */
#endif
#include "explore.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/peek.h"
#include "platform/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define HERE (ex_caller = here)
#define BEGIN_AT(...) const void *here = __builtin_return_address(0); ex_point_at_both(__VA_ARGS__); HERE

static uint32_t mutexes;
static unsigned held[EX_THREADS]; /* how many mutexes a thread holds */
void ex_system_reset(void) {
    mutexes = 0;
    memset(held, 0, sizeof held);
}

static unsigned view_of(sq__mutex_t *mutex) {
    if (mutex->id == 0) {
        mutex->id = ++mutexes;
        if (mutexes > EX_VIEW_GATE) {
            ex_fail("the explorer itself: more than %d mutexes", EX_VIEW_GATE);
        }
    }
    return mutex->id - 1;
}

int sq__mutex_init(sq__mutex_t *mutex) {
    ex_caller = __builtin_return_address(0);
    ex_write(mutex, sizeof *mutex);
    *mutex = (sq__mutex_t){ 0 };
    if (ex_setting.faults && ex_choose(2, EX_DISTURB) == 1) {
        EX_TRACE("cannot make a mutex");
        return ENOMEM;
    }
    return 0;
}

static void take(sq__mutex_t *mutex) {
    while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {
    }
    while (mutex->owner != 0) {
        ex_block(mutex, &mutex->owner, UINT64_MAX, false);
    }
    mutex->owner = (uint32_t)ex_current + 1;
    held[ex_current] += 1;
    ex_take_view(view_of(mutex));
}

static void leave(sq__mutex_t *mutex) {
    if (mutex->owner != (uint32_t)ex_current + 1) {
        ex_fail("a mutex is unlocked by a thread that does not hold it");
    }
    ex_leave_view(view_of(mutex));
    mutex->owner = 0;
    held[ex_current] -= 1;
}

static void point_at_lock(sq__mutex_t *mutex) { (void)ex_point_until(&mutex->owner, mutex, EX_LOCKS); }

void sq__mutex_lock(sq__mutex_t *mutex) {
    const void *here = __builtin_return_address(0);
    if (mutex->owner == (uint32_t)ex_current + 1) {
        ex_fail("a mutex is locked again by its own thread");
    }
    point_at_lock(mutex);
    HERE;
    ex_atomic(mutex);
    take(mutex);
    HERE;
    EX_TRACE("locks %s", ex_name_of(mutex));
}

void sq__mutex_unlock(sq__mutex_t *mutex) {
    BEGIN_AT(mutex, EX_UNLOCKS, NULL, EX_NOTHING);
    ex_atomic(mutex);
    leave(mutex);
    EX_TRACE("unlocks %s", ex_name_of(mutex));
}

/* Here no thread is stuck with a lock. */
bool sq__mutex_lock_patiently(sq__mutex_t *mutex, sq__patience_t *patience) {
    (void)patience;
    sq__mutex_lock(mutex);
    return true;
}

void sq__mutex_destroy(sq__mutex_t *mutex) {
    ex_caller = __builtin_return_address(0);
    if (mutex->owner != 0) {
        ex_fail("a mutex is destroyed while locked");
    }
}

int sq__condition_init(sq__condition_t *condition) {
    ex_write(condition, sizeof *condition);
    return ex_setting.faults && ex_choose(2, EX_DISTURB) == 1 ? ENOMEM : 0;
}

bool sq__condition_wait(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline) {
    BEGIN_AT(condition, EX_WRITES, mutex, EX_UNLOCKS);
    ex_atomic(condition);
    EX_TRACE("sleeps at %s", ex_name_of(condition));
    leave(mutex);
    bool in_time = ex_block(condition, NULL, deadline, true);
    if (ex_reducing) {
        point_at_lock(mutex);
    }
    take(mutex);
    HERE;
    EX_TRACE("wakes up%s", in_time ? "" : ", the deadline has passed");
    return in_time;
}

void sq__condition_signal(sq__condition_t *condition) {
    BEGIN_AT(condition, EX_WRITES, NULL, EX_NOTHING);
    ex_atomic(condition);
    if (!ex_wake(condition)) {
        EX_TRACE("signals nobody");
    }
}


/* Threads */

static void call_exit(void *exit) { ((sq__exit_t *)exit)->call(exit); }

int sq__thread_start(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind) {
    sq__thread_plan(start, body, argument, kind);
    return sq__thread_start_planned(start);
}

void sq__thread_plan(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind) {
    *start = (sq__thread_start_t){ body, argument, kind->service, (uint32_t)(kind->stack_size / 1024) };
    ex_write(start, sizeof *start);
}

int sq__thread_start_planned(sq__thread_start_t *start) {
    BEGIN_AT(&mutexes, EX_WRITES, NULL, EX_NOTHING); /* threads have numbers, in the order of their starts */
    ex_read(start, sizeof *start);
    if (ex_setting.faults && ex_choose(2, EX_DISTURB) == 1) {
        EX_TRACE("cannot start a thread");
        return ENOMEM;
    }
    int id = ex_start(start->body, start->argument, true);
    EX_TRACE("starts T%d", id);
    ex_point();
    return 0;
}

unsigned ex_shard_permits(void) { return ex_setting.has_shards ? 1 : 100; }
uint64_t ex_visit_after(void) { return 0; } /* the clock stands still while threads run: each visit that it may ask for is made */
unsigned ex_kept_threads(void) { return ex_setting.spares > 0 ? ex_setting.spares : 100; }
unsigned ex_thread_looks(void) { return ex_setting.spares > 0 ? 16 : 0; }
uint64_t ex_idles_for(void) { return ex_setting.spares > 0 ? 1000 : 0; }

void sq__thread_yield(void) { ex_point(); }

int sq__thread_at_exit(sq__exit_t *exit) {
    if (ex_setting.faults && ex_choose(2, EX_DISTURB) == 1) {
        return ENOMEM;
    }
    ex_at_exit(call_exit, exit);
    return 0;
}

bool sq__thread_owns_stack(const void *address) { return (size_t)((const char *)address - ex_stacks[ex_current]) < EX_STACK; }
sq__thread_state_t sq__thread_state(uint64_t id) {
    return id != 0 && ex_choose(2, EX_DISTURB) == 0 ? SQ__THREAD_BLOCKED : SQ__THREAD_READY;
}
uint64_t sq__clock_now(void) { return ex_now(); }

/* What a dump asks the system. A peek copies without the detection of races, as the system does. What the dump looks at under a lock
 * must exist. The rest it has found in the records of threads that continue: it may have been freed, and then it is not mapped here. */
bool sq__peek(const void *address, void *copy, size_t bytes) {
    struct iovec from = { (void *)(uintptr_t)address, bytes }, to = { copy, bytes };
    if (ex_setting.lists_threads) {
        ex_point();
    }
    if (ex_is_freed(address)) {
        if (held[ex_current] > 0) {
            ex_fail("a dump looks at %s, which was freed", ex_name_of(address));
        }
        return false;
    }
    ex_overwritten(copy, bytes);
    return !ex_stack_hides(address) && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)bytes;
}

void sq__peek_text(const char *address, char *text, size_t size) {
    char first;
    snprintf(text, size, "%.*s", (int)size - 1, sq__peek(address, &first, 1) ? address : "?");
}
void *sq__pages(size_t bytes) { return ex_setting.faults && ex_choose(2, EX_DISTURB) == 1 ? NULL : calloc(1, bytes); }
void *sq__pages_grow(void *pages, size_t bytes, size_t more) {
    void *copy = sq__pages(more);
    if (copy != NULL) {
        memcpy(copy, pages, bytes);
        free(pages);
    }
    return copy;
}
void sq__pages_free(void *pages, size_t bytes) { (void)bytes; free(pages); }
void sq__pages_discard(void *start, size_t bytes) { ex_write(start, (unsigned)bytes); memset(start, 0, bytes); } /* ordered with all other use */
int sq__file_write(int file, const void *bytes, size_t count) { (void)file; ex_dumped(bytes, count); return 0; }
/* A wild pointer is a failure like others. The handler has a stack of its own, and never returns to where it happened. */
static void crashed(int signal) {
    (void)signal;
    ex_fail("an access through a wild pointer");
}

void ex_catch_crashes(void) {
    static char stack[64 * 1024];
    sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
    struct sigaction action = { .sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_NODEFER };
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
