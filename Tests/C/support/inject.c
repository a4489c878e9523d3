#include "inject.h"

#include "harness.h"
#include "memory/blocks.h"
#include "tag.h"

#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);
void *__real_sq__pages(size_t size);
void *__real_sq__pages_grow(void *pages, size_t size, size_t more);
void *__real_sq__blocks_take(sq__blocks_t *store, uint32_t lane, uint32_t *number);
void __real_sq__blocks_give(sq__blocks_t *store, uint32_t number);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __real_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);

/* One plan per kind of failure. `calls` counts down to the first failure; a plan of `one_in` draws instead. */
typedef struct plan {
    atomic_bool armed;
    atomic_long calls_before;
    atomic_bool forever;
    atomic_uint_fast64_t one_in;
    atomic_uint_fast64_t failures;
} plan_t;

static plan_t plans[3];
static atomic_uint_fast64_t made, started, timed, spurious, spurious_one_in, early_waits, draws;
static atomic_bool memory_is_high;
static atomic_long blocks, bytes;

static bool draw(uint64_t one_in) {
    random_stream_t random = random_start(0xD1CE0000u + atomic_fetch_add(&draws, 1));
    return random_below(&random, one_in) == 0;
}

static bool must_fail(failure_t what) {
    plan_t *plan = &plans[what];
    if (!atomic_load_explicit(&plan->armed, memory_order_relaxed)) {
        return false;
    }
    uint64_t one_in = atomic_load(&plan->one_in);
    bool fails;
    if (one_in) {
        fails = draw(one_in);
    } else {
        long before = atomic_fetch_sub(&plan->calls_before, 1);
        fails = before == 1 || (before < 1 && atomic_load(&plan->forever));
    }
    if (fails) {
        atomic_fetch_add(&plan->failures, 1);
    }
    return fails;
}

static void arm(failure_t what, uint64_t nth, bool forever, uint64_t one_in) {
    plan_t *plan = &plans[what];
    atomic_store(&plan->calls_before, (long)nth);
    atomic_store(&plan->forever, forever);
    atomic_store(&plan->one_in, one_in);
    atomic_store(&plan->failures, 0);
    atomic_store(&plan->armed, true);
}

void fail_nth(failure_t what, uint64_t nth, bool forever) { arm(what, nth, forever, 0); }
void fail_some(failure_t what, uint64_t one_in) { arm(what, 0, false, one_in); }

void await_failures(failure_t what, uint64_t count) {
    while (atomic_load(&plans[what].failures) < count) {
        sched_yield();
    }
}

uint64_t fail_nothing(void) {
    uint64_t failures = 0;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i += 1) {
        atomic_store(&plans[i].armed, false);
        failures += atomic_exchange(&plans[i].failures, 0);
    }
    return failures;
}

uint64_t allocations(void) { return atomic_load(&made); }
long live_blocks(void) { return atomic_load(&blocks); }
long live_bytes(void) { return atomic_load(&bytes); }
uint64_t threads_started(void) { return atomic_load(&started); }

static long size_of(void *block) { return (long)(malloc_usable_size(untagged(block)) + sizeof(size_t)); }

static void *counted(void *block) {
    if (block) {
        atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&bytes, size_of(block), memory_order_relaxed);
    }
    return tagged(block);
}

/* Fresh memory is often zero, and hides what was never written. */
static void *spoiled(void *block, size_t size) {
    enum { MOST = 4096 }; /* the rest of a larger block is left as it is */
    if (block) {
        memset(block, 0xA5, size < MOST ? size : MOST);
    }
    return block;
}

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

void *__wrap_malloc(size_t size) { return must_fail(FAIL_ALLOCATION) ? no_memory() : counted(spoiled(__real_malloc(size), size)); }

void *__wrap_calloc(size_t count, size_t size) {
    return must_fail(FAIL_ALLOCATION) ? no_memory() : counted(__real_calloc(count, size));
}

void give_high_memory(void) { atomic_store(&memory_is_high, true); }

void *__wrap_sq__pages(size_t size) {
    if (atomic_load_explicit(&memory_is_high, memory_order_relaxed)) {
        return (void *)((uintptr_t)1 << 52);
    }
    return must_fail(FAIL_PAGES) ? NULL : __real_sq__pages(size);
}

