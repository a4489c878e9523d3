/* heap.h: a priority queue, smallest key first.
 *
 * DESIGN. A 4-ary heap: no entry comes before its parent, and the children of the entry at `index` are at 4 * index + 1 to 4. An entry has the key
 * next to the node, so that comparing touches no node, unless keys are equal; the four children of an entry share a cache line. A node knows its
 * place, so that it can be removed from anywhere. Putting and taking cost O(log n) in the worst case; taking what is far from due, which is mostly
 * near the leaves, touches two or three lines.
 *
 * The entries are in blocks of 64, 64, 128, 256, ..., which are allocated in advance (sq__heap_reserve), so that putting cannot fail. Growing moves
 * no entry: with one array, a single call could copy a million. */
#pragma once

#include "alarm/alarm_inline.h"

typedef struct sq__heap_entry {
    uint64_t key;
    sq__heap_node_t *node;
} sq__heap_entry_t;

enum { SQ__HEAP_BLOCKS = 40 }; /* more than the address space has room for */

/* All zero: empty. */
typedef struct sq__heap {
    size_t count;
    unsigned blocks; /* how many there are */
    sq__heap_entry_t *block[SQ__HEAP_BLOCKS];
} sq__heap_t;

/* The entry at this index, which is less than the count. 0: the one with the smallest key, and with the smallest order among equal keys. */
static inline sq__heap_entry_t *sq__heap_at(const sq__heap_t *heap, size_t index) {
    uint64_t position = index + 3; /* the children of each entry begin at a multiple of four */
    unsigned block = 58 - (unsigned)__builtin_clzll(position | 63);
    return &heap->block[block][position & ((((uint64_t)32 << block) - 1) | 63)];
}

/* True: a comes before b. */
static inline bool sq__heap_before(const sq__heap_entry_t *a, const sq__heap_entry_t *b) {
    return a->key != b->key ? a->key < b->key : a->node->order < b->node->order;
}

/* True: the node is in a heap, perhaps in another one than the caller knows. */
static inline bool sq__heap_is_in(const sq__heap_node_t *node) { return node->place != 0; }

/* The node is in a heap. True: in this one. */
static inline bool sq__heap_has(const sq__heap_t *heap, const sq__heap_node_t *node) {
    return node->place <= heap->count && sq__heap_at(heap, node->place - 1)->node == node;
}

/* The index after this one among the entries whose key is the smallest of all, in no particular order; 0: that was the last one. The first one
 * is 0. */
size_t sq__heap_next_tie(const sq__heap_t *heap, size_t index);

/* Makes sure that the heap has memory for so many nodes. False: there is none. */
bool sq__heap_reserve(sq__heap_t *heap, size_t nodes);

/* Frees memory if the heap has much more than for so many nodes, which are at least its count. For 0: all. */
void sq__heap_trim(sq__heap_t *heap, size_t nodes);

/* Inserts a node that is in no heap. The caller has set its order; there is memory for it. */
void sq__heap_put(sq__heap_t *heap, sq__heap_node_t *node, uint64_t key);

/* Removes a node from the heap that it is in. */
void sq__heap_take(sq__heap_t *heap, sq__heap_node_t *node);
