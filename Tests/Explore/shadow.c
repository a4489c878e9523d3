/* shadow.c: memory blocks, and the race detection of plain accesses.
 *
 * DESIGN. For each four bytes of the arena and of the stacks, and for each other location that is checked, a record of the last
 * writing thread and of the threads that have read since. Each plain access must happen after the last write, and each write
 * also after all reads. Atomic operations count as reads here: a plain write must be ordered with them as well.
 * A block is never used twice in a run, so a use after free is always seen. */
#include "explore.h"

#include <string.h>

enum { ARENA = 1 << 17, BLOCKS = 512, OTHERS = 2048, SHARED = 1024 };

/* Addresses on a thread's stack that another thread has used. */
static const char *shared[SHARED];
static unsigned shared_count;

typedef struct shadow {
    uint32_t run;
    uint8_t alive, writer;
    uint32_t written;
    uint32_t read[EX_THREADS];
} shadow_t;

static char arena[ARENA] __attribute__((aligned(4096)));
static shadow_t arena_shadow[ARENA / 4], stack_shadow[EX_THREADS * EX_STACK / 4], own_shadow[EX_THREADS * EX_OWN / 4];
static shadow_t other_shadow[OTHERS];
static uintptr_t other_key[OTHERS];
static struct block { char *start; size_t bytes; bool live; } blocks[BLOCKS];
static unsigned block_count, live;
static size_t used;
static uint32_t run;
bool ex_no_memory;

void ex_shadow_reset(void) {
    shared_count = 0;
    run += 1;
    used = 64;
    block_count = live = 0;
    ex_no_memory = false;
}

static shadow_t *fresh(shadow_t *shadow) {
    if (shadow->run != run) {
        memset(shadow, 0, sizeof *shadow);
        shadow->run = run;
        shadow->alive = 1;
    }
    return shadow;
}

static void note_shared(const char *address) {
    for (unsigned i = 0; i < shared_count; i += 1) {
        if (shared[i] == address) {
            return;
        }
    }
    if (shared_count == SHARED) {
        ex_fail("the explorer itself: too many places on stacks are shared");
    }
    shared[shared_count++] = address;
}

static shadow_t *shadow_of(const char *address) {
    size_t offset = (size_t)(address - arena);
    if (offset < ARENA) {
        shadow_t *shadow = &arena_shadow[offset / 4];
        if (shadow->run != run) {
            ex_fail("an access to memory that was never allocated");
        }
        return shadow;
    }
    offset = (size_t)(address - &ex_stacks[0][0]);
    if (offset < sizeof ex_stacks) {
        if (!ex_stack_has(address)) {
            ex_fail("an access to a call of T%u that has returned", (unsigned)(offset / EX_STACK));
        }
        if ((int)(offset / EX_STACK) != ex_current) {
            note_shared(address);
        }
        return fresh(&stack_shadow[offset / 4]);
    }
    offset = (size_t)(address - &ex_own[0][0]);
    if (offset < sizeof ex_own) {
        return ex_setting.lists_threads ? fresh(&own_shadow[offset / 4]) : NULL;
    }
    if ((uintptr_t)address < 4096) {
        ex_fail("an access through a null pointer (%p)", (const void *)address);
    }
    if (ex_core_ignores(address)) {
        return NULL;
    }
    uintptr_t key = (uintptr_t)address >> 2;
    unsigned at = (unsigned)(key * 2654435761u) % OTHERS;
    for (unsigned tries = 0; other_shadow[at].run == run && other_key[at] != key; tries += 1) {
        at = (at + 1) % OTHERS;
        if (tries == OTHERS - 1) {
            ex_fail("the explorer itself: too many places outside of its memory");
        }
    }
    other_key[at] = key;
    return fresh(&other_shadow[at]);
}

bool ex_is_freed(const void *address) {
    size_t offset = (size_t)((const char *)address - arena), in_own = (size_t)((const char *)address - &ex_own[0][0]);
    const shadow_t *shadow = offset < ARENA ? &arena_shadow[offset / 4] : in_own < sizeof ex_own ? &own_shadow[in_own / 4] : NULL;
    return shadow != NULL && shadow->run == run && !shadow->alive;
}

