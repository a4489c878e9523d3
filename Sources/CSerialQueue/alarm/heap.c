#include "alarm/heap.h"

#include "platform/memory.h"

static void fill(sq__heap_t *heap, size_t index, sq__heap_entry_t entry) {
    *sq__heap_at(heap, index) = entry;
    entry.node->place = index + 1;
}

/* The entry at `index` is free. Moves it up or down, to where this one keeps the order, and fills it. */

static void fill_above(sq__heap_t *heap, size_t index, sq__heap_entry_t entry) {
    while (index > 0) {
        const sq__heap_entry_t *parent = sq__heap_at(heap, (index - 1) / 4);
        if (!sq__heap_before(&entry, parent)) {
            break;
        }
        fill(heap, index, *parent);
        index = (index - 1) / 4;
    }
    fill(heap, index, entry);
}

static void fill_below(sq__heap_t *heap, size_t index, sq__heap_entry_t entry) {
    for (size_t child; (child = 4 * index + 1) < heap->count; index = child) {
        size_t end = child + 4 < heap->count ? child + 4 : heap->count;
        for (size_t other = child + 1; other < end; other += 1) {
            child = sq__heap_before(sq__heap_at(heap, other), sq__heap_at(heap, child)) ? other : child;
        }
        if (!sq__heap_before(sq__heap_at(heap, child), &entry)) {
            break;
        }
        fill(heap, index, *sq__heap_at(heap, child));
    }
    fill(heap, index, entry);
}

void sq__heap_put(sq__heap_t *heap, sq__heap_node_t *node, uint64_t key) {
    heap->count += 1;
    fill_above(heap, heap->count - 1, (sq__heap_entry_t){ .key = key, .node = node });
}

void sq__heap_take(sq__heap_t *heap, sq__heap_node_t *node) {
    size_t index = node->place - 1;
    node->place = 0;
    heap->count -= 1;
    if (index == heap->count) {
        return;
    }
    sq__heap_entry_t last = *sq__heap_at(heap, heap->count);
    if (index > 0 && sq__heap_before(&last, sq__heap_at(heap, (index - 1) / 4))) {
        fill_above(heap, index, last);
    } else {
        fill_below(heap, index, last);
    }
}

/* An entry has the smallest key only if its parent has it, so only such entries are visited: the children, then the siblings that follow, of the
 * entry and of those above it. */
size_t sq__heap_next_tie(const sq__heap_t *heap, size_t index) {
    uint64_t key = sq__heap_at(heap, 0)->key;
    size_t next = 4 * index + 1, end = 4 * index + 5;
    for (;;) {
        for (; next < end && next < heap->count; next += 1) {
            if (sq__heap_at(heap, next)->key == key) {
                return next;
            }
        }
        if (index == 0) {
            return 0;
        }
        next = index + 1;
        index = (index - 1) / 4;
        end = 4 * index + 5;
    }
}

/* Memory */

static size_t capacity(unsigned blocks) { return blocks > 0 ? ((size_t)32 << blocks) - 3 : 0; }

bool sq__heap_reserve(sq__heap_t *heap, size_t nodes) {
    while (capacity(heap->blocks) < nodes) {
        size_t entries = heap->blocks > 0 ? (size_t)32 << heap->blocks : 64;
        sq__heap_entry_t *block = sq__memory_lines(entries * sizeof *block);
        if (block == NULL) {
            return false;
        }
        heap->block[heap->blocks++] = block;
    }
    return true;
}

/* What is left is at least twice of what is needed: so a block is not freed and allocated by turns. */
void sq__heap_trim(sq__heap_t *heap, size_t nodes) {
    while (heap->blocks > 0 && (nodes == 0 || nodes < capacity(heap->blocks - 1) / 2)) {
        heap->blocks -= 1;
        sq__memory_free(heap->block[heap->blocks]);
    }
}
