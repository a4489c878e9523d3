#include "alarm/heap.h"

static unsigned rank_of(const sq__heap_node_t *node) { return node != NULL ? node->rank : 0; }

/* Restores the heap's rule and the node's rank after a change below it. */
static void restore(sq__heap_node_t *node) {
    if (rank_of(node->left) < rank_of(node->right)) {
        sq__heap_node_t *left = node->left;
        node->left = node->right;
        node->right = left;
    }
    node->rank = (unsigned char)(rank_of(node->right) + 1);
}

/* Merges two trees, given by their roots or NULL, and returns the root, or NULL. Its `above` is no node: the caller links the result to its
 * parent. */
static sq__heap_node_t *merge(sq__heap_node_t *a, sq__heap_node_t *b) {
    sq__heap_node_t top = { .right = NULL };
    sq__heap_node_t *last = &top;
    while (a != NULL && b != NULL) {
        if (sq__heap_before(b, a)) {
            sq__heap_node_t *later = a;
            a = b;
            b = later;
        }
        last->right = a;
        a->above = last;
        last = a;
        a = a->right;
    }
    last->right = a != NULL ? a : b;
    if (last->right != NULL) {
        last->right->above = last;
    }
    for (; last != &top; last = last->above) {
        restore(last);
    }
    return top.right;
}

static void hang(sq__heap_t *heap, sq__heap_node_t *first) {
    heap->top.left = first;
    if (first != NULL) {
        first->above = &heap->top;
    }
}

/* A node has the smallest key only if its parent has it, so only such nodes are visited. */
sq__heap_node_t *sq__heap_next_tie(const sq__heap_t *heap, const sq__heap_node_t *node) {
    uint64_t key = node->key;
    if (node->left != NULL && node->left->key == key) {
        return node->left;
    }
    if (node->right != NULL && node->right->key == key) {
        return node->right;
    }
    for (; node->above != &heap->top; node = node->above) {
        sq__heap_node_t *right = node->above->right;
        if (right != NULL && right != node && right->key == key) {
            return right;
        }
    }
    return NULL;
}

void sq__heap_put(sq__heap_t *heap, sq__heap_node_t *node) {
    node->left = node->right = NULL;
    node->rank = 1;
    hang(heap, merge(heap->top.left, node));
}

void sq__heap_take(sq__heap_node_t *node) {
    sq__heap_node_t *above = node->above;
    sq__heap_node_t *rest = merge(node->left, node->right);
    *(above->left == node ? &above->left : &above->right) = rest;
    if (rest != NULL) {
        rest->above = above;
    }
    node->above = NULL;
    /* O(log n) steps: either the rank is one more at each step up, or the path is a rightmost one. */
    for (unsigned before = 0; above->above != NULL; above = above->above) {
        before = (unsigned)above->rank;
        restore(above);
        if (above->rank == before) {
            break;
        }
    }
}

void sq__heap_move(sq__heap_t *from, sq__heap_t *to) {
    hang(to, merge(to->top.left, from->top.left));
    from->top.left = NULL;
}
