/* heap.h: things in the order of a number, the smallest at hand.
 *
 * DESIGN. A leftist heap: a binary tree in which no node comes before the one above it, and in which the way down on the right
 * is nowhere longer than on the left. So that way has at most log2(n + 1) nodes, and two heaps are merged along it; all else is
 * a merge: putting in, with a heap of one node; taking out, of what is below the node. Each costs O(log n), not only on average:
 * a set of timers must not stand still for a million others now and then, as with a pairing heap. The nodes are part of what
 * is sorted, so nothing is allocated. A node that is in a heap can be taken out without naming the heap. */
#ifndef SQ__ALARM_HEAP_H
#define SQ__ALARM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: in no heap. */
typedef struct sq__heap_node {
    uint64_t key;
    uint64_t order : 56; /* among equal keys */
    uint64_t rank : 8;   /* how many nodes the way down on the right has, this one included */
    struct sq__heap_node *left, *right;
    struct sq__heap_node *above; /* NULL: in no heap */
} sq__heap_node_t;

/* All zero: empty. */
typedef struct sq__heap {
    sq__heap_node_t top; /* above all; the first one is at its left */
} sq__heap_t;

/* The first one by key, and by order among equal keys; NULL: empty. */
static inline sq__heap_node_t *sq__heap_first(const sq__heap_t *heap) { return heap->top.left; }

static inline bool sq__heap_has(const sq__heap_node_t *node) { return node->above != NULL; }

/* True: a comes before b. NULL comes after all. */
static inline bool sq__heap_before(const sq__heap_node_t *a, const sq__heap_node_t *b) {
    if (a == NULL || b == NULL) {
        return a != NULL;
    }
    return a->key != b->key ? a->key < b->key : a->order < b->order;
}

/* Puts a node in that is in no heap; its key and order are set. */
void sq__heap_put(sq__heap_t *heap, sq__heap_node_t *node);

/* Takes a node out of the heap that it is in. */
void sq__heap_take(sq__heap_node_t *node);

/* Moves everything into another heap. */
void sq__heap_move(sq__heap_t *from, sq__heap_t *to);

#endif
