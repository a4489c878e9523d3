/* store.c: the store of blocks (memory/blocks.h), which the other scenarios do not use: each of their segments is a block of its own. */
#include "scenario.h"

#include "memory/blocks.h"
#include "platform/peek.h"

#include <string.h>

enum { BYTES = 64, MOST = 64 };

typedef struct held {
    uint32_t number;
    uint32_t mark;
} held_t;

static sq__blocks_t store;
static bool is_taken[MOST];
static enum { NO_SHARDS, ONE_SHARD, OWN_SHARDS } shards;

static held_t *take_from(uint32_t shard) {
    uint32_t number;
    held_t *block = sq__blocks_take(&store, shard, &number);
    if (block == NULL) {
        if (!ex_setting.faults) {
            ex_fail("store: no block");
        }
        return NULL;
    }
    if (number >= MOST || is_taken[number]) {
        ex_fail("store: block %u is taken twice", number);
    }
    is_taken[number] = true;
    ex_write(block, sizeof *block); /* after all use by others, or it is a race */
    *block = (held_t){ number, number };
    return block;
}

static held_t *take(void) { return take_from(shards == OWN_SHARDS ? (uint32_t)ex_current + 1 : shards == ONE_SHARD); }

static void give(held_t *block) {
    if (block != NULL) {
        ex_read(block, sizeof *block);
        if (block->mark != block->number) {
            ex_fail("store: block %u was changed by another thread", block->number);
        }
        is_taken[block->number] = false;
        sq__blocks_give(&store, block->number);
    }
}

static void take_and_give(void *unused) {
    (void)unused;
    give(take());
}

static void take_two(void *unused) {
    (void)unused;
    held_t *one = take(), *two = take();
    give(two);
    give(one);
}

/* The first block comes back on top of another one. */
static void swap_two(void *unused) {
    (void)unused;
    held_t *one = take(), *two = take();
    give(one);
    held_t *three = take();
    give(two);
    give(three);
}

/* More than may be warm. */
static void take_three(void *unused) {
    (void)unused;
    held_t *blocks[] = { take(), take(), take() };
    for (int i = 0; i < 3; i += 1) {
        give(blocks[i]);
    }
}

static void take_four(void *unused) {
    held_t *block = take();
    take_three(unused);
    give(block);
}

/* `filled`: so many blocks are free when the threads begin. In the end, every block can be taken once. */
static void run(unsigned filled, void (*one)(void *), void (*other)(void *), void (*third)(void *)) {
    held_t *blocks[MOST] = { NULL };
    int threads[3] = { -1, -1, -1 };
    void (*const bodies[3])(void *) = { one, other, third };
    bool faults = ex_setting.faults;
    stage_begin(&(expectation_t){ 0 }, 0);
    memset(&store, 0, sizeof store);
    memset(is_taken, 0, sizeof is_taken);
    store.bytes = BYTES;
    ex_setting.faults = false;
    for (unsigned i = 0; i < filled; i += 1) {
        blocks[i] = take();
    }
    for (unsigned i = 0; i < filled; i += 1) {
        give(blocks[i]);
    }
    ex_setting.faults = faults;
    for (unsigned i = 0; i < 3 && bodies[i] != NULL; i += 1) {
        threads[i] = ex_start(bodies[i], NULL, false);
    }
    for (unsigned i = 0; i < 3 && threads[i] >= 0; i += 1) {
        ex_join(threads[i]);
    }
    ex_setting.faults = false;
    uint32_t known = store.fresh, shard = 1, i = 0;
    for (uint32_t warm = sq__blocks_warm(&store); (uint32_t)store.warm != 0; i += 1) {
        if (warm == i) {
            ex_fail("store: more blocks are warm than are counted");
        }
        take_from(0);
    }
    for (; i < known; i += 1) {
        while (shard < SQ__BLOCKS_SHARDS && (uint32_t)store.shards[shard].list == 0) {
            shard += 1;
        }
        take_from(shard); /* from no shard, once all are empty */
    }
    if (store.fresh != known) {
        ex_fail("store: a block was lost");
    }
    for (unsigned slab = 0; slab < SQ__BLOCKS_SLABS; slab += 1) {
        sq__pages_free(store.slabs[slab], 0);
    }
    ex_setting.faults = faults;
}

static void first(void) { run(0, take_and_give, take_two, NULL); }
static void aba(void) { run(2, take_two, swap_two, NULL); }
static void shared(void) { run(1, take_and_give, take_two, take_and_give); }
static void full(void) { run(0, take_three, take_two, NULL); }
static void cold(void) { run(4, take_four, swap_two, NULL); }

static void run_in(int which, unsigned filled, void (*one)(void *), void (*other)(void *), void (*third)(void *)) {
    shards = which;
    run(filled, one, other, third);
    shards = NO_SHARDS;
}
static void shard_aba(void) { run_in(ONE_SHARD, 1, take_two, swap_two, NULL); }
static void shard_shared(void) { run_in(ONE_SHARD, 1, take_and_give, take_two, take_and_give); }
static void shards_apart(void) { run_in(OWN_SHARDS, 1, take_two, swap_two, take_and_give); }
static void shards_faults(void) { run_in(OWN_SHARDS, 0, take_and_give, take_two, take_and_give); }

const scenario_t store_scenarios[] = {
    { "store_first", "two threads need the first slab at the same time", .body = first },
    { "store_faults", "there is no memory for it", .body = first, .faults = true },
    { "store_aba", "a block that comes back on top of another one while a third thread removes it", .body = aba },
    { "store_shared", "a block passes from thread to thread, and no two have it", .body = shared },
    { "store_full", "more blocks are given than may be warm, while others are taken", .body = full },
    { "store_cold", "blocks are taken from the cold list while others come into it", .body = cold },
    { "store_shard_aba", "the same in a shard, which keeps one block and gives others to the warm list", .body = shard_aba },
    { "store_shard_shared", "three threads of one shard", .body = shard_shared },
    { "store_shards", "threads of different shards: a block goes back to the shard that it came from", .body = shards_apart },
    { "store_shards_faults", "there is no memory: what lies in another shard is found", .body = shards_faults, .faults = true },
    { 0 },
};
