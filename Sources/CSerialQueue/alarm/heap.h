/* heap.h: a priority queue, smallest key first.
 *
 * DESIGN. A leftist heap: a binary tree in which no node comes before its parent, and in which the rightmost path below each node
 * is its shortest. That path has at most log2(n + 1) nodes, and two heaps are merged along it. Every operation is a merge:
 * inserting merges with a heap of one node; removing merges the node's two subtrees. Each costs O(log n) in the worst case, not
 * only on average: with a pairing heap, a single operation could stall on a million timers. The nodes are embedded in the
 * objects, so nothing is allocated. Removing a node does not need its heap. */
#pragma once

#include "alarm/alarm_inline.h"

/* The bits of a node's order. */
#define SQ__HEAP_ORDERS ((UINT64_C(1) << 56) - 1)

/* All zero: empty. */
typedef struct sq__heap {
    sq__heap_node_t top; /* a sentinel: its left child is the root */
} sq__heap_t;

/* The node with the smallest key, and with the smallest order among equal keys. NULL: the heap is empty. */
static inline sq__heap_node_t *sq__heap_first(const sq__heap_t *heap) { return heap->top.left; }

static inline bool sq__heap_has(const sq__heap_node_t *node) { return node->above != NULL; }

/* The node after this one among those whose key is the smallest of all, in no particular order; NULL: that was the last one. The
 * first one is sq__heap_first. */
sq__heap_node_t *sq__heap_next_tie(const sq__heap_t *heap, const sq__heap_node_t *node);

/* Inserts a node that is in no heap. The caller has set its key and order. */
void sq__heap_put(sq__heap_t *heap, sq__heap_node_t *node);

/* Removes a node from the heap that it is in. */
void sq__heap_take(sq__heap_node_t *node);

/* Moves all nodes into another heap. */
void sq__heap_move(sq__heap_t *from, sq__heap_t *to);