void *__wrap_sq__pages_grow(void *pages, size_t size, size_t more) { return must_fail(FAIL_PAGES) ? NULL : __real_sq__pages_grow(pages, size, more); }

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return must_fail(FAIL_ALLOCATION) ? no_memory() : counted(spoiled(__real_aligned_alloc(alignment, size), size));
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    if (must_fail(FAIL_ALLOCATION)) {
        return ENOMEM;
    }
    int error = __real_posix_memalign(block, alignment, size);
    if (error == 0) {
        *block = counted(spoiled(*block, size));
    }
    return error;
}

void __wrap_free(void *block) {
    if (block) {
        atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
        atomic_fetch_sub_explicit(&bytes, size_of(block), memory_order_relaxed);
    }
    __real_free(untagged(block));
}

/* A block of a store counts as what it is for its user, whether the store has a free one or not. */
static void count_block(long many, size_t size) {
    atomic_fetch_add_explicit(&blocks, many, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, many * (long)size, memory_order_relaxed);
}

void *__wrap_sq__blocks_take(sq__blocks_t *store, uint32_t lane, uint32_t *number) {
    void *block = must_fail(FAIL_ALLOCATION) ? NULL : __real_sq__blocks_take(store, lane, number);
    count_block(block != NULL, store->bytes);
    return block;
}

void __wrap_sq__blocks_give(sq__blocks_t *store, uint32_t number) {
    count_block(-1, store->bytes);
    __real_sq__blocks_give(store, number);
}

/* As a new block and a freed one: the counts then need no case of their own. */
void *__wrap_realloc(void *block, size_t size) {
    void *moved = __wrap_malloc(size);
    if (moved && block) {
        size_t old = malloc_usable_size(untagged(block));
        memcpy(moved, block, old < size ? old : size);
        __wrap_free(block);
    }
    return moved;
}

enum { MOST_HELD = 1024 };
static struct { void *(*body)(void *); void *argument; } held[MOST_HELD];
static atomic_uint held_count;
static atomic_bool is_holding;

void hold_threads(void) {
    atomic_store(&held_count, 0);
    atomic_store(&is_holding, true);
}
void let_threads_begin(void) { atomic_store(&is_holding, false); }

static void *held_body(void *number) {
    while (atomic_load(&is_holding)) {
        sched_yield();
    }
    return held[(uintptr_t)number].body(held[(uintptr_t)number].argument);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (must_fail(FAIL_THREAD)) {
        return EAGAIN;
    }
    if (atomic_load(&is_holding)) {
        unsigned number = atomic_fetch_add(&held_count, 1);
        REQUIRE(number < MOST_HELD);
        held[number].body = body;
        held[number].argument = argument;
        body = held_body;
        argument = (void *)(uintptr_t)number;
    }
    int error = __real_pthread_create(thread, attributes, body, argument);
    if (error == 0) {
        atomic_fetch_add(&started, 1);
    }
    return error;
}

void wake_spuriously(uint64_t one_in) { atomic_store(&spurious_one_in, one_in); }
void end_waits_early(uint64_t count) { atomic_store(&early_waits, count); }
uint64_t timed_waits(void) { return atomic_load(&timed); }
uint64_t spurious_wakes(void) { return atomic_load(&spurious); }

/* A wake-up without a signal still gives the mutex away for a moment, as a real one does. */
static bool wakes_spuriously(pthread_mutex_t *mutex) {
    uint64_t one_in = atomic_load_explicit(&spurious_one_in, memory_order_relaxed);
    if (one_in == 0 || !draw(one_in)) {
        return false;
    }
    atomic_fetch_add(&spurious, 1);
    pthread_mutex_unlock(mutex);
    pthread_mutex_lock(mutex);
    return true;
}

static _Thread_local void (*before_wait)(void *context);
static _Thread_local void *before_wait_context;

void do_before_next_wait(void (*call)(void *context), void *context) {
    before_wait = call;
    before_wait_context = context;
}

static void come_to_a_wait(void) {
    void (*now)(void *) = before_wait;
    before_wait = NULL;
    if (now != NULL) {
        now(before_wait_context);
    }
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    come_to_a_wait();
    return wakes_spuriously(mutex) ? 0 : __real_pthread_cond_wait(condition, mutex);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    atomic_fetch_add_explicit(&timed, 1, memory_order_relaxed);
    come_to_a_wait();
    if (atomic_load_explicit(&early_waits, memory_order_relaxed) > 0) {
        atomic_fetch_sub(&early_waits, 1);
        pthread_mutex_unlock(mutex);
        pthread_mutex_lock(mutex);
        return ETIMEDOUT;
    }
    return wakes_spuriously(mutex) ? 0 : __real_pthread_cond_timedwait(condition, mutex, until);
}
