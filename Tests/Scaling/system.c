/* system.c: the platform layer of the core on the simulated cores, and what the explorer's hooks call. */
#include "explore.h"
#include "scaling.h"

#include "memory/blocks.h"
#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/peek.h"
#include "platform/thread.h"

#include <stdio.h>
#include <string.h>

/* Accesses. Memory is sequentially consistent: the next one begins when the one before it is over. */

uint64_t ex_load(const void *address, uint64_t now, int order) { return (void)address, (void)order, now; }

void ex_store(void *address, unsigned size, uint64_t value, int order) {
    (void)order;
    memcpy(address, &value, size); /* little-endian, as every machine that gcc's hooks run on here */
}

uint64_t ex_exchange(void *address, unsigned size, uint64_t now, uint64_t value, int order) {
    ex_store(address, size, value, order);
    return now;
}

bool ex_compare(void *address, unsigned size, uint64_t now, uint64_t *expected, uint64_t value, int order, int failure) {
    (void)failure;
    bool done = now == *expected;
    *expected = now;
    if (done) {
        ex_store(address, size, value, order);
    }
    return done;
}

void ex_read(const void *address, unsigned bytes) { (void)address, (void)bytes; }
void ex_write(const void *address, unsigned bytes) { (void)address, (void)bytes; }
void ex_atomic(const void *address) { (void)address; }
bool ex_drain_one(int thread) { return (void)thread, false; }
unsigned ex_choose(unsigned options, ex_cost_t cost) { return (void)options, (void)cost, 0; }
void ex_trace(const char *format, ...) { (void)format; }
const char *ex_name_of(const void *address) { return (void)address, ""; }
const char *ex_words(const void *address, uint64_t value) { return (void)address, (void)value, ""; }

/* Memory: blocks of one size are used again, the last one first, by any thread. An allocator's own lines are not modelled. */

enum { ARENA = 512 << 20, SIZES = 1024 };
static char arena[ARENA] __attribute__((aligned(4096)));
static size_t used;
static struct free { struct free *next; } *freed[SIZES];

void ex_system_reset(void) {
    memset(arena, 0, used);
    used = 0;
    memset(freed, 0, sizeof freed);
}

static void *carve(size_t bytes, size_t alignment) {
    used = (used + alignment - 1) / alignment * alignment;
    void *start = arena + used;
    used += bytes;
    if (used > ARENA) {
        ex_fail("the arena is full");
    }
    return start;
}

/* Sixteen bytes lie before each block, as in malloc; the number of its size is there. */
void *ex_allocate(size_t bytes, size_t alignment) {
    size_t size = (bytes + 15) / 16;
    struct free *block = size < SIZES ? freed[size] : NULL;
    if (block != NULL && (uintptr_t)block % alignment == 0) {
        freed[size] = block->next;
        return block;
    }
    char *start = carve(16 + alignment - 16 + size * 16, 16);
    start = (char *)(((uintptr_t)start + 16 + alignment - 1) / alignment * alignment);
    used = (size_t)(start - arena) + size * 16;
    ((size_t *)(void *)start)[-1] = size;
    if (bytes == 128) {
        sc_name(start, bytes, SC_SLEEP); /* a token; its lines are its own */
    }
    return start;
}

void ex_release(void *block) {
    size_t size = block != NULL ? ((size_t *)block)[-1] : SIZES;
    if (size < SIZES) {
        ((struct free *)block)->next = freed[size];
        freed[size] = block;
    }
}

/* The slabs of the store: their blocks are segments, which is what is said of them; behind these lie the entries of the free blocks. */
void *sq__pages(size_t bytes) {
    char *pages = carve(bytes, 4096);
    size_t blocks = bytes / (SQ__SEGMENT_BYTES + sizeof(uint64_t)) * SQ__SEGMENT_BYTES;
    sc_name(pages, blocks, SC_SLOTS);
    sc_name(pages + blocks, bytes - blocks, SC_STORE);
    return pages;
}
void *sq__pages_grow(void *pages, size_t bytes, size_t more) { return memcpy(sq__pages(more), pages, bytes); }
void sq__pages_free(void *pages, size_t bytes) { (void)pages, (void)bytes; }
void sq__pages_discard(void *start, size_t bytes) { memset(start, 0, bytes); }

/* Threads */

static void call_exit(void *exit) { ((sq__exit_t *)exit)->call(exit); }
int sq__thread_at_exit(sq__exit_t *exit) { return ex_at_exit(call_exit, exit), 0; }

int sq__thread_start(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind) {
    sq__thread_plan(start, body, argument, kind);
    return sq__thread_start_planned(start);
}
void sq__thread_plan(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind) {
    *start = (sq__thread_start_t){ body, argument, kind->service, (uint32_t)(kind->stack_size / 1024) };
}
int sq__thread_start_planned(sq__thread_start_t *start) {
    sc_spend(sc_costs.wake);
    (void)ex_start(start->body, start->argument, true);
    return 0;
}
unsigned ex_kept_threads(void) { return 100; }
unsigned ex_thread_looks(void) { return 16; }
uint64_t ex_idles_for(void) { return UINT64_C(500000000); } /* as the core has it: longer than any scenario */

void ex_pause(void) { sc_spend(sc_costs.pause); }
void sq__thread_yield(void) { sc_spend(sc_costs.yield); sc_pass(); } /* nobody waits for this core */
bool sq__thread_owns_stack(const void *address) { return (size_t)((const char *)address - ex_stacks[ex_current]) < EX_STACK; }
sq__thread_state_t sq__thread_state(uint64_t id) { return (void)id, SQ__THREAD_READY; }
uint64_t sq__clock_now(void) { sc_spend(sc_costs.clock); sc_pass(); return ex_now(); }

/* The kernel has a lock for each futex, or for a few. */
enum { BUCKETS = 256 };
static struct { char line[64]; } buckets[BUCKETS] __attribute__((aligned(64)));
static void enter_kernel(const void *word) {
    sc_spend(sc_costs.call);
    sc_pass();
    ex_lines_note(&buckets[((uintptr_t)word >> 3) * 2654435761u % BUCKETS], EX_SWAP);
}

bool sc_futex_wait(const void *word, uint32_t expected, uint64_t deadline) {
    enter_kernel(word);
    ex_lines_note(word, EX_LOAD);
    return *(const volatile uint32_t *)word != expected || ex_block(word, NULL, deadline, false);
}

void sc_futex_wake(const void *word) {
    enter_kernel(word);
    if (ex_wake(word)) {
        sc_spend(sc_costs.wake);
    }
}

/* Nobody dumps. */
bool sq__peek(const void *address, void *copy, size_t bytes) { return memcpy(copy, address, bytes), true; }
void sq__peek_text(const char *address, char *text, size_t size) { snprintf(text, size, "%s", address); }
int sq__file_write(int file, const void *bytes, size_t count) { return (void)file, (void)bytes, (void)count, 0; }
