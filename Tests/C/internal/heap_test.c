/* heap_test.c: the heap of the alarms. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "alarm/alarm.h"
#include "alarm/heap.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Walks the whole tree by its links upwards: no node comes before the one above, each rank is right, and the right is the short
 * side. Returns how many nodes there are. */
static size_t check_heap(const sq__heap_t *heap) {
    size_t count = 0;
    const sq__heap_node_t *from = &heap->top, *node = heap->top.left;
    CHECK(heap->top.right == NULL);
    while (node != NULL && node != &heap->top) {
        const sq__heap_node_t *next = node->above;
        if (from == node->above) {
            unsigned left = node->left ? (unsigned)node->left->rank : 0, right = node->right ? (unsigned)node->right->rank : 0;
            count += 1;
            CHECK(from == &heap->top || !sq__heap_before(node, from));
            CHECK(left >= right && node->rank == right + 1);
            next = node->left ? node->left : node->right ? node->right : node->above;
        } else if (from == node->left && node->right != NULL) {
            next = node->right;
        }
        from = node;
        node = next;
    }
    return count;
}

/* Compared with a plain array. */
TEST(a_heap_keeps_its_order_whatever_is_put_in_and_taken_out) {
    enum { NODES = 300 };
    static sq__heap_node_t nodes[NODES];
    memset(nodes, 0, sizeof nodes);
    sq__heap_t heap = { 0 };
    random_stream_t random = random_start(1);
    size_t inside = 0;
    for (size_t step = 0; step < scaled(200000); step += 1) {
        sq__heap_node_t *node = &nodes[random_below(&random, NODES)];
        if (sq__heap_has(node)) {
            sq__heap_take(node);
            inside -= 1;
        } else {
            node->key = random_below(&random, 100);
            node->order = step;
            sq__heap_put(&heap, node);
            inside += 1;
        }
        if (step % 64 == 0) {
            const sq__heap_node_t *first = NULL;
            for (size_t i = 0; i < NODES; i += 1) {
                first = sq__heap_has(&nodes[i]) && sq__heap_before(&nodes[i], first) ? &nodes[i] : first;
            }
            CHECK(sq__heap_first(&heap) == first);
            CHECK_EQUAL(check_heap(&heap), inside);
        }
    }
}

TEST(a_heap_moves_into_another_and_its_nodes_can_still_be_taken_out) {
    enum { NODES = 100 };
    sq__heap_node_t nodes[NODES] = { { 0 } };
    sq__heap_t from = { 0 }, to = { 0 };
    sq__heap_move(&from, &to);
    CHECK(sq__heap_first(&to) == NULL);
    for (size_t i = 0; i < NODES; i += 1) {
        nodes[i].key = i * 37 % NODES;
        sq__heap_put(i % 3 ? &from : &to, &nodes[i]);
    }
    sq__heap_move(&from, &to);
    CHECK(sq__heap_first(&from) == NULL);
    CHECK_EQUAL(check_heap(&to), NODES);
    for (size_t i = 0; i < NODES; i += 1) {
        sq__heap_take(&nodes[i]);
        CHECK_EQUAL(check_heap(&to), NODES - 1 - i);
    }
}

/* Numbers that only fall make one long path to the left. A rank far above shows whether the way up has come there: it would then be right
 * again. */
TEST(what_is_taken_out_deep_in_a_heap_changes_nothing_far_above) {
    enum { NODES = 50, NO_RANK = 99 };
    sq__heap_node_t nodes[NODES] = { { 0 } };
    sq__heap_t heap = { 0 };
    for (size_t i = 0; i < NODES; i += 1) {
        nodes[i].key = NODES - i;
        sq__heap_put(&heap, &nodes[i]);
    }
    sq__heap_node_t *first = sq__heap_first(&heap);
    unsigned rank = (unsigned)first->rank;
    first->rank = NO_RANK;
    sq__heap_take(&nodes[0]);
    CHECK_EQUAL((unsigned)first->rank, NO_RANK);
    first->rank = rank;
    CHECK_EQUAL(check_heap(&heap), NODES - 1);
}