static void check(const char *address, const char *what, bool writes) {
    if (run == 0) {
        return; /* a constructor of the core, before main */
    }
    shadow_t *shadow = shadow_of(address);
    if (shadow == NULL) {
        return;
    }
    const ex_clock_t *clock = &ex_clocks[ex_current];
    if (!shadow->alive) {
        ex_fail("%s of %s, which was freed", what, ex_name_of(address));
    }
    if (shadow->written > clock->at[shadow->writer]) {
        ex_fail("race: %s of %s with a write by T%u", what, ex_name_of(address), shadow->writer);
    }
    for (unsigned i = 0; writes && i < ex_threads(); i += 1) {
        if (shadow->read[i] > clock->at[i]) {
            ex_fail("race: %s of %s with a read or atomic by T%u", what, ex_name_of(address), i);
        }
    }
    if (writes) {
        shadow->writer = (uint8_t)ex_current;
        shadow->written = clock->at[ex_current];
    } else {
        shadow->read[ex_current] = clock->at[ex_current];
    }
}

void ex_read(const void *address, unsigned bytes) {
    for (uintptr_t at = (uintptr_t)address & ~(uintptr_t)3; at < (uintptr_t)address + bytes; at += 4) {
        check((const char *)at, "read", false);
    }
}

void ex_write(const void *address, unsigned bytes) {
    for (uintptr_t at = (uintptr_t)address & ~(uintptr_t)3; at < (uintptr_t)address + bytes; at += 4) {
        check((const char *)at, "write", true);
    }
}

void ex_return(const void *frame) {
    for (unsigned i = shared_count; i-- > 0;) {
        size_t offset = (size_t)(shared[i] - &ex_stacks[0][0]);
        if ((int)(offset / EX_STACK) == ex_current && (frame == NULL || shared[i] < (const char *)frame)) {
            check(shared[i], "return from the call", true);
            shared[i] = shared[--shared_count];
        }
    }
}

void ex_atomic(const void *address) {
    check(address, "atomic access", false);
    ex_hash = (ex_hash + (uintptr_t)address * 8 + (unsigned)ex_current) * UINT64_C(0x9E3779B97F4A7C15) + *(const uint8_t *)address;
}

/* Blocks */

void *ex_allocate(size_t bytes, size_t alignment) {
    ex_point();
    if (ex_no_memory || (ex_setting.faults && ex_choose(2, EX_DISTURB) == 1)) {
        EX_TRACE("gets no memory");
        return NULL;
    }
    used = (used + alignment - 1) / alignment * alignment;
    if (used + bytes + 16 > ARENA || block_count == BLOCKS) {
        ex_fail("the explorer itself: its memory is full");
    }
    char *start = arena + used;
    used += (bytes + 15) / 8 * 8;
    blocks[block_count++] = (struct block){ start, bytes, true };
    live += 1;
    for (size_t i = 0; i < (bytes + 3) / 4; i += 1) {
        shadow_t *shadow = &arena_shadow[(size_t)(start - arena) / 4 + i];
        shadow->run = 0;
        fresh(shadow);
        shadow->writer = (uint8_t)ex_current;
        shadow->written = ex_clocks[ex_current].at[ex_current];
    }
    memset(start, 0xA5, bytes);
    EX_TRACE("allocates %s", ex_name_of(start));
    return start;
}

void ex_end_memory(const void *start, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 4) {
        check((const char *)start + at, "free", true);
        shadow_of((const char *)start + at)->alive = 0;
    }
}

void ex_release(void *address) {
    if (address == NULL) {
        return;
    }
    ex_point();
    unsigned i = 0;
    while (i < block_count && (blocks[i].start != address || !blocks[i].live)) {
        i += 1;
    }
    if (i == block_count) {
        ex_fail("free of something that is not a live block: %s", ex_name_of(address));
    }
    EX_TRACE("frees %s", ex_name_of(address));
    ex_end_memory(address, blocks[i].bytes);
    memset(address, 0xDD, blocks[i].bytes);
    blocks[i].live = false;
    live -= 1;
}

unsigned ex_live_blocks(void) { return live; }

bool ex_block_of(const void *address, unsigned *number, size_t *bytes, size_t *offset) {
    for (unsigned i = 0; i < block_count; i += 1) {
        size_t at = (size_t)((const char *)address - blocks[i].start);
        if (at < blocks[i].bytes) {
            *number = i;
            *bytes = blocks[i].bytes;
            *offset = at;
            return true;
        }
    }
    return false;
}

uint64_t ex_place_of(const void *address) { return (uint64_t)((const char *)address - arena); }
