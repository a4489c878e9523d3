/* blocks.h: blocks of one size for the whole process. The segments of all queues and the tokens of all threads come
 * from such stores.
 *
 * DESIGN. Blocks have numbers, from 16 on. They lie in slabs: the first slab has the blocks 16 to 31, and each further slab has as many
 * blocks as all before it. So a number alone says where its block lies. A slab comes from the system when its first block is needed, and is
 * never unmapped. Behind its blocks a slab has an entry of eight bytes for each: where a free block is in its list. What threads
 * read of a free block is only its entry, so its pages can be given back to the system at any time.
 *
 *     shards    lists of a few free blocks each. A thread takes from the shard that its number selects, and a block goes back to the shard from which
 *              it was taken, whichever thread gives it. So many threads that take and give do not meet at one word. A full shard gives to warm
 *     warm     list of free blocks that were used lately: taken first
 *     cold     list of free blocks whose pages were given back
 *     fresh    the lowest number that was never taken
 *
 * The thread that gives a block while SQ__BLOCKS_WARM others are warm takes these out of the list, returns their pages to the system, and
 * puts them into the cold list. A worker that is about to sleep does the same with more than SQ__BLOCKS_WARM_AT_REST, if nobody has taken
 * a block for a while (thread/worker.c). So no thread or timer of its own is needed. One system call returns many pages, as blocks that were
 * taken one after the other come back one after the other.
 *
 * A list is a stack. Its word has the number of its first block, and a tag that each removal increments. A removal reads the word, then
 * the entry of the first block, and swaps the word for the one that the entry names. In between, others may have removed this block and
 * put it back, on top of another one (ABA). Then the tag has changed, and the swap fails. It would succeed wrongly only if exactly 2^32 removals
 * came in between. The other operations:
 *
 *     give          depends on the entry of the first block, too (how many are in the list), and swaps the same word: as a removal
 *     take all      is a removal, by the same swap: the given block becomes the whole list, or none
 *     add a chain   depends on no entry; that the first block is the one that the chain's end names is what the swap verifies
 *     fresh         only grows
 *
 * No thread waits for another one. In the child of a fork all of this works: at worst it lacks the blocks that were in the hands of the
 * parent's other threads. */
#pragma once

#include "platform/atomic.h"
#include "platform/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Tests set 2, 6, 14, ..., to reach the ends of segments often: the size of a segment is a power of two, so pages have whole segments. */
#ifndef SQ__SEGMENT_SLOTS
#define SQ__SEGMENT_SLOTS 126u
#endif
#define SQ__SEGMENT_BYTES (SQ__LINE + SQ__SEGMENT_SLOTS * 32u)

/* How many free blocks keep their pages at most, 64 MiB: those of a backlog of two million tasks that comes and goes. */
#ifndef SQ__BLOCKS_WARM
#define SQ__BLOCKS_WARM 16384u
#endif
/* And how many while nobody takes one, 1 MiB; and after how many nanoseconds. */
#ifndef SQ__BLOCKS_WARM_AT_REST
#define SQ__BLOCKS_WARM_AT_REST 256u
#endif
#define SQ__BLOCKS_COOLS_AFTER UINT64_C(200000000)

enum { SQ__BLOCKS_SLABS = 27 }; /* for all numbers of 31 bits */

/* How many shards there are, a power of two, and how many blocks each keeps: 1 MiB in all. */
enum { SQ__BLOCKS_SHARDS = 32 };
#ifndef SQ__BLOCKS_SHARD
#define SQ__BLOCKS_SHARD 8u
#endif

typedef struct sq__store_shard {
    _Alignas(SQ__LINE) SQ__ATOMIC(uint64_t) list; /* A */
} sq__store_shard_t;

typedef struct sq__store {
    size_t bytes;                            /* I  of a block: a power of two, at least SQ__LINE */
    SQ__ATOMIC(char *) slabs[SQ__BLOCKS_SLABS]; /* A  NULL: not needed yet; then fixed */
    _Alignas(SQ__LINE) SQ__ATOMIC(uint64_t) warm; /* A */
    SQ__ATOMIC(uint64_t) cold;               /* A */
    SQ__ATOMIC(uint32_t) fresh;              /* A  minus 16 */
    sq__store_shard_t shards[SQ__BLOCKS_SHARDS];
} sq__blocks_t;

/* The segments of all queues (kernel/segment.h). */
extern sq__blocks_t sq__segments;

/* A block, and its number: as it was given, or zeroed, if its pages are new. NULL: no memory. Any thread. `shard`: any number; 0: from no shard. */
void *sq__blocks_take(sq__blocks_t *store, uint32_t shard, uint32_t *number);

/* Gives the block with this number back. Any thread; all use of the block so far is visible to the thread that takes it. */
void sq__blocks_give(sq__blocks_t *store, uint32_t number);

/* True: many blocks are warm. *taken: the state of the list, for sq__blocks_cool. */
bool sq__blocks_is_large(const sq__blocks_t *store, uint32_t *taken);

/* Returns the pages of all warm blocks to the system, if no block was taken since sq__blocks_is_large. Any thread. */
void sq__blocks_cool(sq__blocks_t *store, uint32_t taken);

/* For tests: how many of the blocks are free and warm, and how many bytes of slabs there are. Exact while nothing moves. */
uint32_t sq__blocks_warm(const sq__blocks_t *store);
size_t sq__blocks_mapped(const sq__blocks_t *store);
