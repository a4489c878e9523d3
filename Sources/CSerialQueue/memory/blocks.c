#include "memory/blocks.h"

#include "platform/fatal.h"
#include "platform/peek.h"

/* { below: 32, count: 32 }: the next block in the list or 0, and how many blocks the list has from here on. While the block is taken, `below` is its
 * shard, or 0. */
typedef SQ__ATOMIC(uint64_t) entry_t;

enum { FIRST = 16 };

sq__blocks_t sq__segments = { .bytes = SQ__SEGMENT_BYTES };

/* The word of a list, { first: 32, tag: 32 }, and an entry have the number of a block in their lower half. */
static uint64_t pair(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }
static uint32_t low_half(uint64_t pair) { return (uint32_t)pair; }
static uint32_t high_half(uint64_t pair) { return (uint32_t)(pair >> 32); }

/* Where a number lies */

static unsigned slab_of(uint32_t number) { return 31 - (unsigned)__builtin_clz(number / FIRST); }
static uint32_t blocks_of(unsigned slab) { return (uint32_t)FIRST << slab; }
static size_t bytes_of(const sq__blocks_t *store, unsigned slab) { return blocks_of(slab) * (store->bytes + sizeof(entry_t)); }

static char *slab_at(const sq__blocks_t *store, unsigned slab) {
    return sq__load_acquire(&store->slabs[slab]); /* [slab] acquire: the zeroed pages; pairs with add_slab */
}

static void *block_at(const sq__blocks_t *store, uint32_t number) {
    unsigned slab = slab_of(number);
    return slab_at(store, slab) + (number - blocks_of(slab)) * store->bytes;
}

static entry_t *entry_at(const sq__blocks_t *store, uint32_t number) {
    unsigned slab = slab_of(number);
    return (entry_t *)(slab_at(store, slab) + blocks_of(slab) * store->bytes) + (number - blocks_of(slab));
}

/* Taking */

/* Takes the first block of the list, and returns its number; 0: the list is empty. */
static uint32_t take_from(sq__blocks_t *store, SQ__ATOMIC(uint64_t) *list) {
    uint64_t next, top = sq__load_acquire(list); /* [block] acquire: the entry of the first block */
    do {
        if (low_half(top) == 0) {
            return 0;
        }
        entry_t *entry = entry_at(store, low_half(top));
        next = pair(low_half(sq__load_relaxed(entry)), high_half(top) + 1);
        /* [block] acquire: the last use of the block is over; if it failed, the entry of the block that is first now. */
    } while (!sq__cas_acquire_or_acquire(list, &top, next));
    return low_half(top);
}

/* True: the slab is there; this or another thread has added it. False: no memory. */
static bool add_slab(sq__blocks_t *store, unsigned slab) {
    char *none = NULL, *pages = sq__pages(bytes_of(store, slab));
    if (pages == NULL) {
        return false;
    }
    if ((uint64_t)(uintptr_t)pages >> 48) {
        sq__fatal("memory at %p does not fit the state word of a queue, which has 48 bits for an address. Memory beyond 48 bits (five-level "
                  "paging) is not supported.", (void *)pages);
    }
    if (!sq__cas_release(&store->slabs[slab], &none, pages)) { /* [slab] release: the pages are zeroed */
        sq__pages_free(pages, bytes_of(store, slab)); /* another thread was faster */
    }
    return true;
}

/* Takes a number that was never taken, whose slab is there. 0: no memory, or no number is left. */
static uint32_t take_fresh(sq__blocks_t *store) {
    uint32_t fresh = sq__load_relaxed(&store->fresh);
    do {
        unsigned slab = slab_of(FIRST + fresh);
        if (slab == SQ__BLOCKS_SLABS || (slab_at(store, slab) == NULL && !add_slab(store, slab))) {
            return 0;
        }
    } while (!sq__cas_relaxed(&store->fresh, &fresh, fresh + 1));
    return FIRST + fresh;
}

/* NULL: this is no shard. */
static sq__store_shard_t *shard_at(sq__blocks_t *store, uint32_t shard) {
    return shard != 0 ? &store->shards[shard % SQ__BLOCKS_SHARDS] : NULL;
}

/* When there is no memory. */
static uint32_t take_from_any_shard(sq__blocks_t *store) {
    uint32_t number = 0;
    for (unsigned i = 0; i < SQ__BLOCKS_SHARDS && number == 0; i += 1) {
        number = take_from(store, &store->shards[i].list);
    }
    return number;
}

