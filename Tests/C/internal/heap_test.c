/* heap_test.c: the heap of the alarms. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "alarm/alarm.h"
#include "alarm/heap.h"
#include "platform/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* No entry comes before its parent, and each node knows its place. */
static void check_heap(const sq__heap_t *heap) {
    for (size_t i = 0; i < heap->count; i += 1) {
        CHECK_EQUAL(sq__heap_at(heap, i)->node->place, i + 1);
        CHECK(i == 0 || !sq__heap_before(sq__heap_at(heap, i), sq__heap_at(heap, (i - 1) / 4)));
    }
}

/* Compared with a plain array. */
TEST(a_heap_keeps_its_order_whatever_is_put_in_and_taken_out) {
    enum { NODES = 300 };
    static sq__heap_node_t nodes[NODES];
    static uint64_t keys[NODES];
    memset(nodes, 0, sizeof nodes);
    sq__heap_t heap = { 0 };
    random_stream_t random = random_start(1);
    size_t inside = 0;
    for (size_t step = 0; step < scaled(200000); step += 1) {
        size_t chosen = random_below(&random, NODES);
        sq__heap_node_t *node = &nodes[chosen];
        if (sq__heap_is_in(node)) {
            CHECK(sq__heap_has(&heap, node));
            sq__heap_take(&heap, node);
            inside -= 1;
        } else {
            keys[chosen] = random_below(&random, 100);
            node->order = step;
            REQUIRE(sq__heap_reserve(&heap, inside + 1));
            sq__heap_put(&heap, node, keys[chosen]);
            inside += 1;
        }
        if (step % 64 == 0) {
            const sq__heap_node_t *first = NULL;
            for (size_t i = 0; i < NODES; i += 1) {
                size_t at = first != NULL ? (size_t)(first - nodes) : 0;
                bool is_before = first == NULL || keys[i] < keys[at] || (keys[i] == keys[at] && nodes[i].order < first->order);
                first = sq__heap_is_in(&nodes[i]) && is_before ? &nodes[i] : first;
            }
            CHECK_EQUAL(heap.count, inside);
            CHECK(inside == 0 || sq__heap_at(&heap, 0)->node == first);
            check_heap(&heap);
        }
    }
    sq__heap_trim(&heap, 0);
}

/* All entries lie in the blocks that were allocated, each at a place of its own, and siblings share a line. */
TEST(the_entries_of_a_heap_do_not_overlap) {
    enum { NODES = 5000 };
    static sq__heap_node_t nodes[NODES];
    memset(nodes, 0, sizeof nodes);
    sq__heap_t heap = { 0 };
    REQUIRE(sq__heap_reserve(&heap, NODES));
    for (size_t i = 0; i < NODES; i += 1) {
        sq__heap_put(&heap, &nodes[i], i);
    }
    for (size_t i = 0; i < NODES; i += 1) {
        CHECK_EQUAL(sq__heap_at(&heap, i)->key, i);
        CHECK(i % 4 != 1 || (uintptr_t)sq__heap_at(&heap, i) % SQ__LINE == 0);
    }
    check_heap(&heap);
    sq__heap_trim(&heap, 0);
}

/* What was allocated for more nodes is kept while half of it is needed. */
TEST(a_heap_gives_memory_back_that_it_needs_no_longer) {
    sq__heap_t heap = { 0 };
    REQUIRE(sq__heap_reserve(&heap, 1000));
    unsigned all = heap.blocks;
    sq__heap_trim(&heap, 1000);
    CHECK_EQUAL(heap.blocks, all);
    sq__heap_trim(&heap, 400);
    CHECK_EQUAL(heap.blocks, all);
    sq__heap_trim(&heap, 200);
    CHECK_EQUAL(heap.blocks, all - 1);
    sq__heap_trim(&heap, 1);
    CHECK_EQUAL(heap.blocks, 1);
    sq__heap_trim(&heap, 0);
    CHECK_EQUAL(heap.blocks, 0);
}

TEST(a_heap_without_memory_stays_as_it_is) {
    sq__heap_t heap = { 0 };
    REQUIRE(sq__heap_reserve(&heap, 61));
    uint64_t before = allocations();
    CHECK(sq__heap_reserve(&heap, 61));
    CHECK_EQUAL(allocations(), before);
    fail_nth(FAIL_ALLOCATION, 1, true);
    CHECK(!sq__heap_reserve(&heap, 62));
    CHECK(sq__heap_reserve(&heap, 61));
    fail_nothing();
    sq__heap_trim(&heap, 0);
}

/* Those of equal keys are visited once each, wherever they are; others are not. */
TEST(all_entries_with_the_smallest_key_are_found) {
    enum { NODES = 200 };
    static sq__heap_node_t nodes[NODES];
    random_stream_t random = random_start(2);
    for (size_t ties = 1; ties <= NODES; ties += 1) {
        bool seen[NODES] = { false };
        sq__heap_t heap = { 0 };
        memset(nodes, 0, sizeof nodes);
        REQUIRE(sq__heap_reserve(&heap, NODES));
        for (size_t i = 0; i < NODES; i += 1) {
            nodes[i].order = i;
            sq__heap_put(&heap, &nodes[i], i < ties ? 7 : 8 + random_below(&random, 5));
        }
        size_t index = 0, count = 0;
        do {
            size_t node = (size_t)(sq__heap_at(&heap, index)->node - nodes);
            CHECK(node < ties && !seen[node]);
            seen[node] = true;
            count += 1;
        } while ((index = sq__heap_next_tie(&heap, index)) != 0);
        CHECK_EQUAL(count, ties);
        sq__heap_trim(&heap, 0);
    }
}