void *sq__blocks_take(sq__blocks_t *store, uint32_t shard, uint32_t *number) {
    sq__store_shard_t *near = shard_at(store, shard);
    if ((near == NULL || (*number = take_from(store, &near->list)) == 0) && (*number = take_from(store, &store->warm)) == 0
        && (*number = take_from(store, &store->cold)) == 0 && (*number = take_fresh(store)) == 0
        && (*number = take_from_any_shard(store)) == 0) {
        return NULL;
    }
    entry_t *entry = entry_at(store, *number);
    sq__store_relaxed(entry, pair(shard, 0));
    return block_at(store, *number);
}

/* Giving */

static void discard(const sq__blocks_t *store, uint32_t low, uint32_t high) {
    sq__pages_discard(block_at(store, low), (high - low + 1) * store->bytes);
}

/* Returns the pages of these blocks, a chain from `first` that only this thread has, to the system, and puts the blocks into the cold list. */
static void cool_down(sq__blocks_t *store, uint32_t first) {
    uint32_t low = first, high = first; /* the blocks from low to high are still to be discarded */
    entry_t *entry = entry_at(store, first);
    for (uint32_t at; (at = low_half(sq__load_relaxed(entry))) != 0; entry = entry_at(store, at)) {
        bool is_next = (at == high + 1 || at + 1 == low) && slab_of(at) == slab_of(low);
        if (!is_next) {
            discard(store, low, high);
        }
        low = is_next && low < at ? low : at;
        high = is_next && high > at ? high : at;
    }
    discard(store, low, high);
    uint64_t top = sq__load_relaxed(&store->cold);
    do {
        sq__store_relaxed(entry, pair(low_half(top), 0));
        /* [block] release: the entries of the chain, and that its pages were discarded. */
    } while (!sq__cas_release(&store->cold, &top, pair(first, high_half(top))));
}

static uint32_t count_from(const sq__blocks_t *store, uint32_t number) {
    if (number == 0) {
        return 0;
    }
    entry_t *entry = entry_at(store, number);
    return high_half(sq__load_relaxed(entry));
}

/* Puts the block into the list. If that has `most` blocks already, `takes_all` first takes these out for the caller, in a chain from *below; else
 * nothing is put. Returns how many blocks the list had, and *below, the first of them, or 0. */
static uint32_t give_to(sq__blocks_t *store, SQ__ATOMIC(uint64_t) *list, uint32_t number, uint32_t most, bool takes_all, uint32_t *below) {
    uint32_t count;
    entry_t *entry = entry_at(store, number);
    uint64_t next, top = sq__load_acquire(list); /* [block] acquire: the entry of the first block */
    do {
        *below = low_half(top);
        count = count_from(store, *below);
        bool is_full = count >= most;
        if (is_full && !takes_all) {
            break;
        }
        sq__store_relaxed(entry, is_full ? pair(0, 1) : pair(*below, count + 1));
        next = pair(number, high_half(top) + is_full);
        /* [block] release: our use of the block is over, and its entry; acquire: the entries of the others, and that their use is over. */
    } while (!sq__cas_acq_rel_or_acquire(list, &top, next));
    return count;
}

void sq__blocks_give(sq__blocks_t *store, uint32_t number) {
    uint32_t below;
    const entry_t *entry = entry_at(store, number);
    sq__store_shard_t *near = shard_at(store, low_half(sq__load_relaxed(entry)));
    if (near != NULL && give_to(store, &near->list, number, SQ__BLOCKS_SHARD, false, &below) < SQ__BLOCKS_SHARD) {
        return;
    }
    if (give_to(store, &store->warm, number, SQ__BLOCKS_WARM, true, &below) >= SQ__BLOCKS_WARM) {
        cool_down(store, below);
    }
}

/* At rest */

uint32_t sq__blocks_warm(const sq__blocks_t *store) {
    return count_from(store, low_half(sq__load_acquire(&store->warm))); /* [block] acquire: the entry */
}

bool sq__blocks_is_large(const sq__blocks_t *store, uint32_t *taken) {
    uint64_t top = sq__load_acquire(&store->warm); /* [block] acquire: the entry */
    *taken = high_half(top);
    return count_from(store, low_half(top)) > SQ__BLOCKS_WARM_AT_REST;
}

void sq__blocks_cool(sq__blocks_t *store, uint32_t taken) {
    uint64_t top = sq__load_relaxed(&store->warm);
    while (high_half(top) == taken && low_half(top) != 0) {
        /* [block] acquire: the entries, and that all use of the blocks is over. */
        if (sq__cas_acquire(&store->warm, &top, pair(0, taken + 1))) {
            cool_down(store, low_half(top));
            return;
        }
    }
}

size_t sq__blocks_mapped(const sq__blocks_t *store) {
    size_t bytes = 0;
    for (unsigned slab = 0; slab < SQ__BLOCKS_SLABS; slab += 1) {
        bytes += slab_at(store, slab) != NULL ? bytes_of(store, slab) : 0;
    }
    return bytes;
}
